"""The manifest of an evidence folder, `manifest.v1`: what was run, and the digest of every file."""

from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from chaperone_cli.codec.fields import Node
from chaperone_cli.domain.run import Ending

CONTRACT = "manifest.v1"
NAME = "manifest.json"


@dataclass(frozen=True)
class Digested:
    """A file with its digest."""

    path: str
    """An output's name in the folder; an input's path as the reports name it."""
    bytes: int | None
    """Its length; None of a stream, which cannot be read twice."""
    sha256: str | None
    """Hexadecimal; None of a stream."""


@dataclass(frozen=True)
class Manifest:
    """What an evidence folder holds and came from."""

    version: str
    """Of chaperone."""
    started_at: str
    """ISO 8601, UTC."""
    ending: Ending
    evaluator: str
    evaluator_version: str
    rubric: str
    rubric_digest: str
    quotes: bool
    """Whether the reports may hold flagged spans of conversations."""
    hashed_ids: bool
    """Whether ids and file names are keyed hashes."""
    inputs: tuple[Digested, ...]
    files: tuple[Digested, ...]


def digest_file(path: Path, name: str) -> Digested:
    """Digests a file under `name`; raises OSError."""
    with path.open("rb") as file:
        found = file_digest(file, sha256).hexdigest()
        return Digested(name, file.tell(), found)


def encode(manifest: Manifest) -> dict[str, Any]:
    """Gives the `manifest.v1` document of `manifest`."""
    return {
        "schema": CONTRACT,
        "version": manifest.version,
        "started_at": manifest.started_at,
        "ending": manifest.ending.value,
        "evaluator": {"name": manifest.evaluator, "version": manifest.evaluator_version},
        "rubric": {"id": manifest.rubric, "digest": manifest.rubric_digest},
        "quotes": manifest.quotes,
        "hashed_ids": manifest.hashed_ids,
        "inputs": [_encode_digested(one) for one in manifest.inputs],
        "files": [_encode_digested(one) for one in manifest.files],
    }


def _encode_digested(one: Digested) -> dict[str, Any]:
    return {"path": one.path, "bytes": one.bytes, "sha256": one.sha256}


def decode(document: Node) -> Manifest:
    """Reads a `manifest.v1` document; raises InputError."""
    document.contract(CONTRACT)
    document.only(*_KEYS)
    evaluator, rubric = document.get("evaluator"), document.get("rubric")
    return Manifest(
        version=document.get("version").text(),
        started_at=document.get("started_at").text(),
        ending=document.get("ending").choice(Ending),
        evaluator=evaluator.get("name").text(),
        evaluator_version=evaluator.get("version").text(),
        rubric=rubric.get("id").text(),
        rubric_digest=rubric.get("digest").text(),
        quotes=document.get("quotes").flag(),
        hashed_ids=document.get("hashed_ids").flag(),
        inputs=tuple(_decode_digested(one) for one in document.get("inputs").items()),
        files=tuple(_decode_output(one) for one in document.get("files").items()),
    )


_KEYS = (
    *("schema", "version", "started_at", "ending", "evaluator", "rubric"),
    *("quotes", "hashed_ids", "inputs", "files"),
)


def _decode_digested(node: Node) -> Digested:
    node.only("path", "bytes", "sha256")
    length, digest = node.get("bytes").nullable(), node.get("sha256").nullable()
    return Digested(
        node.get("path").text(),
        None if length is None else length.integer(),
        None if digest is None else digest.text(),
    )


_NO_NAMES = ("", ".", "..")


def _decode_output(node: Node) -> Digested:
    """Reads what is said of a file in the folder: a manifest must not lead out of it."""
    found = _decode_digested(node)
    if found.path in _NO_NAMES or any(sign in found.path for sign in "/\\\0"):
        raise node.get("path").error("the name of a file in the folder")
    if found.bytes is None or found.sha256 is None:
        raise node.error("the length and the digest of a file")
    return found
