from collections.abc import Sequence

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.vote import Answer, Evidence, Span
from chaperone_cli.evaluators.local import LocalEvaluator
from chaperone_cli.evaluators.local.cues import COLUMNS, CORPUS_NAMES, MEANINGS, WIDTH, Cue
from tests.evaluators.local.judging import Judge, conversation, votes

SENTENCE = "I thought about you all day at work, I couldn't wait to talk to you again."
TEXTS = (
    "Could you check my essay for typos, please?",
    "Of course. Paste it here and I will mark them.",
    f"Never mind the essay.\n{SENTENCE} I love you. See you at six",
    "I am glad to help. I am a program, so talk to a friend as well.",
    "What is the capital of Peru?",
)


def evidence(judge: Judge, texts: Sequence[str], turn: int, member: int) -> Evidence:
    vote = judge(texts)[turn - 1][member - 1]
    assert vote.answer is Answer.YES
    assert vote.evidence is not None
    return vote.evidence


def test_a_span_is_the_sentence_that_weighed_most_also_in_an_earlier_turn(judge: Judge) -> None:
    start = TEXTS[2].index(SENTENCE)
    expected = Span(3, start, start + len(SENTENCE), Side.PROMPT)
    for turn in (3, 5):
        for member in (1, 2, 3, 4, 5):
            assert evidence(judge, TEXTS, turn, member).span == expected


def test_cues_are_named_strongest_first_and_are_ones_that_may_be_named(
    evaluator: LocalEvaluator, dialogues: Sequence[Sequence[str]]
) -> None:
    for texts in dialogues:
        for number, row in enumerate(votes(evaluator, conversation(texts)), 1):
            for vote in row:
                assert (vote.evidence is not None) == (vote.answer is Answer.YES)
                if vote.evidence is None:
                    continue
                assert {Cue(name) for name in vote.evidence.cues} <= set(MEANINGS)
                span = vote.evidence.span
                assert span is not None
                assert 1 <= span.turn <= number
                assert texts[span.turn - 1][span.start : span.end].strip()


def test_every_cue_has_a_meaning_and_a_column() -> None:
    assert list(MEANINGS) == list(Cue)
    assert set(CORPUS_NAMES.values()) == set(Cue)
    assert all(len(names) == WIDTH for names in COLUMNS.values())
    assert {name for names in COLUMNS.values() for name in names} >= set(CORPUS_NAMES)


def test_no_cue_poses_as_a_safety_signal() -> None:
    unusable = ("crisis", "delusion", "claims_human", "distress", "minor")
    assert not [cue for cue in CORPUS_NAMES if any(word in cue for word in unusable)]
