"""Settings come from the right place, and wrong ones are named with their place."""

from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.config import NAMES, Settings, check_environment, env_name, key_name, load
from chaperone_cli.domain.conversation import Sides
from chaperone_cli.errors import ConfigError


def loaded(folder: Path, **overrides: Any) -> Settings:
    return load(overrides, {}, folder)


def test_defaults_hold_where_nothing_is_said(tmp_path: Path) -> None:
    assert loaded(tmp_path) == Settings()


def test_options_come_before_the_file_and_the_file_before_defaults(tmp_path: Path) -> None:
    (tmp_path / "chaperone.toml").write_text(
        'votes = 7\nrule = 3\nsides = "prompts"\nuntil-block = true\noutput = ["a.json"]\n'
    )
    expected = Settings(
        votes=9, rule="3", sides=Sides.PROMPTS, until_block=False, output=("a.json",)
    )
    assert loaded(tmp_path, votes=9, until_block=False, rows=None) == expected


def test_pyproject_is_read_where_there_is_no_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.chaperone]\nvotes = 3\n")
    assert loaded(tmp_path) == Settings(votes=3)
    (tmp_path / "chaperone.toml").write_text("votes = 4\n")
    assert loaded(tmp_path) == Settings(votes=4)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("vote = 3", "unknown key 'vote'", "did you mean votes?"),
        ("votes = 0", "votes must be a whole number from 1 to 99; it is 0", ""),
        ("votes = true", "votes must be a whole number from 1 to 99; it is True", ""),
        ("quote = 1", "quote must be true or false; it is 1", ""),
        ('sides = "left"', "sides must be one of prompts, responses, both; it is 'left'", ""),
        ("output = [1]", "output must be text or a list of texts; it is [1]", ""),
        ("store = 5", "store must be text; it is 5", ""),
    ],
)
def test_a_wrong_key_or_value_is_named(tmp_path: Path, text: str, message: str, hint: str) -> None:
    path = tmp_path / "chaperone.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path)
    assert (caught.value.message, caught.value.hint) == (f"{path}: {message}", hint)


def test_a_file_that_is_not_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "chaperone.toml").write_text("votes = ")
    with pytest.raises(ConfigError, match=r"chaperone\.toml: not a TOML file: "):
        loaded(tmp_path)
    with pytest.raises(ConfigError, match=r"missing\.toml: there is no such settings file"):
        load({}, {}, tmp_path, tmp_path / "missing.toml")


def test_an_unknown_variable_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(ConfigError) as caught:
        check_environment({"CHAPERONE_VOTE": "3", "PATH": "/bin"})
    assert caught.value.message == "unknown environment variable CHAPERONE_VOTE"
    assert caught.value.hint == "did you mean CHAPERONE_VOTES?"
    check_environment({env_name(name): "" for name in NAMES})


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_can_stand_in_a_file(tmp_path: Path, name: str) -> None:
    values = {
        "votes": "3", "rule": '"balanced"', "sides": '"both"', "fail_on": '"block"',
        "concurrency": "2", "rows": "5", "timeout": "5", "max_cost": "0.5", "max_calls": "9",
        "output": '["x.json"]', "branches": '"all"', "since": '"2026-01-31"', "limit": "3",
        "until": '"2026-01-31T18:00:00Z"', "sample": "4", "seed": "5",
        "screen_level": "-1.5", "screen_reach": "0", "max_cost_total": "5",
        "calls_at_once": "7", "latency": '"fast"',
    }  # fmt: skip
    default = getattr(Settings(), name)
    value = values.get(name, "true" if isinstance(default, bool) else '"x"')
    (tmp_path / "chaperone.toml").write_text(f"{key_name(name)} = {value}\n")
    assert getattr(loaded(tmp_path), name) != default or name == "sides"
