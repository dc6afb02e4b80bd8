"""The command line as tests drive it: the real entry point, with what it printed and returned."""

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from chaperone_cli.cli.main import main


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str


class Chaperone:
    """Runs `chaperone ARGS` in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capture: pytest.CaptureFixture[bytes],
    ) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capture = capture

    def __call__(
        self, *args: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> Outcome:
        """Runs the command in this process and gives exit code, stdout and stderr."""
        with self._monkeypatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(sys, "argv", ["chaperone", *map(str, args)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            self._capture.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
        out, err = self._capture.readouterr()
        code = ended.value.code
        return Outcome(int(code or 0), out.decode(), err.decode())

    def write(self, name: str, *lines: str) -> Path:
        """Writes a file of `lines` into the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return path


def spawn(
    *args: str | Path, module: str = "chaperone_cli", **env: str
) -> "subprocess.Popen[bytes]":
    """Starts `python -m MODULE ARGS` as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **env},
        cwd=Path(__file__).parents[2],
    )
