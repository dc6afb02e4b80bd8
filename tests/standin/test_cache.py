"""The stand-in caches what the real API caches, and bills it so."""

import asyncio
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import EMPTY_PREFIX
from tests.standin.client import FORMAT, HAIKU, SYSTEM, params
from tests.standin.conftest import Start
from tests.support.standin import Usage
from tests.support.standin.cache import PromptCache
from tests.support.standin.models import MODELS
from tests.support.standin.prompt import Prompt

WORDS = ["How was your day?" + " and" * number for number in range(60)]


def size(*turns: str) -> int:
    """Gives the tokens of instructions and turns, as the stand-in counts them."""
    return Prompt.of(params(*turns), 4.0).tokens[-2]


def test_each_turn_reads_what_the_turn_before_wrote(start: Start) -> None:
    client = start()
    before = 0
    for count in range(1, 6):
        now = size(*WORDS[:count])
        assert client.cached(*WORDS[:count]) == (now - before, before)
        assert client.cached(*WORDS[:count]) == (0, now)
        before = now
    usage = client.ask(*WORDS[:5]).usage
    assert (usage.input_tokens, usage.service_tier) == (2, "standard")


def test_conversations_share_the_instructions(start: Start) -> None:
    client = start()
    client.ask("one")
    assert client.cached("another")[1] == SYSTEM


@pytest.mark.parametrize(("gap", "read"), [(19, True), (20, False)])
def test_the_look_back_is_twenty_blocks(start: Start, gap: int, read: bool) -> None:
    client = start()
    client.ask(*WORDS[:3])
    found = client.cached(*WORDS[: 3 + gap])[1]
    assert found == (size(*WORDS[:3]) if read else SYSTEM)


def test_short_prefixes_are_not_cached(start: Start) -> None:
    client = start()
    assert client.cached("a", system=400) == (0, 0)
    assert client.cached("a", system=400) == (0, 0)
    assert client.cached("a", system=511)[0] > 511
    assert client.cached("b", system=511)[1] == 0


def test_entries_expire_and_reading_keeps_them(start: Start) -> None:
    client = start()
    whole = size("a")
    client.ask("a")
    for _ in range(3):
        client.standin.clock.advance(280)
        assert client.cached("a") == (0, whole)
    client.standin.clock.advance(310)
    assert client.cached("a") == (whole, 0)


def test_an_hour_costs_more_and_lasts_longer(start: Start) -> None:
    client = start()
    usage = client.ask("a", ttl="1h").usage
    assert usage.cache_creation is not None
    assert usage.cache_creation.ephemeral_1h_input_tokens == size("a")
    assert usage.cache_creation.ephemeral_5m_input_tokens == 0
    client.standin.clock.advance(3500)
    assert client.cached("a", ttl="1h") == (0, size("a"))


@pytest.mark.parametrize(
    "change",
    [
        {"model": "claude-opus-5"},
        {"thinking": {"type": "adaptive"}},
        {"output_config": {"effort": "low"}},
        {"output_config": {"format": FORMAT}},
        {"system": SYSTEM + 1},
    ],
)
def test_what_changes_the_prompt_misses_the_cache(start: Start, change: dict[str, Any]) -> None:
    client = start()
    client.ask("a")
    assert client.cached("a", **change)[1] == 0
    assert client.cached("a") == (0, size("a"))


def test_an_entry_can_be_read_once_the_first_reply_begins(start: Start) -> None:
    client = start(latency=0.2)

    async def ask_together() -> list[int]:
        sdk = AsyncAnthropic(base_url=client.standin.url, api_key="key", max_retries=0)
        async with sdk:
            calls = [sdk.messages.create(**params("a")) for _ in range(3)]
            replies = await asyncio.gather(*calls)
        return [reply.usage.cache_read_input_tokens for reply in replies]

    assert asyncio.run(ask_together()) == [0, 0, 0]
    assert client.cached("a") == (0, size("a"))


def test_the_bill_is_in_full_price_tokens() -> None:
    haiku, opus = MODELS[HAIKU], MODELS["claude-opus-5-5"]
    usage = Usage(input=10, write_5m=100, write_1h=100, read=1000, output=4)
    assert usage.billed(haiku) == 10 + 125 + 200 + 100
    assert usage.billed(opus) == 10 + 125 + 200 + 50
    assert usage.billed(haiku, batch=True) == usage.billed(haiku) / 2
    assert usage.dollars(haiku) == pytest.approx((435 * 0.10 + 4 * 0.50) / 1e6)
    long = Usage(read=100_001)
    assert long.billed(haiku) == pytest.approx(5 * 10_000.1)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=12),
    st.floats(0, 400),
    st.sampled_from(sorted(MODELS)),
)
def test_every_token_is_counted_once(counts: list[int], step: float, name: str) -> None:
    cache, now = PromptCache(), 0.0
    for count in counts:
        prompt = Prompt.of(params(*WORDS[:count]), 4.0)
        look = cache.look(prompt, MODELS[name], now)
        assert look.usage.prompt == prompt.size
        assert min(look.usage.input, look.usage.write_5m, look.usage.read) >= 0
        cache.begin(look)
        now += step


def test_the_hash_of_a_prefix_does_not_depend_on_breakpoints() -> None:
    marked, bare = (Prompt.of(params("a", "b", ttl=ttl), 4.0) for ttl in ("5m", "1h"))
    assert marked.prefixes == bare.prefixes
    assert EMPTY_PREFIX not in marked.prefixes
