"""The labelled messages and short exchanges that the local evaluator can learn from."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
MESSAGES = sorted((ROOT / "training" / "data" / "messages").glob("*.jsonl"))
SAMPLES = sorted((ROOT / "sample_logs").glob("*.jsonl"))
ALIKE = 0.6
"""Share of a message's runs of words from which it is a near-copy."""
RUN = 5
FEWEST = 4
"""Runs below which a message is too short to tell."""


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def runs(text: str) -> set[str]:
    words = re.findall(r"[\w']+", text.lower())
    return {" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}


def test_every_message_has_an_answer_a_turn_and_a_label_that_follows() -> None:
    seen: set[str] = set()
    for path in MESSAGES:
        for row in read(path):
            assert row["id"].startswith(f"{path.stem}-")
            assert row["id"] not in seen
            seen.add(row["id"])
            votes, roles = row["votes"], [turn["role"] for turn in row["turns"]]
            assert len(votes) == len(roles)
            assert all(0 <= vote <= 1 for vote in votes)
            assert all(one != two for one, two in pairwise(roles))
            assert all(turn["content"].strip() for turn in row["turns"])
            yes = [number for number, vote in enumerate(votes, 1) if vote > 0.5]
            assert row["label"] == ("parasocial" if yes else "neutral")
            assert row["onset"] == (yes[0] if yes else None)
            assert row["readings"] == (1 if path.stem == "long-replies" else 3)
    assert len(seen) == 10_635


def test_no_message_is_a_near_copy_of_a_prompt_in_the_sample_logs() -> None:
    known = Counter[str]()
    for path in SAMPLES:
        for row in read(path):
            for turn in row.get("turns", ()):
                if turn["role"] == "user":
                    known.update(runs(turn["content"]))
    for path in MESSAGES:
        for row in read(path):
            for turn in row["turns"]:
                found = runs(turn["content"])
                if turn["role"] == "user" and len(found) >= FEWEST:
                    assert sum(run in known for run in found) / len(found) < ALIKE, row["id"]
