"""Commands start light: nothing heavy is imported before it is needed."""

import subprocess
import sys

import pytest

HEAVY = ("anthropic", "numpy", "jsonschema", "asyncio", "rich.table", "orjson")


def imported(*args: str) -> set[str]:
    """Gives the modules that a command has imported by its end."""
    program = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr))\n"
        "from chaperone_cli.cli.main import main\n"
        f"sys.argv = {['chaperone', *args]!r}\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    return set(done.stderr.decode().split())


def test_the_version_imports_nothing_heavy() -> None:
    assert imported("--version").isdisjoint(HEAVY)


def test_the_help_imports_nothing_heavy_but_its_tables() -> None:
    assert imported("--help").isdisjoint(set(HEAVY) - {"rich.table"})


@pytest.mark.parametrize(
    "command",
    [
        ("audit", "sample_logs/thirty.jsonl"),
        ("audit", "sample_logs/thirty.jsonl", "--evaluator", "recorded"),
        ("evaluate", "sample_logs/thirty.jsonl", "--evaluator", "recorded"),
        ("show", "sample_logs/thirty.jsonl", "--conversation", "neutral-01"),
        ("validate", "sample_logs/thirty.jsonl"),
        ("rubrics",),
    ],
)
def test_no_command_imports_anthropic_without_calling_it(command: tuple[str, ...]) -> None:
    assert "anthropic" not in imported(*command)
