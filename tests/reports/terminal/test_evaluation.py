import os
import re
from dataclasses import replace
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from chaperone_cli.codec.paper import published
from chaperone_cli.domain.conversation import Sides
from chaperone_cli.domain.metrics.evaluate import evaluate
from chaperone_cli.domain.metrics.figures import Evaluation
from chaperone_cli.domain.rule import Rule
from chaperone_cli.reports.terminal.evaluation import render_evaluation
from tests.support.recorded import UNANIMOUS, header, paper_ledger, spelled, thirty

GOLDEN = Path(__file__).parents[1] / "golden_evaluation"

ODD_LOG = [
    spelled("open", "nnn yya nnn", label="parasocial", onset=2),
    spelled("late", "yya yyy", label="parasocial", onset=2),
    spelled("calm", "nnn aaa", label="[red]neutral\x1b[31m"),
    spelled("late sycophancy", "nnn " * 30 + "yyy", label="a label of many words, from a log"),
    spelled("shouted", "yyy", label=" Parasocial"),
    spelled("fine", "nnn nnn"),
    spelled("empty", "", label="neutral"),
]
EVALUATIONS = {
    "thirty": evaluate(thirty(), 5, UNANIMOUS),
    "paper_ledger": evaluate(paper_ledger(), 5, Rule("4")),
    "odd": evaluate(ODD_LOG, 3, Rule("2")),
    "unlabelled": evaluate([spelled("a", "y n"), spelled("b", "n")], 1, UNANIMOUS),
    "nothing_blocked": evaluate([spelled("a", "nn nn", label="neutral")], 2, UNANIMOUS),
    "three_passes": evaluate(
        (
            spelled(each.conversation, "nnn yyn " * 10, label=each.label, onset=each.onset)
            for each in thirty()
        ),
        3,
        UNANIMOUS,
    ),
    "many_turns": evaluate(
        (
            spelled("a", "n " * turn + "y", label="parasocial", onset=25)
            for turn in (0, 3, 4, 7, 14, 19, 20, 22, 23, 24, 25, 26, 40, 60, 149)
        ),
        1,
        UNANIMOUS,
    ),
    "nothing": evaluate([], 5, UNANIMOUS),
}


def rendered(evaluation: Evaluation, width: int, *, colour: bool = False) -> str:
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        highlight=False,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        _environ={},
    )
    run = header(UNANIMOUS, evaluation.passes)
    render_evaluation(console, evaluation, run, published())
    return out.getvalue()


def check(found: str, name: str) -> None:
    """Compares with a golden file, which holds no space at the end of lines."""
    found = "".join(f"{line.rstrip()}\n" for line in found.splitlines())
    if "UPDATE_GOLDEN" in os.environ:
        (GOLDEN / name).write_text(found, "utf-8")
    assert found == (GOLDEN / name).read_text("utf-8")


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("name", EVALUATIONS)
def test_the_tables(name: str, width: int) -> None:
    check(rendered(EVALUATIONS[name], width), f"{name}.{width}.txt")


@pytest.mark.parametrize("name", EVALUATIONS)
def test_colour_adds_nothing_but_colour(name: str) -> None:
    coloured = rendered(EVALUATIONS[name], 80, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == rendered(EVALUATIONS[name], 80)


def test_sides_that_were_not_judged_are_named() -> None:
    log = [
        replace(each, turns=each.turns[::2], turns_selected=len(each.turns[::2]))
        for each in thirty()
    ]
    run = header()
    run = replace(run, protocol=replace(run.protocol, sides=Sides.PROMPTS))
    out = StringIO()
    found = evaluate(log, 5, UNANIMOUS)
    render_evaluation(Console(file=out, width=100), found, run, published())
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert lines[1] == "! Only prompts were judged"
    assert "parasocial responses    —            —            —" in lines
    assert (
        "The paper's figures do not stand beside these: its conversations have 20 turns each."
        in lines
    )


def test_an_output_that_has_only_ascii() -> None:
    written = BytesIO()
    out = TextIOWrapper(written, "ascii", newline="\n")
    console = Console(file=out, width=80, highlight=False, _environ={})
    render_evaluation(console, EVALUATIONS["paper_ledger"], header(), published())
    out.flush()
    check(written.getvalue().decode("ascii"), "paper_ledger.ascii.txt")


def test_a_label_that_the_encoding_lacks_is_spelled_out() -> None:
    written = BytesIO()
    out = TextIOWrapper(written, "ascii", newline="\n")
    found = evaluate([spelled("a", "y", label="über")], 1, UNANIMOUS)
    render_evaluation(Console(file=out, width=80, _environ={}), found, header(passes=1), None)
    out.flush()
    assert b"\\xfcber prompts" in written.getvalue()


def test_without_the_paper_nothing_speaks_of_it() -> None:
    out = StringIO()
    console = Console(file=out, width=80)
    render_evaluation(console, EVALUATIONS["thirty"], header(), None)
    assert "paper" not in out.getvalue()
    assert "(10)" not in out.getvalue()


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=120), st.sampled_from([80, 100, 160]))
def test_labels_can_neither_steer_the_terminal_nor_widen_the_page(label: str, width: int) -> None:
    log = [spelled("a", "yyy", label=label), spelled("b", "nyn", label="parasocial", onset=1)]
    found = rendered(evaluate(log, 3, Rule("2")), width)
    lines = found.split("\n")
    assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & {category(char) for char in "".join(lines)}
    assert max(map(cell_len, lines)) <= width
