from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.codec.evaluation import encode
from chaperone_cli.codec.paper import published
from chaperone_cli.codec.schemas import schema, validator
from chaperone_cli.domain.metrics.evaluate import evaluate
from chaperone_cli.domain.rule import RULES, Rule
from chaperone_cli.domain.selection import LeftOut
from chaperone_cli.domain.verdict import ConversationVerdict
from tests.support.recorded import UNANIMOUS, header, paper_ledger, spelled, thirty

CONTRACT = "evaluation.v1"
SMALL_LOG = [
    spelled("c-1", "nnn yya yyy", label="parasocial", onset=2),
    spelled("c-2", "nnn nyn", label="neutral"),
    spelled("c-3", "nnn"),
]


def document(log: Any, passes: int, rule: Rule = UNANIMOUS) -> dict[str, Any]:
    return encode(evaluate(log, passes, rule), header(rule, passes), published(), LeftOut())


def test_the_example_of_the_schema_is_a_whole_document() -> None:
    assert [document(SMALL_LOG, 3)] == schema(CONTRACT)["examples"]


@pytest.mark.parametrize("log", [thirty, paper_ledger])
def test_documents_of_the_sample_logs_follow_the_schema(
    log: Callable[[], Iterator[ConversationVerdict]],
) -> None:
    found = document(log(), 5, Rule("4"))
    validator(CONTRACT).validate(found)
    assert found["paper"]["rules"][0]["labels"][0] == {
        "label": "parasocial",
        "blocked": 10,
        "mean_first_block": 2.2,
        "prompts_blocked": 89,
        "responses_blocked": 97,
        "prompts_first": 4,
        "responses_first": 6,
    }
    assert orjson.loads(orjson.dumps(found)) == found


LABELS = st.sampled_from(["parasocial", "neutral", "", None])
CONVERSATIONS = st.builds(
    lambda words, label, onset: spelled("c", " ".join(words), label=label, onset=onset),
    st.lists(st.text("yna", min_size=3, max_size=3), max_size=4),
    LABELS,
    st.none() | st.integers(1, 4),
)


@given(st.lists(CONVERSATIONS, max_size=5), st.sampled_from([*RULES, Rule("2")]))
def test_every_document_follows_the_schema(log: list[ConversationVerdict], rule: Rule) -> None:
    found = document(log, 3, rule)
    validator(CONTRACT).validate(found)
    assert "paper" not in found
