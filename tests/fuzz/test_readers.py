"""A short, bounded run of the fuzzer; longer ones are started by hand."""

import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = 5


def test_a_short_run_finds_nothing(tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.target",
        f"-max_total_time={SECONDS}",
        "-rss_limit_mb=0",
    ]
    run = subprocess.run(
        [*command, f"-artifact_prefix={tmp_path}/"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=20 * SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert list(tmp_path.iterdir()) == []
