"""Just enough of HTTP/1.1 for one server on the loopback: keep-alive, lengths, nothing chunked."""

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

END = b"\r\n\r\n"
MOST = 300_000_000
"""The largest body, in bytes, that is read at all."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    """By name in lower case."""
    body: bytes
    gone: Callable[[], bool]
    """Says whether the client has hung up."""

    def json(self) -> Any:
        """Reads the body; raises ValueError."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP reply, or what becomes of it."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    reset: bool = False
    """Tear the connection down instead."""


def json_reply(status: int, document: Any, headers: Mapping[str, str] | None = None) -> Reply:
    """Gives a reply of JSON."""
    return Reply(status, json.dumps(document).encode(), headers or {})


Handler = Callable[[Request], Awaitable[Reply]]


class Connection(asyncio.Protocol):
    """One client's connection: its requests are answered one after the other."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._buffer = bytearray()
        self._head: tuple[str, str, dict[str, str], int] | None = None
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._task is None:
            self._next()

    def _next(self) -> None:
        request = self._take()
        if request is not None:
            self._task = asyncio.create_task(self._serve(request))

    def _take(self) -> Request | None:
        if self._head is None:
            end = self._buffer.find(END)
            if end < 0:
                return None
            self._head = self._parse(bytes(self._buffer[:end]).decode("latin-1"), end + len(END))
        method, target, headers, start = self._head
        stop = start + min(int(headers.get("content-length", 0)), MOST)
        if len(self._buffer) < stop:
            return None
        body = bytes(self._buffer[start:stop])
        del self._buffer[:stop]
        self._head = None
        parts = urlsplit(target)
        query = parse_qs(parts.query) if parts.query else {}
        return Request(method, parts.path, query, headers, body, self._transport.is_closing)

    def _parse(self, head: str, start: int) -> tuple[str, str, dict[str, str], int]:
        first, *lines = head.split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        return method, target, headers, start

    async def _serve(self, request: Request) -> None:
        reply = await self._handler(request)
        self._task = None
        if self._transport.is_closing():
            return
        if reply.reset:
            self._reset()
            return
        self._write(reply)
        if request.headers.get("connection", "").lower() == "close":
            self._transport.close()
        else:
            self._next()

    def _write(self, reply: Reply) -> None:
        try:
            phrase = HTTPStatus(reply.status).phrase
        except ValueError:
            phrase = "Overloaded"
        lines = [
            f"HTTP/1.1 {reply.status} {phrase}",
            f"content-type: {reply.content_type}",
            f"content-length: {len(reply.body)}",
            *(f"{name}: {value}" for name, value in reply.headers.items()),
        ]
        self._transport.write("\r\n".join(lines).encode("latin-1") + END + reply.body)

    def _reset(self) -> None:
        raw = self._transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()
