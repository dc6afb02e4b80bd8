"""The contracts are valid schemas, their examples hold, and what ships obeys them."""

import tomllib
from importlib import resources
from pathlib import Path

import orjson
import pytest
from jsonschema import Draft202012Validator

from chaperone_cli.codec import rubric
from chaperone_cli.codec.schemas import CONTRACTS, schema, validator
from chaperone_cli.errors import UsageError


def test_every_schema_file_is_a_contract() -> None:
    files = Path(__file__).parents[2].joinpath("schemas").glob("*.json")
    assert sorted(file.name for file in files) == sorted(f"{c}.schema.json" for c in CONTRACTS)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_contract_is_a_valid_schema_with_examples_that_hold(contract: str) -> None:
    document = schema(contract)
    Draft202012Validator.check_schema(document)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["$id"] == f"{contract}.schema.json"
    assert document["examples"]
    for example in document["examples"]:
        validator(contract).validate(example)


@pytest.mark.parametrize("name", rubric.shipped())
def test_shipped_rubrics_obey_their_contract(name: str) -> None:
    file = resources.files("chaperone_cli") / "data" / "rubrics" / f"{name}.toml"
    document = tomllib.loads(file.read_text("utf-8"))
    validator("rubric.v1").validate(document)
    assert rubric.load(name).id == name


@pytest.mark.parametrize(
    ("name", "contract"),
    [
        ("thirty.jsonl", "conversation.v1"),
        ("eighty.jsonl", "conversation.v1"),
        ("plain.jsonl", "conversation.v1"),
        ("forty.jsonl", "conversation.v1"),
        ("textbook.jsonl", "conversation.v1"),
        ("ninety.jsonl", "conversation.v1"),
        ("led.jsonl", "conversation.v1"),
        ("opening.jsonl", "conversation.v1"),
        ("thirty.votes.jsonl", "vote.v1"),
        ("led.votes.jsonl", "vote.v1"),
        ("paper_ledger.votes.jsonl", "vote.v1"),
    ],
)
def test_sample_logs_obey_their_contracts(samples: Path, name: str, contract: str) -> None:
    lines = (samples / name).read_bytes().splitlines()
    assert lines
    for line in lines:
        validator(contract).validate(orjson.loads(line))


def test_a_users_rubric_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('id = "mine"\nversion = 1\ntitle = "Mine"\nlabels = []\n')
    with pytest.raises(UsageError) as caught:
        rubric.load(str(path))
    assert caught.value.message == f"{path}: labels: [] should be non-empty"
    path.write_text("id = ")
    with pytest.raises(UsageError, match="the rubric is not valid TOML"):
        rubric.load(str(path))
    with pytest.raises(UsageError, match="the rubric cannot be read: No such file"):
        rubric.load(str(tmp_path / "none.toml"))


def test_a_rubrics_digest_follows_what_evaluators_are_told(tmp_path: Path) -> None:
    text = (
        'id = "mine"\nversion = 1\ntitle = "Mine"\n[[labels]]\nid = "mine"\n'
        'question = "Is it?"\nguidance = "It is."\n'
    )
    digest = rubric.decode(text, "mine").digest
    assert rubric.decode(f"# a comment\n{text}", "mine").digest == digest
    assert rubric.decode(text.replace('"Mine"', '"Another title"'), "mine").digest == digest
    assert rubric.decode(text.replace("It is.", "It is so."), "mine").digest != digest
    assert rubric.decode(text.replace("version = 1", "version = 2"), "mine").digest != digest
