"""A folder of its own for each test, named by relative paths so that problems read the same."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    place = tmp_path / "logs"
    place.mkdir()
    monkeypatch.chdir(place)
    return place
