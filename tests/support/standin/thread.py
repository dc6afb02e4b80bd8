"""Runs a stand-in beside a test, in a thread of its own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.standin.server import Standin
from tests.support.standin.settings import Behaviour


@contextmanager
def running(
    behaviour: Behaviour | None = None, *, port: int = 0, **settings: Any
) -> Iterator[Standin]:
    """Gives a stand-in that listens at its `url`; `settings` are those of `Behaviour`."""
    standin = Standin(behaviour or Behaviour(**settings))
    up, loop = threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        async with await standin.start(port):
            up.set()
            await stop.wait()

    def work() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(serve())
            _finish(loop)
        finally:
            loop.close()

    thread = threading.Thread(target=work, name="standin", daemon=True)
    thread.start()
    up.wait()
    try:
        yield standin
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def _finish(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
