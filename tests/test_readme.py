"""The README says what the program does: its output, its commands, its exit codes."""

import re
from pathlib import Path

import pytest

from chaperone_cli.cli.exit_codes import ExitCode
from chaperone_cli.cli.main import app
from chaperone_cli.config import NAMES, key_name
from chaperone_cli.readers import FORMATS
from tests.support.cli import Chaperone

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = [command.callback.__name__ for command in app.registered_commands if command.callback]


def timeless(text: str) -> str:
    return re.sub(r"\d+\.\d s", "# s", text)


def test_the_picture_of_output_is_real(
    chaperone: Chaperone, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert shown
    (chaperone.folder / "sample_logs").symlink_to(ROOT / "sample_logs")
    outcome = chaperone("audit", "sample_logs/thirty.jsonl", "--rows", "13", env={"COLUMNS": "80"})
    assert timeless(shown[1]).rstrip() == timeless(outcome.out).rstrip()
    assert outcome.code == 10


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert f"chaperone {command}" in README


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_documented(code: ExitCode) -> None:
    assert re.search(rf"^\| {code.value} \| ", README, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_an_option_of_audit(chaperone: Chaperone, name: str) -> None:
    assert f"--{key_name(name)}" in chaperone("audit", "--help", env={"COLUMNS": "200"}).out


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_can_be_tried(chaperone: Chaperone, format: str) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    found = re.findall(rf"^chaperone (convert \S+ -o -) +# {format}$", README, re.MULTILINE)
    assert len(found) == 1
    command = found[0].split()
    (chaperone.folder / "sample_logs").symlink_to(ROOT / "sample_logs")
    tried = chaperone(*command)
    assert (tried.code, bool(tried.out)) == (0, True)
    # Named, a format reads the file only if the file is of it.
    assert chaperone(*command, "--format", format) == tried


def test_every_link_to_a_file_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!http|#)([^)]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
