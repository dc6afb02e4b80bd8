"""Sends one call ahead, so that the others find in the cache what it wrote."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class Warmth:
    """Whether a prefix is in the cache: it is, for other calls, once a first reply has come."""

    def __init__(self) -> None:
        self._warm = False
        self._first = asyncio.Lock()

    async def call(self, make: Callable[[], Awaitable[T]]) -> T:
        """Makes a call: alone while the prefix is cold, at once when it is warm.

        A first call that fails leaves the prefix cold, and the next one goes ahead instead.
        """
        if not self._warm:
            async with self._first:
                if not self._warm:
                    result = await make()
                    self._warm = True
                    return result
        return await make()
