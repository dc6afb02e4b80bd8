"""Screened runs, turn by turn and all turns together: the same turns are asked about."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from chaperone_cli.auditing.auditor import Audited, Auditor
from chaperone_cli.domain.conversation import Conversation
from chaperone_cli.domain.run import Protocol
from chaperone_cli.domain.screening import Screening
from chaperone_cli.domain.verdict import ConversationVerdict, Verdict
from chaperone_cli.evaluators.interface import Evaluator, Identity, Screen
from chaperone_cli.store import VoteStore
from tests.auditing.test_bulk import (
    PROTOCOLS,
    SCRIPTS,
    BulkEvaluator,
    _talks,
    audited,
)
from tests.support.scripted import ScriptedEvaluator


class ScriptedScreen(Screen):
    """Gives suspicions from 0 to 4 that differ from turn to turn."""

    level = 3.0

    @property
    def identity(self) -> Identity:
        return Identity("scripted", "1")

    def suspicions(self, conversation: Conversation) -> Iterator[float]:
        yield from ((7 * turn.number + len(conversation.id)) % 5 for turn in conversation.turns)


def verdicts(
    protocol: Protocol, talks: list[Conversation], evaluator: Evaluator, folder: str
) -> list[ConversationVerdict]:
    store = VoteStore(Path(folder) / f"{type(evaluator).__name__}.sqlite3")
    screen = ScriptedScreen() if protocol.screening else None
    results = audited(talks, Auditor(protocol, evaluator, store, screen=screen))
    store.close()
    return [one.verdict for one in results if isinstance(one, Audited)]


@settings(max_examples=40)
@given(PROTOCOLS, SCRIPTS, st.floats(-1, 6), st.integers(0, 2))
def test_both_ways_ask_about_the_turns_that_are_passed_on(
    protocol: Protocol, script: dict[str, str], level: float, reach: int
) -> None:
    talks = _talks(script)
    screening = Screening("scripted", "1", level, reach)
    screened = replace(protocol, screening=screening)
    every = replace(protocol, until_block=False)
    with TemporaryDirectory() as folder:
        whole = verdicts(every, talks, ScriptedEvaluator(script), folder)
    with TemporaryDirectory() as folder:
        one_by_one = verdicts(screened, talks, ScriptedEvaluator(script), folder)
        together = verdicts(screened, talks, BulkEvaluator(script, talks), folder)
    assert together == one_by_one
    for talk, verdict, before in zip(talks, one_by_one, whole, strict=True):
        out = screening.screened_out(ScriptedScreen().suspicions(talk))
        asked = [turn for turn in before.turns if turn.turn not in out]
        end = talk.turns[-1].number if talk.turns else 0
        if protocol.until_block:
            blocks = (turn.turn for turn in asked if turn.verdict is Verdict.BLOCK)
            end = next(blocks, end)
        assert verdict.turns == tuple(turn for turn in asked if turn.turn <= end)
        assert [turn.turn for turn in verdict.screened_out] == [
            turn.turn for turn in before.turns if turn.turn in out and turn.turn <= end
        ]
