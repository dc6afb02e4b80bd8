"""`chaperone doctor` names what is wrong, soon, and is only green about what it tried."""

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path

import pytest

from chaperone_cli.evaluators.claude import models
from tests.support.cli import Chaperone
from tests.support.standin import running

HTTP_PROXY = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    for name in HTTP_PROXY:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def rows(chaperone: Chaperone, *args: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """Gives the exit code and, by name, every check's status and what it says, hint included."""
    outcome = chaperone("doctor", "--store", "votes.sqlite3", *args)
    found: dict[str, tuple[str, str]] = {}
    name = ""
    for row in outcome.out.splitlines():
        if row.startswith(" "):
            status, said = found[name]
            found[name] = (status, f"{said}; {row.strip()}")
        else:
            status, name, said = row.split(maxsplit=2)
            found[name] = (status, said)
    return outcome.code, found


@contextmanager
def closed_port() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port: int = server.getsockname()[1]
    yield port


@contextmanager
def speaking(answer: bytes, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """Runs a server that says `answer` to everybody, over TLS where it has a context for it."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            with closing(peer):
                try:
                    secured = context.wrap_socket(peer, server_side=True) if context else peer
                    secured.recv(65536)
                    secured.sendall(answer)
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()


def test_a_dead_port(chaperone: Chaperone) -> None:
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}"
        said(chaperone, url, "nothing listens at that address", "start the server")


def test_a_name_that_nobody_knows(chaperone: Chaperone) -> None:
    url = "https://no-such-server.invalid"
    said(chaperone, url, "the server's name cannot be resolved", "correct --base-url")


def test_a_server_without_encryption(chaperone: Chaperone) -> None:
    with speaking(b"HTTP/1.0 400 Bad Request\r\n\r\n") as port:
        url = f"https://127.0.0.1:{port}"
        said(chaperone, url, "the server does not speak TLS as https needs it", "http://")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate")
def test_a_certificate_that_is_not_trusted(chaperone: Chaperone, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=127.0.0.1", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with speaking(b"", context) as port:
        url = f"https://127.0.0.1:{port}"
        said(chaperone, url, "the server's certificate is not trusted", "SSL_CERT_FILE")


@pytest.mark.parametrize("listens", [True, False])
def test_a_proxy(chaperone: Chaperone, monkeypatch: pytest.MonkeyPatch, listens: bool) -> None:
    problem = "the proxy that the environment names lets no connection through"
    with speaking(b"HTTP/1.0 407 No\r\n\r\n") if listens else closed_port() as port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        said(chaperone, "https://models.example", problem, "NO_PROXY")


def said(chaperone: Chaperone, url: str, problem: str, hint: str) -> None:
    """Sees that doctor and audit name `problem` at `url`, within seconds."""
    chaperone.write("log.jsonl", '{"id": "a", "turns": [{"role": "user", "content": "Hi"}]}')
    began = time.monotonic()
    code, checks = rows(chaperone, "--base-url", url)
    assert time.monotonic() - began < 3
    assert (code, checks["model"][0]) == (1, "failed")
    assert checks["model"][1].startswith(f"{url} cannot be reached: {problem}; ")
    assert hint in checks["model"][1]
    began = time.monotonic()
    audited = chaperone("audit", "log.jsonl", "--evaluator", "claude", "--base-url", url)
    assert time.monotonic() - began < 3
    assert audited.code == 1
    assert f"error: {url} cannot be reached: {problem}\n  hint: " in audited.err
    assert hint in audited.err


def test_a_server_that_fails_at_everything(chaperone: Chaperone) -> None:
    with speaking(b"HTTP/1.1 500 Oh no\r\ncontent-length: 0\r\n\r\n") as port:
        url = f"http://127.0.0.1:{port}"
        code, checks = rows(chaperone, "--base-url", url)
    assert (code, checks["model"]) == (
        1,
        (
            "failed",
            f"{url} answers no request: status 500; "
            "look at the server's log; if it has only just started, try again",
        ),
    )


def test_nothing_is_green_that_was_not_tried(chaperone: Chaperone) -> None:
    with running(rule="no", faults={"internal": 1.0}) as standin:
        code, checks = rows(chaperone, "--base-url", standin.url)
        assert (code, checks["call"], standin.ledger.calls) == (
            0,
            (
                "skipped",
                "the model was asked nothing, so that nothing was paid; "
                "--spend asks it one question about a made-up line",
            ),
            [],
        )
        code, checks = rows(chaperone, "--base-url", standin.url, "--spend")
        assert (code, checks["call"]) == (
            1,
            (
                "failed",
                "a trial call failed with status 500 (api_error): Internal server error; "
                "look at the server's log; check --model and --base-url",
            ),
        )


def test_one_question_is_asked_and_its_price_said(chaperone: Chaperone) -> None:
    with running(rule="no") as standin:
        code, checks = rows(chaperone, "--base-url", standin.url, "--spend")
        [call] = standin.ledger.calls
    assert (code, checks["call"]) == (
        0,
        ("ok", f"claude-haiku-5-5 answers as it is asked to; it cost ${call.dollars:.6f}"),
    )


@pytest.mark.parametrize("spend", [(), ("--spend",)])
def test_a_retired_model_on_another_server(chaperone: Chaperone, spend: tuple[str, ...]) -> None:
    name = "claude-opus-4-1-20250805"
    hint = "use --model claude-opus-4-8"
    with running(local=True, rule="no") as standin:
        code, checks = rows(chaperone, "--base-url", standin.url, "--model", name, *spend)
    gone = f"the model '{name}' was retired on 2026-08-05"
    if spend:
        assert (code, checks["model"]) == (
            0,
            ("warning", f"{gone}, and this server has it; {hint}"),
        )
        assert checks["call"][0] == "ok"
    else:
        more = "where this server may still have it, --spend finds out"
        assert (code, checks["model"]) == (1, ("failed", f"{gone}; {hint}; {more}"))


def test_a_model_that_is_about_to_go(chaperone: Chaperone, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**models.table()["claude-opus-4-1"], "retired": date(2999, 1, 1)}
    monkeypatch.setitem(models.table(), "claude-opus-4-1", row)
    with running(local=True, rule="no") as standin:
        code, checks = rows(chaperone, "--base-url", standin.url, "--model", "claude-opus-4-1")
    assert (code, checks["model"]) == (
        0,
        (
            "warning",
            "the model 'claude-opus-4-1' will be retired on 2999-01-01; use --model "
            "claude-opus-4-8",
        ),
    )
