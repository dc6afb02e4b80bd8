"""Clients of the vendor's SDK, as many as the calls under way need.

For every request the SDK's connection pool looks at all of its connections, so that the work of a
call grows with the number of calls: at a hundred and sixty at once it has doubled. Several small
pools instead of a large one keep it as it is with a few.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chaperone_cli.evaluators.claude.endpoint import Endpoint, connect

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

AT_ONCE = 10
"""Calls at once through one client."""


class Clients:
    """Clients for one endpoint; a further one is made when all others are busy."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        """Makes the first client; raises EvaluatorError where there is no key."""
        self._endpoint = endpoint
        self._timeout = timeout
        self.first = connect(endpoint, AT_ONCE, timeout)
        self._busy: dict[AsyncAnthropic, int] = {self.first: 0}

    @contextmanager
    def lease(self) -> Iterator["AsyncAnthropic"]:
        """Gives the client with the fewest calls under way, for one call more."""
        client = min(self._busy, key=self._busy.__getitem__)
        if self._busy[client] >= AT_ONCE:
            client = connect(self._endpoint, AT_ONCE, self._timeout)
            self._busy[client] = 0
        self._busy[client] += 1
        try:
            yield client
        finally:
            self._busy[client] -= 1

    async def close(self) -> None:
        """Closes all connections."""
        for client in self._busy:
            await client.close()
