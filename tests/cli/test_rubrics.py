"""`chaperone rubrics` lists the questions and shows one whole."""

from chaperone_cli.codec import rubric
from tests.support.cli import Chaperone


def test_rubrics_are_listed_and_shown(chaperone: Chaperone) -> None:
    parasocial = rubric.load("parasocial")
    listed = chaperone("rubrics").out
    assert f"parasocial version {parasocial.version}: {parasocial.title}" in listed
    assert parasocial.digest in listed
    shown = chaperone("rubrics", "parasocial", env={"COLUMNS": "200"}).out
    assert parasocial.labels[0].question in shown
    assert shown.split() == [
        *listed.split(),
        *f"{parasocial.labels[0].question} {parasocial.labels[0].guidance}".split(),
    ]


def test_an_evaluator_is_not_asked_what_it_cannot_answer(chaperone: Chaperone) -> None:
    chaperone.write(
        "mine.toml",
        'id = "mine"\nversion = 1\ntitle = "Mine"\n[[labels]]\nid = "mine"\n'
        'question = "Is it?"\nguidance = "It is."\n',
    )
    outcome = chaperone("audit", "log.jsonl", "--rubric", "mine.toml")
    assert (outcome.code, outcome.err) == (
        2,
        "error: the local evaluator cannot answer rubric 'mine'\n"
        "  hint: it answers parasocial; choose another --evaluator\n",
    )
    assert chaperone("rubrics", "none").code == 2
