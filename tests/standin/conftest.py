"""The real SDK, pointed at a stand-in."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from anthropic import Anthropic

from tests.standin.client import Client
from tests.support.standin import running

Start = Callable[..., Client]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a stand-in with the given settings and gives a client of it."""
    with ExitStack() as stack:

        def begin(**settings: Any) -> Client:
            standin = stack.enter_context(running(**settings))
            sdk = stack.enter_context(
                Anthropic(base_url=standin.url, api_key="key", max_retries=0, timeout=5)
            )
            return Client(sdk, standin)

        yield begin
