"""Strategies: those that ship can be used, and a user's own is checked."""

import re
import tomllib
from pathlib import Path

import pytest

from chaperone_cli.codec import strategy
from chaperone_cli.codec.phrasebook import phrasebook, wording
from chaperone_cli.domain.strategy import filled
from chaperone_cli.errors import UsageError

OFFLINE = {"boundary", "crisis", "neutral", "redirect", "warm"}
MINE = 'id = "mine"\nversion = 1\ntitle = "Mine"\n[[steps]]\nid = "rewrite"\nask = "Rewrite."\n'
PHONE = re.compile(r"\d[\d ]{2,}\d|\b\d{3}\b")


def texts(file: Path) -> list[str]:
    """Gives what a strategy says or asks, without its title and its bounds."""
    document = tomllib.loads(file.read_text("utf-8"))
    offline = [text for text in document.get("offline", {}).values() if isinstance(text, str)]
    return [*offline, *(step["ask"] for step in document["steps"])]


def test_the_shipped_strategies() -> None:
    assert set(strategy.shipped()) == OFFLINE | {"constitution", "guided"}
    loaded = [strategy.load(name) for name in strategy.shipped()]
    assert [one.id for one in loaded] == list(strategy.shipped())
    assert {one.id for one in loaded if one.offline is not None} == OFFLINE
    assert len({one.digest for one in loaded}) == len(loaded)


@pytest.mark.parametrize("name", strategy.shipped())
def test_every_placeholder_is_filled(name: str) -> None:
    found = strategy.load(name)
    known = {"help": "", "principles": ""}
    for step in found.steps:
        assert "{" not in filled(step.ask, known)
        known[step.id] = ""
    if found.offline is not None:
        concern = dict.fromkeys(("acknowledge", "practical", "people", "help"), "")
        for text in (found.offline.opening, found.offline.closing, found.offline.reply):
            assert "{" not in filled(text, concern)


def test_what_ships_to_be_said_carries_no_bond() -> None:
    book = phrasebook()
    said = [text for one in book.concerns for text in (one.acknowledge, one.practical, one.people)]
    loaded = [strategy.load(name).offline for name in OFFLINE]
    said += [text for one in loaded if one for text in (one.opening, one.closing, one.reply)]
    assert [text for text in said if book.bond.spans(text)] == []


def test_no_number_for_help_is_given_besides_the_known_ones() -> None:
    known = {"988", "116 123", "13 11 14"}
    data = Path(__file__).parents[2] / "chaperone_cli" / "data"
    known_help = phrasebook().help
    assert {n for line in known_help.lines.values() for n in PHONE.findall(line)} == known
    for file in (data / "strategies").glob("*.toml"):
        assert not PHONE.search(" ".join(texts(file)))
    assert not any(
        PHONE.search(text) for text in (*known_help.pointers.values(), *wording().values())
    )
    assert known_help.as_of.isoformat() == "2026-11-21"


def test_the_digest_follows_what_shapes_a_rewrite() -> None:
    digest = strategy.decode(MINE, "mine").digest
    assert strategy.decode(f"# a comment\n{MINE}", "mine").digest == digest
    assert strategy.decode(MINE.replace('"Mine"', '"Other"'), "mine").digest == digest
    assert strategy.decode(MINE.replace("Rewrite.", "Rewrite!"), "mine").digest != digest
    assert strategy.decode(f"{MINE}[length]\nmost = 9\n", "mine").digest != digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id = ", "mine.toml: the strategy is not valid TOML: "),
        ('id = "mine"', "mine.toml: version is missing"),
        (
            MINE.replace("version = 1", "version = true"),
            "mine.toml: version must be a whole number",
        ),
        (MINE.replace('id = "mine"', "id = 3"), "mine.toml: id must be text"),
        (f"extra = 1\n{MINE}", "mine.toml: unknown key 'extra'"),
        (
            MINE.replace('"rewrite"', '"Step 1"'),
            "mine.toml: step 1: id must be letters from a to z",
        ),
        (MINE.replace('ask = "Rewrite."', ""), "mine.toml: step 1: ask is missing"),
        (MINE.replace('"rewrite"', '"help"'), "mine.toml: every step needs an id of its own"),
        (f'{MINE}[offline]\nopening = ""\n', "mine.toml: offline: closing is missing"),
        (
            f"{MINE}[length]\nleast = 9\nmost = 2\n",
            "mine.toml: length: least must be from 1 to most",
        ),
        (f"{MINE}[length]\nlonger = 2\n", "mine.toml: length: unknown key 'longer'"),
        (f"principles = [3]\n{MINE}", "mine.toml: principles must be texts"),
    ],
)
def test_a_users_own_strategy_is_checked(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as caught:
        strategy.load(str(path))
    assert caught.value.message.replace(f"{tmp_path}/", "").startswith(message)


def test_a_placeholder_that_nothing_fills_is_refused() -> None:
    steps = f'{MINE}[[steps]]\nid = "last"\nask = "{{rewrite}} {{help}} {{last}}"\n'
    offline = (
        '[offline]\nopening = ""\nclosing = "{help}"\nclosing_only_if_needed = true\n'
        'reply = "{acknowlege} Go on."\n'
    )
    with pytest.raises(UsageError) as caught:
        strategy.decode(steps, "my.toml")
    assert (caught.value.message, caught.value.hint) == (
        "my.toml: step 2: ask: nothing fills {last}",
        "known are help, principles, rewrite",
    )
    with pytest.raises(UsageError) as caught:
        strategy.decode(MINE + offline, "my.toml")
    assert (caught.value.message, caught.value.hint) == (
        "my.toml: offline: reply: nothing fills {acknowlege}",
        "known are acknowledge, practical, people, help",
    )


def test_a_strategy_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with pytest.raises(UsageError, match="the strategy cannot be read: No such file"):
        strategy.load(str(path))
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="the strategy cannot be read: it is not UTF-8 text"):
        strategy.load(str(path))
