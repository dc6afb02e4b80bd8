"""What `--latency fast` takes and saves on the thirty sample dialogues, at half a second a call."""

import sys
import tempfile
from pathlib import Path

from tests.benchmarks.claude_audit import Took, audited
from tests.benchmarks.claude_ground import LOG, VOTES, server

LATENCY = 0.5


def main() -> int:
    wrong = False
    for screen in ((), ("--screen",)):
        normal, fast = measure(*screen), measure("--fast", *screen)
        wrong |= normal.verdicts != fast.verdicts
        name = "with the screen" if screen else "without a screen"
        print(
            f"{name}: {normal.calls:,} calls and {normal.seconds:.0f} s, fast {fast.calls:,} calls "
            f"({fast.calls / normal.calls - 1:+.1%}) and {fast.seconds:.0f} s "
            f"({fast.seconds / normal.seconds - 1:+.0%}); verdicts "
            f"{'the same' if normal.verdicts == fast.verdicts else 'differ'}"
        )
    return wrong


def measure(*more: str) -> Took:
    with (
        tempfile.TemporaryDirectory() as folder,
        server("--votes", VOTES, "--latency", LATENCY) as standin,
    ):
        where = ("--base-url", standin.url, "--store", Path(folder) / "votes.sqlite3")
        return audited(LOG, *where, *more)


if __name__ == "__main__":
    sys.exit(main())
