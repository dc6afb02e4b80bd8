"""Where calls go and with which credentials; and the client of the vendor's SDK that makes them."""

import ipaddress
import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from chaperone_cli.errors import EvaluatorError, MissingKeyError, UsageError

if TYPE_CHECKING:
    from ssl import SSLContext

    from anthropic import AsyncAnthropic
    from httpx2 import AsyncClient

VENDOR = "https://api.anthropic.com"
CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
REACH = 10.0
"""Seconds in which a connection comes about."""
NO_KEY = "none"
"""Sent to servers that want no key, because the SDK sends nothing without one."""


@dataclass(frozen=True)
class Endpoint:
    """A server that speaks the Messages API."""

    url: str = VENDOR
    """Without a trailing slash, and without the /v1 that the SDK adds by itself."""

    @classmethod
    def at(cls, given: str | None) -> "Endpoint":
        """Gives the endpoint of `given`, else of ANTHROPIC_BASE_URL; raises UsageError."""
        text = given or os.environ.get("ANTHROPIC_BASE_URL") or VENDOR
        try:
            parts = urlsplit(text.strip())
            host = parts.hostname
        except ValueError:
            host = None
        if not host or parts.scheme not in ("http", "https"):
            raise UsageError(
                f"the base URL {text[:80]!r} is not the address of a server",
                hint="use the form http://localhost:11434",
            )
        path = parts.path.rstrip("/")
        for tail in ("/messages", "/v1"):
            path = path.removesuffix(tail).rstrip("/")
        return cls(urlunsplit((parts.scheme, parts.netloc, path, "", "")))

    @property
    def vendor(self) -> bool:
        """Says whether this is the vendor's own API."""
        return urlsplit(self.url).hostname == urlsplit(VENDOR).hostname

    @property
    def shown(self) -> str:
        """The address without any user name or password in it."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def loopback(self) -> bool:
        """Says whether the server runs on this machine."""
        return _address(self.url, "is_loopback") or urlsplit(self.url).hostname == "localhost"

    @property
    def proxied(self) -> bool:
        """Says whether a proxy of the environment stands before the server."""
        parts = urlsplit(self.url)
        proxies = getproxies()
        named = parts.scheme in proxies or "all" in proxies
        return named and not self.loopback and not proxy_bypass(parts.hostname or "")

    @property
    def local(self) -> bool:
        """Says whether the server runs on this machine or this network."""
        host = urlsplit(self.url).hostname or ""
        named = "." not in host or host.endswith((".local", ".internal", ".lan"))
        return self.loopback or named or _address(self.url, "is_private")


def _address(url: str, quality: str) -> bool:
    try:
        return bool(getattr(ipaddress.ip_address(urlsplit(url).hostname or ""), quality))
    except ValueError:
        return False


def has_key() -> bool:
    """Says whether the environment names a credential."""
    return any(os.environ.get(name) for name in CREDENTIALS)


def check_key(endpoint: Endpoint, asking: str, *, instead: str = "") -> None:
    """Raises MissingKeyError unless there is a credential for `endpoint`, or it needs none.

    `asking` and `instead` are what the error says; no server is asked.
    """
    if has_key() or not endpoint.vendor:
        return
    import anthropic

    # The SDK finds credentials by itself too, in a profile on disk.
    client = anthropic.AsyncAnthropic(base_url=endpoint.url)
    if not _has_credentials(client):
        raise MissingKeyError.of(asking, instead=instead)


def _has_credentials(client: "AsyncAnthropic") -> bool:
    return bool(client.api_key or client.auth_token or client.credentials)


@cache
def _tls() -> "SSLContext":
    """Reads the trusted certificates, which takes as long as fifty calls, once for all clients."""
    import httpx2

    return httpx2.create_ssl_context()


def connect(
    endpoint: Endpoint, connections: int, timeout: float, reach: float = REACH
) -> "AsyncAnthropic":
    """Gives a client for at most `connections` calls at once; raises MissingKeyError without a key.

    A call may take `timeout` seconds, and `reach` of them until it is connected.

    The SDK's own retries are off, because they obey a server's retry-after without any limit.
    """
    import anthropic

    transport = _transport(endpoint, connections, timeout, reach)
    # Credentials of a profile on disk are the vendor's: they go to nobody else.
    key = None if has_key() or endpoint.vendor else NO_KEY
    client = anthropic.AsyncAnthropic(
        api_key=key,
        base_url=endpoint.url,
        max_retries=0,
        timeout=timeout,
        open_telemetry=False,
        http_client=transport,
    )
    if not _has_credentials(client):
        raise MissingKeyError.of("the claude evaluator")
    return client


def _transport(endpoint: Endpoint, connections: int, timeout: float, reach: float) -> "AsyncClient":
    """Gives what carries the calls; raises EvaluatorError for a proxy that cannot be used."""
    import anthropic
    import httpx2

    # As many connections are kept as are used: closing and opening them again, and looking through
    # more of them than there are calls, is where the SDK's throughput goes at high concurrency.
    limits = httpx2.Limits(
        max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=30
    )
    pause = httpx2.Timeout(timeout, connect=min(reach, timeout))
    if not endpoint.proxied:
        # The client over aiohttp takes three quarters of the time of the usual one for a call, but
        # knows fewer kinds of proxies. A redirect would carry a conversation to a server that
        # nobody named.
        return anthropic.DefaultAioHttpClient(
            limits=limits, timeout=pause, follow_redirects=False, verify=_tls(), trust_env=False
        )
    try:
        # A redirect would carry a conversation to a server that nobody named.
        return anthropic.DefaultAsyncHttpxClient(
            limits=limits, timeout=pause, follow_redirects=False, verify=_tls()
        )
    except (ValueError, ImportError, httpx2.InvalidURL) as exc:
        # The text of the exception may hold the proxy's password.
        raise EvaluatorError(
            "the proxy that the environment names cannot be used",
            hint="state it as http://host:port, or unset HTTPS_PROXY, HTTP_PROXY and ALL_PROXY",
        ) from exc
