import json
from pathlib import Path

import pytest

from chaperone_cli.evaluators.local import LocalEvaluator, model
from tests.evaluators.local.judging import Judge, conversation, votes

DIALOGUES = Path(__file__).parents[3] / "training" / "data" / "dialogues"


@pytest.fixture(scope="session")
def evaluator() -> LocalEvaluator:
    return LocalEvaluator()


@pytest.fixture(scope="session")
def loaded() -> model.Model:
    return model.Source.at(None).model


@pytest.fixture(scope="session")
def judge(evaluator: LocalEvaluator) -> Judge:
    return lambda texts: votes(evaluator, conversation(texts))


@pytest.fixture(scope="session")
def dialogues() -> tuple[tuple[str, ...], ...]:
    """The texts of every twelfth training dialogue; all of them start with the user."""
    files = sorted(DIALOGUES.glob("*.jsonl"))
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    every = [json.loads(line)["turns"] for line in lines[::12]]
    return tuple(
        tuple(turn["content"] for turn in turns) for turns in every if turns[0]["role"] == "user"
    )
