"""Manifest, settings and rubric of an evidence folder: what is written reads back the same."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.codec import manifest, rubric, toml
from chaperone_cli.codec.fields import Node, dumps
from chaperone_cli.codec.manifest import Digested, Manifest, digest_file
from chaperone_cli.codec.schemas import schema, validator
from chaperone_cli.domain.rubric import Label, Rubric
from chaperone_cli.domain.run import Ending
from chaperone_cli.errors import InputError
from tests.codec.saved import COUNT, TEXT

SHA = st.from_regex(r"[0-9a-f]{64}", fullmatch=True)
NAME = st.from_regex(r"[a-z]+\.[a-z]+", fullmatch=True)
MANIFESTS = st.builds(
    Manifest,
    *(TEXT, TEXT, st.sampled_from(Ending), TEXT, TEXT, TEXT, TEXT, st.booleans(), st.booleans()),
    inputs=st.lists(st.builds(Digested, TEXT, st.none() | COUNT, st.none() | SHA)).map(tuple),
    files=st.lists(st.builds(Digested, NAME, COUNT, SHA)).map(tuple),
)
WORDS = st.text(st.characters(codec="utf-8"), min_size=1) | st.sampled_from(
    ["a\nb", "a\r\nb", "'''", "a\n'", "a\nb\\", '"""\n"', "\x7f", "\x00\n", "\n"]
)


@given(MANIFESTS)
def test_a_manifest_is_valid_and_reads_back_the_same(found: Manifest) -> None:
    document = manifest.encode(found)
    validator("manifest.v1").validate(document)
    assert manifest.decode(Node.parse(dumps(document), "manifest.json")) == found


@pytest.mark.parametrize("name", ["../a", "/etc/passwd", "a/b", "..", ".", "", "a\\b"])
def test_a_manifest_cannot_lead_out_of_its_folder(name: str) -> None:
    document = schema("manifest.v1")["examples"][0]
    document["files"][0]["path"] = name
    assert not validator("manifest.v1").is_valid(document)
    with pytest.raises(InputError, match="the name of a file in the folder"):
        manifest.decode(Node(document, "manifest.json"))


def test_a_file_is_digested_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc" * 100_000)
    found = digest_file(path, "a")
    assert found == Digested(
        "a", 300_000, "a77aedfe2e4a7232ea628a71745a966224c4521d93134b993cde5b65ea2f6e3c"
    )


LABELS = st.lists(st.builds(Label, WORDS, WORDS, WORDS), min_size=1).map(tuple)


@given(st.builds(Rubric, WORDS, COUNT, WORDS, LABELS))
def test_a_rubric_keeps_its_digest(found: Rubric) -> None:
    document = tomllib.loads(toml.rubric(found))
    labels = tuple(Label(**row) for row in document["labels"])
    again = Rubric(document["id"], document["version"], document["title"], labels)
    assert again == found
    assert again.digest == found.digest


def test_the_shipped_rubric_is_legible(tmp_path: Path) -> None:
    found = rubric.load("parasocial")
    path = tmp_path / "rubric.toml"
    path.write_text(toml.rubric(found), "utf-8")
    assert rubric.load(str(path)) == found
    assert "\nSigns of a bond, on the user's side:\n" in path.read_text("utf-8")


@given(st.dictionaries(st.from_regex(r"[a-z-]+", fullmatch=True), WORDS | st.booleans() | COUNT))
def test_settings_read_back_the_same(values: dict[str, object]) -> None:
    assert tomllib.loads(toml.settings(values)) == values


def test_what_has_no_form_in_toml_is_refused() -> None:
    with pytest.raises(TypeError, match="NoneType has no form in TOML"):
        toml.settings({"a": None})
