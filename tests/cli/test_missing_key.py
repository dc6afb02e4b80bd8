"""A key that is missing is told before anything is judged, unless the store has every answer."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from chaperone_cli.codec import rubric
from chaperone_cli.domain.conversation import Conversation, PrefixHasher
from chaperone_cli.domain.vote import NO, YES
from chaperone_cli.evaluators.claude.evaluator import ClaudeEvaluator, Options
from chaperone_cli.readers import LogReader
from chaperone_cli.store import VoteStore, vote_key
from tests.cli.test_claude import line
from tests.support.cli import Chaperone

TALKS = (
    line("a", "I love you so much.", "I will always be here."),
    line("b", "Hello", "Hi", "Bye"),
)
REFUSED = (
    "error: there is no API key for the claude evaluator\n"
    "  hint: set ANTHROPIC_API_KEY, or name a server that needs none with --base-url\n"
)
CLAUDE = ("--evaluator", "claude", "--store", "votes.sqlite3", "--votes", "3")
COMMANDS = {
    "audit": ("audit", "log.jsonl", "-o", "out.json"),
    "explain": ("audit", "log.jsonl", "--explain", "-o", "out.json"),
    "batch": ("audit", "log.jsonl", "--batch", "-o", "out.json"),
    "detach": ("audit", "log.jsonl", "--batch", "--detach", "-o", "out.json"),
    "screen": ("audit", "log.jsonl", "--screen", "local", "-o", "out.json"),
    "evaluate": ("evaluate", "log.jsonl", "-o", "out.json"),
    "calibrate": ("calibrate", "log.jsonl", "-o", "out.json"),
    "rephrase": ("rephrase", "log.jsonl", "--all", "-o", "out.json"),
    "show": ("show", "log.jsonl", "--conversation", "a"),
}


@pytest.fixture
def log(chaperone: Chaperone) -> Path:
    return chaperone.write("log.jsonl", *TALKS)


def store_votes(folder: Path, ids: Iterable[str]) -> None:
    """Files the votes of the vendor's model on conversations: yes on everything that says love."""
    known = rubric.load("parasocial")
    digest = ClaudeEvaluator(Options()).identity.digest
    store = VoteStore(folder / "votes.sqlite3")
    for one in LogReader([str(folder / "log.jsonl")]):
        assert isinstance(one, Conversation)
        prefixes = PrefixHasher(one)
        for turn in one.turns:
            prefix = prefixes.up_to(turn)
            vote = YES if "love" in one.turns[0].text else NO
            for number in (1, 2, 3) if one.id in ids else ():
                store.add(vote_key(prefix, known.digest, digest, number), vote)
    store.close()


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_told_before_anything_else(chaperone: Chaperone, name: str) -> None:
    before = sorted(path.name for path in chaperone.folder.iterdir())
    outcome = chaperone(*COMMANDS[name], *CLAUDE)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", REFUSED)
    left = {path.name for path in chaperone.folder.iterdir()} - {*before}
    assert all(name.startswith("votes.sqlite3") for name in left)


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_store_that_lacks_a_vote_does_not_do(chaperone: Chaperone, name: str) -> None:
    store_votes(chaperone.folder, {"b"} if name in ("show", "screen") else {"a"})
    outcome = chaperone(*COMMANDS[name], *CLAUDE)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", REFUSED)
    assert not list(chaperone.folder.glob("out*"))


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("name", "code"), {"audit": 10, "batch": 10, "evaluate": 0, "calibrate": 0, "show": 0}.items()
)
def test_a_store_that_has_every_vote_needs_no_key(
    chaperone: Chaperone, name: str, code: int
) -> None:
    store_votes(chaperone.folder, {"a", "b"})
    outcome = chaperone(*COMMANDS[name], *CLAUDE)
    wrote = "" if name == "show" else "wrote out.json\n"
    assert (outcome.code, outcome.err) == (code, wrote)
    if name == "audit":
        usage = json.loads((chaperone.folder / "out.json").read_text())["usage"]
        assert usage["votes_asked"] == 0
        assert usage["votes_from_store"] > 0


def test_of_a_stream_it_is_told_at_the_first_vote_that_is_missing(
    chaperone: Chaperone, log: Path
) -> None:
    store_votes(chaperone.folder, {"a"})
    args = ("audit", "-", *CLAUDE, "-o", "out.json")
    whole = chaperone(*args, stdin=log.read_bytes().splitlines(keepends=True)[0])
    assert (whole.code, whole.err) == (10, "wrote out.json\n")
    assert chaperone(*args, stdin=log.read_bytes()).code == 2


@pytest.mark.usefixtures("log")
def test_a_forecast_needs_none(chaperone: Chaperone) -> None:
    outcome = chaperone("audit", "log.jsonl", *CLAUDE, "--dry-run")
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.parametrize("store", [("--store", "votes.sqlite3"), ("--no-store",)])
def test_of_a_stream_it_is_told_at_once_where_nothing_is_stored(
    chaperone: Chaperone, log: Path, store: tuple[str, ...]
) -> None:
    args = ("audit", "-", "--evaluator", "claude", *store, "-o", "out.json")
    outcome = chaperone(*args, stdin=log.read_bytes())
    assert (outcome.code, outcome.out, outcome.err) == (2, "", REFUSED)
