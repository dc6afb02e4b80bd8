"""Fuzzes every reader with coverage as its guide; run from a checkout.

    python -m tests.fuzz.target [FORMAT] [-max_total_time=60] [CORPUS_FOLDER]

Further options are those of libFuzzer. The sample exports are the first inputs. A finding is any
exception that the reader raises, a problem or conversation that cannot be written, and a problem
that carries 20 characters of a turn.
"""

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

with atheris.instrument_imports(include=["chaperone_cli"]):
    from chaperone_cli.codec.conversation import to_line
    from chaperone_cli.codec.report import encode_problem
    from chaperone_cli.domain.branches import Branches
    from chaperone_cli.domain.conversation import Conversation
    from chaperone_cli.readers import FORMATS, LogReader

import orjson

EXPORTS = Path(__file__).parents[2] / "sample_logs" / "formats"
LINE_LIMIT = 1 << 16
_TOO_DEEP = 250
"""Brackets that orjson still writes; `chaperone convert` says so of more."""


class Target:
    """Reads one input at a time as `format`, or as whatever its content says."""

    def __init__(self, path: Path, format: str | None) -> None:
        self._path = path
        self._format = format

    def __call__(self, data: bytes) -> None:
        self._path.write_bytes(data)
        items = list(
            LogReader(
                [str(self._path)],
                format=self._format,
                line_limit=LINE_LIMIT,
                branches=Branches.ALL,
            )
        )
        told, said = [], []
        for item in items:
            if isinstance(item, Conversation):
                said += [turn.text for turn in item.turns]
                with contextlib.suppress(TypeError) if data.count(b"[") > _TOO_DEEP else _never():
                    to_line(item)
            else:
                told.append(item.message)
                orjson.dumps(encode_problem(item))
        _check_privacy(told, said)


def _never() -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


def _check_privacy(told: list[str], said: list[str]) -> None:
    for message in told:
        for text in said:
            stretches = (text[start : start + 20] for start in range(max(len(text) - 19, 0)))
            leaked = next((each for each in stretches if each in message), None)
            assert leaked is None, "a problem carries text of a turn"


def main() -> None:
    args = sys.argv[1:]
    named = args.pop(0) if args and args[0] in FORMATS else None
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        shutil.copytree(EXPORTS, corpus)
        target = Target(Path(folder) / "input", named)
        atheris.Setup([sys.argv[0], *args, str(corpus)], target)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
