"""The stand-in from the command line: prints its address, and serves until it is stopped."""

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.standin.faults import KINDS
from tests.support.standin.server import Standin
from tests.support.standin.settings import Behaviour, Limits


def behaviour(arguments: Sequence[str]) -> tuple[int, Behaviour]:
    """Reads port and behaviour from a command line."""
    given = _parser().parse_args(arguments)
    logs = given.log or [
        path.with_name(path.name.replace(".votes.jsonl", ".jsonl")) for path in given.votes
    ]
    limits = Limits(given.requests_per_minute, given.input_tokens_per_minute)
    return given.port, Behaviour(
        logs=tuple(logs),
        votes=tuple(given.votes),
        rule=given.rule,
        latency=given.latency,
        faults=dict(given.fault),
        script=tuple(given.script.split(",")) if given.script else (),
        seed=given.seed,
        slow_seconds=given.slow_seconds,
        retry_after=given.retry_after,
        limits=limits,
        key=given.key,
        local=given.local,
        reports_usage=not given.no_usage,
        rejects=given.rejects,
        max_input=given.max_input,
        characters_per_token=given.characters_per_token,
        batch_seconds=given.batch_seconds,
        batch_hits=given.batch_hits,
        batch_faults=dict(given.batch_fault),
        state=given.state,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.support.standin", description=__doc__)

    def add(name: str, help: str, **more: Any) -> None:
        parser.add_argument(f"--{name}", help=help, **more)

    add("port", "0 takes a free one", type=int, default=0)
    add("votes", "recorded votes (vote.v1)", type=Path, nargs="*", default=[])
    add("log", "their logs; else X.jsonl beside X.votes.jsonl", type=Path, nargs="*", default=[])
    add("rule", "who else answers: yes, no, word:TEXT, hash:SHARE", default="no")
    add("latency", "seconds that a vote takes", type=float, default=0.0)
    add("fault", f"KIND=SHARE, repeatable: {', '.join(KINDS)}", **_SHARE)
    add("script", "what the first calls come to: ok,overloaded,ok,...", default="")
    add("seed", "of everything drawn", type=int, default=1)
    add("slow-seconds", "what a slow call takes longer", type=float, default=5.0)
    add("retry-after", "seconds that 429 and 529 ask for", type=float, default=0.05)
    add("requests-per-minute", "rate limit", type=int)
    add("input-tokens-per-minute", "rate limit", type=int)
    add("key", "the only key that is right; else any")
    add("local", "pose as a small local server", action="store_true")
    add("no-usage", "say in no reply what it took", action="store_true")
    add("rejects", "refuse requests that hold this text", default="")
    add("max-input", "most tokens of a prompt", type=int)
    add("characters-per-token", "how tokens are counted", type=float, default=4.0)
    add("batch-seconds", "how long a batch takes", type=float, default=0.0)
    add("batch-hits", "share of a batch's requests that hit the cache", type=float, default=0.5)
    add("batch-fault", "errored, invalid, expired or canceled=SHARE, repeatable", **_SHARE)
    add("state", "folder that keeps batches over a restart", type=Path)
    return parser


def _share(text: str) -> tuple[str, float]:
    kind, _, share = text.partition("=")
    return kind, float(share)


_SHARE: dict[str, Any] = {"type": _share, "action": "append", "default": []}


async def _serve(port: int, standin: Standin) -> None:
    async with await standin.start(port) as server:
        sys.stdout.write(f"{standin.url}\n")
        sys.stdout.flush()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, server.close)
        with contextlib.suppress(asyncio.CancelledError):
            await server.serve_forever()


if __name__ == "__main__":
    asked_port, asked_behaviour = behaviour(sys.argv[1:])
    asyncio.run(_serve(asked_port, Standin(asked_behaviour)))
