"""A server that keeps the body of every request to the Messages API and answers no."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Captured:
    """Where the server listens, and what it was sent."""

    url: str
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def capturing(answer: str = '{"parasocial": false}') -> Iterator[Captured]:
    """Runs the server; every call is answered with the text `answer`."""
    reply = json.dumps(
        {
            "type": "message",
            "content": [{"type": "text", "text": answer}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    ).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(404, b'{"detail": "Not Found"}')

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            captured.bodies.append(json.loads(self.rfile.read(length)))
            captured.headers.append({key.lower(): value for key, value in self.headers.items()})
            self._answer(200, reply)

        def _answer(self, status: int, body: bytes) -> None:
            captured.paths.append(self.path)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    captured = Captured(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield captured
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
