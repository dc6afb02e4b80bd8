"""Asks for what the store lacks, once: whoever else wants the same answer waits for it."""

import asyncio
from collections.abc import Awaitable, Callable

from chaperone_cli.domain.vote import AbstainReason, Vote
from chaperone_cli.store import VoteStore

PAUSES = (0.01, 0.25)
"""Seconds between two looks at what somebody else asks for: at first, and at most."""


async def once(
    store: VoteStore, key: bytes, ask: Callable[[], Awaitable[Vote | None]]
) -> tuple[Vote | None, bool]:
    """Gives the vote under `key`, and whether it stood there already or came from another run.

    None, like a passing failure, is not filed: a later run may well get an answer.
    """
    pause = PAUSES[0]
    while (stored := store.get(key)) is None:
        if store.claim(key):
            vote = None
            try:
                vote = await ask()
            finally:
                if vote is None or vote.reason is AbstainReason.ERROR:
                    store.release(key)
                else:
                    vote = store.settle(key, vote)
            return vote, False
        await asyncio.sleep(pause)
        pause = min(2 * pause, PAUSES[1])
    return stored, True
