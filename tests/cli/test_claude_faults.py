"""What goes wrong with a server, as the command line shows it: exit codes, reports and money."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.codec.fields import Node
from chaperone_cli.codec.report import decode, encode
from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone, Outcome
from tests.support.standin import Standin, running

Night = Callable[..., Outcome]
NAMES = ("out.json", "out.md", "out.xml", "out.html", "out.sarif")


def line(name: str, *texts: str) -> str:
    roles = ("user", "assistant")
    turns = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return json.dumps({"id": name, "turns": turns})


def audit(chaperone: Chaperone, standin: Standin, *more: str) -> Outcome:
    outputs = [word for name in NAMES for word in ("-o", name)]
    claude = ("--evaluator", "claude", "--base-url", standin.url, "--store", "votes.sqlite3")
    return chaperone("audit", "log.jsonl", *claude, *outputs, *more)


def report(chaperone: Chaperone, name: str = "out.json") -> dict[str, Any]:
    data = (chaperone.folder / name).read_bytes()
    document: dict[str, Any] = json.loads(data)
    validator("report.v1").validate(document)
    assert encode(decode(Node.parse(data, "out.json"))) == document
    return document


def spend(chaperone: Chaperone, name: str = "out.json") -> dict[str, Any]:
    found: dict[str, Any] = report(chaperone, name)["usage"]["spend"]
    return found


def log(chaperone: Chaperone, count: int) -> Path:
    return chaperone.write(
        "log.jsonl", *(line(f"c{number}", f"hello {number}", "hi") for number in range(count))
    )


def test_nights_go_on_after_one_refused_conversation(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", line("odd", "hello", "the forbidden word", "bye"), line("b", "x"))
    with running(rule="no", rejects="forbidden") as standin:
        first = audit(chaperone, standin)
        summary = report(chaperone)["summary"]
        assert (first.code, summary["ending"]) == (11, "complete")
        assert summary["abstentions"]["rejected"] == 10
        assert "10 rejected" in first.out
        calls = len(standin.ledger.calls)
        second = audit(chaperone, standin)
        assert (second.code, len(standin.ledger.calls)) == (11, calls)
        assert report(chaperone)["summary"] == summary
        with (chaperone.folder / "log.jsonl").open("a") as file:
            file.write(line("new", "a new one") + "\n")
        third = audit(chaperone, standin)
        assert (third.code, len(standin.ledger.calls)) == (11, calls + 1)
        assert report(chaperone)["summary"]["conversations"]["pass"] == 2


def test_what_is_too_long_is_said_and_remembered(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", line("long", "hello", "on and on " * 4000, "bye"))
    with running(rule="no", max_input=3000) as standin:
        first = audit(chaperone, standin)
        said = "note: 2 turns of 1 conversation came after more text than claude-haiku-5-5 takes"
        assert (first.code, first.err.splitlines()[0]) == (
            11,
            f"{said} (3,000 tokens): nobody voted on them",
        )
        assert [call.status for call in standin.ledger.calls] == [200]
        second = audit(chaperone, standin)
        assert (second.code, len(standin.ledger.calls)) == (11, 1)
    [conversation] = report(chaperone)["conversations"]
    assert [turn["votes"] for turn in conversation["turns"]] == [[0], *[["too_long"] * 5] * 2]


def test_abstentions_are_asked_again_unless_they_are_to_be_kept(chaperone: Chaperone) -> None:
    log(chaperone, 3)
    with running(rule="no", script=("ok", "refusal")) as standin:
        first = audit(chaperone, standin, "--votes", "1")
        assert (first.code, len(standin.ledger.calls)) == (11, 6)
        kept = audit(chaperone, standin, "--votes", "1", "--keep-abstentions")
        assert (kept.code, len(standin.ledger.calls)) == (11, 6)
        healed = audit(chaperone, standin, "--votes", "1")
        assert (healed.code, len(standin.ledger.calls)) == (0, 7)


@pytest.mark.parametrize("fault", ["refusal", "gibberish", "bad_request", "internal"])
def test_a_server_of_no_use_ends_the_run_and_what_was_paid_is_shown(
    chaperone: Chaperone, fault: str
) -> None:
    log(chaperone, 100)
    chaperone.write("out.json", "of last night")
    with running(rule="no", faults={fault: 1.0}) as standin:
        outcome = audit(chaperone, standin, "--timeout", "2", "--concurrency", "8")
        calls = standin.ledger.calls
    assert outcome.code == 1
    assert len(calls) <= 25
    paid = sum(call.dollars for call in calls)
    *_, said, hint = outcome.err.splitlines()
    assert said.startswith(f"error: {standin.url} gives no usable reply: ")
    assert hint.startswith("  hint: `chaperone doctor` looks into it")
    if paid:
        assert f"; {len(calls)} calls, ${paid:.4f}" in said
        found = spend(chaperone, "out.incomplete.json")
        assert found["dollars"] == pytest.approx(paid, abs=1e-6)
        assert f"${paid:.4f}" in outcome.out
    assert (chaperone.folder / "out.json").read_text() == "of last night\n"


def test_every_place_that_shows_money_shows_what_may_come_on_top(chaperone: Chaperone) -> None:
    log(chaperone, 40)
    with running(rule="no", faults={"dropped": 0.2}, script=("ok",)) as standin:
        outcome = audit(chaperone, standin, "--concurrency", "8")
        billed = sum(call.dollars for call in standin.ledger.calls)
        lost = [call for call in standin.ledger.calls if call.fault == "dropped"]
    assert outcome.code == 0
    found = spend(chaperone)
    assert found["failed"] == found["unaccounted"] == len(lost) > 5
    assert found["dollars"] < billed <= found["dollars"] + found["written_off"]
    both = f"${found['dollars']:.4f} and at most ${found['written_off']:.4f} more for calls that"
    written = {name: (chaperone.folder / name).read_text("utf-8") for name in NAMES}
    for name in ("out.md", "out.xml"):
        assert both in written[name]
    assert both in " ".join(outcome.out.split())
    assert chaperone("report", "out.json").out == outcome.out
    figures = dict(re.findall(r'data-figure="(\w+)">([^<]*)<', written["out.html"]))
    assert ">US dollars at most on top, for calls that failed<" in written["out.html"]
    assert (figures["spend_dollars"], figures["spend_written_off"]) == (
        *(f"{found['dollars']:,}", f"{found['written_off']:,}"),
    )
    assert json.loads(written["out.sarif"])["runs"][0]["properties"]["spend"] == found


def test_a_cap_without_figures_holds_and_is_said_to_be_an_estimate(chaperone: Chaperone) -> None:
    log(chaperone, 60)
    with running(rule="no", reports_usage=False) as standin:
        outcome = audit(chaperone, standin, "--max-cost", "0.01")
        paid = sum(call.dollars for call in standin.ledger.calls)
    assert outcome.code == 13
    found = spend(chaperone, "out.incomplete.json")
    assert paid <= found["dollars"] <= 0.01
    assert found["estimated"] == found["calls"]
    said = "(all replies without figures, counted as the most they can be)"
    assert said in " ".join(outcome.out.split())
    assert said in outcome.err


def test_a_cap_over_all_runs(chaperone: Chaperone) -> None:
    with running(rule="no") as standin:
        codes, paid = [], []
        for night in range(1, 6):
            log(chaperone, 10 * night)
            codes.append(audit(chaperone, standin, "--max-cost-total", "0.0024").code)
            paid.append(sum(call.dollars for call in standin.ledger.calls))
        assert codes[0] == 0
        assert codes[-1] == 13
        assert paid[-1] <= 0.0024
        more = audit(chaperone, standin, "--max-cost-total", "0.01")
        assert more.code == 0
        total = sum(call.dollars for call in standin.ledger.calls)
    found = spend(chaperone)["all_runs"]
    assert found == pytest.approx(total, abs=1e-6)
    said = f", at most ${total:.4f} by all runs on this store"
    written = {name: (chaperone.folder / name).read_text("utf-8") for name in NAMES}
    assert said in " ".join(more.out.split())
    assert all(said in written[name] for name in ("out.md", "out.xml"))
    assert f'data-figure="spend_all_runs">{found:,}<' in written["out.html"]
    assert chaperone("report", "out.json").out == more.out
    refused = audit(chaperone, standin, "--max-cost-total", "1", "--no-store")
    assert (refused.code, refused.err) == (
        2,
        "error: --max-cost-total counts what is noted in the vote store, and there is none\n"
        "  hint: leave out --no-store, or limit this run alone with --max-cost\n",
    )
