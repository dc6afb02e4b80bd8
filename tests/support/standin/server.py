"""The stand-in for the Messages API: routes, and the course of one call."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.support.standin.batches import Batches
from tests.support.standin.clock import Clock
from tests.support.standin.errors import Rejected, invalid, not_found
from tests.support.standin.faults import ERRORS, REPLIES, WAITING, Faults
from tests.support.standin.http import Connection, Reply, Request, json_reply
from tests.support.standin.ledger import Ledger
from tests.support.standin.limits import RateLimiter, exceeded
from tests.support.standin.models import MODELS, Model
from tests.support.standin.prompt import Prompt
from tests.support.standin.replies import Ids
from tests.support.standin.settings import Behaviour
from tests.support.standin.validate import check, model_of
from tests.support.standin.voting import Voting

_LARGEST = 32 * 1024 * 1024


@dataclass
class Standin:
    """One server, with everything it remembers."""

    behaviour: Behaviour

    def __post_init__(self) -> None:
        self.clock = Clock()
        self.ledger = Ledger()
        self.voting = Voting(self.behaviour)
        self.faults = Faults(self.behaviour.faults, self.behaviour.script, self.behaviour.seed)
        self.limiter = RateLimiter(self.behaviour.limits, self.clock.now())
        self.batches = Batches(self.behaviour, self.voting, self.ledger, self.clock)
        self.url = ""
        self._ids = Ids(self.behaviour.seed + 1)

    async def start(self, port: int = 0) -> asyncio.Server:
        """Listens on 127.0.0.1; port 0 takes a free one."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: Connection(self.handle), "127.0.0.1", port, backlog=2048
        )
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server

    async def handle(self, request: Request) -> Reply:
        """Answers one HTTP request."""
        name = self._ids("req")
        try:
            reply = await self._route(request, name)
        except Rejected as exc:
            reply = exc.reply(name)
        except Exception:
            # A client that waits for a reply would hide a defect of the stand-in.
            logging.exception("the stand-in failed")
            reply = ERRORS["internal"].reply(name)
        if reply.reset:
            return reply
        headers = {**reply.headers, "request-id": name}
        return Reply(reply.status, reply.body, headers, reply.content_type)

    async def _route(self, request: Request, id: str) -> Reply:
        parts = request.path.strip("/").split("/")
        self.ledger.requests[f"{request.method} {_pattern(parts)}"] += 1
        if parts[0].startswith("__"):
            return await _CONTROLS[request.method, parts[0]](self, request)
        self._admit(request)
        match request.method, parts:
            case "POST", ["v1", "messages"]:
                return await self._message(request, id)
            case "POST", ["v1", "messages", "count_tokens"]:
                return self._count(request)
            case "GET", ["v1", "models", name] if not self.behaviour.local:
                return self._model(name)
            case "GET", ["v1", "models"] if not self.behaviour.local:
                return json_reply(200, _page([model.info() for model in MODELS.values()]))
            case _, ["v1", "messages", "batches", *rest] if not self.behaviour.local:
                return self._batch(request, rest)
        raise not_found(f"{request.method} {request.path} is not a route")

    def _admit(self, request: Request) -> None:
        if self.behaviour.local:
            return
        kind, _, bearer = request.headers.get("authorization", "").partition(" ")
        key = bearer if kind == "Bearer" else request.headers.get("x-api-key")
        if not key:
            raise Rejected(401, "authentication_error", "x-api-key header is required")
        if self.behaviour.key is not None and key != self.behaviour.key:
            raise Rejected(401, "authentication_error", "invalid bearer token")
        if "anthropic-version" not in request.headers:
            raise invalid("anthropic-version: header is required")

    async def _message(self, request: Request, id: str) -> Reply:
        fault = self.faults.next()
        early = ERRORS.get(fault or "")
        if early is not None:
            self.ledger.add(self.clock.now(), "message", early.status, fault=fault)
            return early.reply(id, **self._waiting(fault))
        if (broken := REPLIES.get(fault or "")) is not None:
            await asyncio.sleep(self.behaviour.latency)
            self.ledger.add(self.clock.now(), "message", broken.status, fault=fault)
            return broken
        try:
            body, model = self._read(request)
            return await self._vote(request, body, model, fault, id)
        except Rejected as exc:
            self.ledger.add(self.clock.now(), "message", exc.status, fault="rejected")
            raise

    def _waiting(self, fault: str | None) -> dict[str, str]:
        wait = self.behaviour.retry_after
        if fault not in WAITING or wait is None:
            return {}
        return {"retry-after": f"{wait:g}", "retry-after-ms": f"{wait * 1000:g}"}

    def _read(self, request: Request) -> tuple[dict[str, Any], Model]:
        if len(request.body) > _LARGEST:
            raise ERRORS["too_large"]
        try:
            body = request.json()
        except ValueError as exc:
            raise invalid("The request body is not valid JSON") from exc
        if self.behaviour.local:
            return body, Model(body["model"], 0, 0, 0, 0, (), False)
        return body, check(body, request.headers["anthropic-version"])

    async def _vote(
        self, request: Request, body: dict[str, Any], model: Model, fault: str | None, id: str
    ) -> Reply:
        now = self.clock.now()
        if (wait := self.limiter.admit(now)) is not None:
            error, headers = exceeded(wait)
            self.ledger.add(now, "message", 429, fault="limit")
            return error.reply(id, **headers, **self.limiter.headers(now))
        asked = self.voting.ask(body, model, now)
        self.limiter.charge(asked.look.usage)
        self.ledger.begin()
        try:
            slow = self.behaviour.slow_seconds if fault == "slow" else 0.0
            await asyncio.sleep(self.behaviour.latency + slow)
        except asyncio.CancelledError:
            conversation, turn = asked.subject.place or (None, None)
            facts = {"conversation": conversation, "turn": turn, "fault": fault or "gone"}
            self.ledger.add(now, "message", 0, **facts)
            raise
        finally:
            self.ledger.end()
        given = self.voting.give(asked, fault)
        self.ledger.add(now, "message", 200, fault=fault, **given.facts)
        if fault == "dropped":
            return REPLIES["reset"]
        return json_reply(200, given.document, self.limiter.headers(self.clock.now()))

    def _count(self, request: Request) -> Reply:
        body = request.json()
        if not self.behaviour.local:
            model_of(body)
        size = Prompt.of(body, self.behaviour.characters_per_token).size
        return json_reply(200, {"input_tokens": size})

    def _model(self, name: str) -> Reply:
        if name not in MODELS:
            raise not_found(f"model: {name}")
        info = MODELS[name].info()
        if self.behaviour.max_input is not None:
            info["max_input_tokens"] = self.behaviour.max_input
        return json_reply(200, info)

    def _batch(self, request: Request, rest: list[str]) -> Reply:
        match request.method, rest:
            case "POST", []:
                version = request.headers["anthropic-version"]
                size = len(request.body)
                return json_reply(200, self.batches.create(request.json(), size, version, self.url))
            case "GET", []:
                return json_reply(200, self.batches.list(request.query, self.url))
            case "GET", [id]:
                return json_reply(200, self.batches.retrieve(id, self.url))
            case "DELETE", [id]:
                return json_reply(200, self.batches.delete(id))
            case "GET", [id, "results"]:
                return Reply(200, self.batches.results(id), {}, "application/binary")
            case "POST", [id, "cancel"]:
                return json_reply(200, self.batches.cancel(id, self.url))
            case _:
                pass
        raise not_found(f"{request.method} {request.path} is not a route")

    async def show_ledger(self, request: Request) -> Reply:
        """Gives the ledger; `?calls=0` its sums alone."""
        document: dict[str, Any] = {
            "totals": self.ledger.totals(),
            "cpu_seconds": time.process_time(),
        }
        if request.query.get("calls") != ["0"]:
            document["calls"] = self.ledger.rows()
        return json_reply(200, document)

    async def clear_ledger(self, request: Request) -> Reply:
        """Forgets the calls so far."""
        self.ledger.clear()
        return json_reply(200, {})

    async def set_clock(self, request: Request) -> Reply:
        """Puts the clock forward."""
        self.clock.advance(float(request.json()["advance"]))
        return json_reply(200, {"now": self.clock.now()})


def _pattern(parts: list[str]) -> str:
    """Gives a path with its ids left out."""
    return "/" + "/".join(
        "{id}" if part.startswith(("msgbatch_", "claude-")) else part for part in parts
    )


def _page(data: list[dict[str, Any]]) -> dict[str, Any]:
    return {"data": data, "has_more": False, "first_id": data[0]["id"], "last_id": data[-1]["id"]}


_CONTROLS: dict[tuple[str, str], Callable[[Standin, Request], Awaitable[Reply]]] = {
    ("GET", "__ledger"): Standin.show_ledger,
    ("DELETE", "__ledger"): Standin.clear_ledger,
    ("POST", "__clock"): Standin.set_clock,
}
"""Routes of the stand-in's own, for whoever watches it from another process."""
