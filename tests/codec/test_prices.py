"""Price tables: the dated one that ships, and users' own on top of it."""

from datetime import date
from pathlib import Path

import pytest

from chaperone_cli.codec import prices
from chaperone_cli.domain.cost import Price, Rates, Tokens
from chaperone_cli.errors import UsageError
from chaperone_cli.evaluators.claude import models


def test_the_shipped_table() -> None:
    table = prices.shipped()
    assert table.as_of == date(2026, 11, 21)
    assert table.of("claude-haiku-5-5") == Price(
        Rates(input=0.1, output=0.5, write_5m=0.125, write_1h=0.2, read=0.01),
        100_000,
        Rates(input=0.5, output=2.5, write_5m=0.625, write_1h=1.0, read=0.05),
        0.5,
    )
    assert table.of("claude-haiku-4-5-20251001") == table.of("claude-haiku-4-5")
    assert table.of("llama3") is None
    assert table.models.keys() <= models.table().keys()


def test_a_call_above_the_step_costs_the_long_rates_as_a_whole() -> None:
    price = prices.shipped().of("claude-haiku-5-5")
    assert price is not None
    assert price.dollars(Tokens(input=100_000)) == pytest.approx(0.01)
    assert price.dollars(Tokens(input=1, read=100_000)) == pytest.approx(0.0050005)
    assert price.dollars(Tokens(100, 200, 300, 400, 500), batch=True) == pytest.approx(
        (100 * 0.1 + 200 * 0.125 + 300 * 0.2 + 400 * 0.01 + 500 * 0.5) / 2e6
    )


def test_a_users_table_adds_and_replaces(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(
        "as_of = 2027-01-02\n[models.llama3]\ninput = 0\noutput = 0\n"
        "[models.claude-opus-5]\ninput = 1\noutput = 2\nread = 0.3\nbatch = 0.4\n"
    )
    table = prices.load(own)
    assert table.as_of == date(2027, 1, 2)
    assert table.of("llama3") == Price(Rates(0, 0, 0, 0, 0))
    assert table.of("claude-opus-5") == Price(Rates(1, 1.25, 2, 0.3, 2), batch=0.4)
    assert table.of("claude-haiku-5-5") == prices.shipped().of("claude-haiku-5-5")


MODEL = "as_of = 2026-01-01\n[models.m]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "FILE: the price table is not valid TOML: "),
        ("[models.m]\ninput = 1\noutput = 1", "FILE: as_of must be a date"),
        ("as_of = 2026-01-01", "FILE: there is no model"),
        (f"{MODEL}input = 1", "FILE: m: output must be a number from 0 on"),
        (f"{MODEL}input = -1\noutput = 1", "FILE: m: input must be a number from 0 on"),
        (f"{MODEL}input = true\noutput = 1", "FILE: m: input must be a number from 0 on"),
        (f"{MODEL}input = nan\noutput = 1", "FILE: m: input must be a number from 0 on"),
        (f"{MODEL}input = 1\noutput = 1\nreads = 1", "FILE: m: unknown key 'reads'"),
        (f"{MODEL}input = 1\noutput = 1\nlong_from = 9", "FILE: m: long and long_from go together"),
        ("as_of = 2026-01-01\n[models]\nm = 1", "FILE: m: must be a table"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(text: str, message: str, tmp_path: Path) -> None:
    own = tmp_path / "p.toml"
    own.write_text(text)
    with pytest.raises(UsageError) as refused:
        prices.load(own)
    assert refused.value.message.startswith(message.replace("FILE", str(own)))


def test_a_table_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        prices.load(tmp_path / "none.toml")
    (tmp_path / "p.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError):
        prices.load(tmp_path / "p.toml")
