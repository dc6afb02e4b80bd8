"""What every test stands on: a scrubbed environment, no network, no store of the user's."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.cli import Chaperone

SAMPLES = Path(__file__).parents[1] / "sample_logs"

settings.register_profile("chaperone", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# A run of CI tells of the change it checks: it draws the same examples every time.
settings.register_profile("ci", settings.get_profile("chaperone"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "chaperone")


@pytest.fixture(autouse=True)
def _scrubbed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("CHAPERONE_", "ANTHROPIC_")) or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    # The usual store of whoever runs the tests is out of reach.
    for name in ("HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family == socket.AF_INET and not str(address[0]).startswith("127."):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def chaperone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Chaperone:
    """The command line in this process, run in an empty folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    return Chaperone(folder, monkeypatch, capfdbinary)


@pytest.fixture
def samples() -> Path:
    """The folder of sample logs."""
    return SAMPLES
