"""Tells from the SDK's exception why no server was reached."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chaperone_cli.errors import EvaluatorError
from chaperone_cli.evaluators.claude.endpoint import Endpoint

if TYPE_CHECKING:
    from anthropic import APIConnectionError


@dataclass(frozen=True)
class Unreached:
    """Why a connection did not come about; nothing was sent, and nothing is billed."""

    problem: str
    lasting: bool
    """Whether it will be the same in a few seconds."""
    hint: str

    def error(self, server: str) -> EvaluatorError:
        """Gives what to end a run with that was to ask `server`."""
        return EvaluatorError(f"{server} cannot be reached: {self.problem}", hint=self.hint)


_PROXY = Unreached(
    "the proxy that the environment names lets no connection through",
    True,
    "look at HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, or add the server to NO_PROXY",
)
_NAME = Unreached(
    "the server's name cannot be resolved",
    True,
    "correct --base-url, or look at this machine's network and its name service",
)
_NAME_FOR_NOW = Unreached("the name service does not answer", False, _NAME.hint)
_CERTIFICATE = Unreached(
    "the server's certificate is not trusted",
    True,
    "correct --base-url, renew the certificate, or name its issuer in SSL_CERT_FILE",
)
_TLS = Unreached(
    "the server does not speak TLS as https needs it",
    True,
    "correct --base-url: a server without encryption has an address that begins with http://",
)
_REFUSED = Unreached(
    "nothing listens at that address",
    True,
    "start the server, or correct host and port of --base-url",
)
_NO_ROUTE = Unreached(
    "there is no way to that address",
    True,
    "look at the network, its firewall and --base-url",
)
_SILENT = Unreached(
    "no connection came about in time",
    False,
    "look at the network, its firewall and --base-url",
)
_OTHER = Unreached("no connection", False, "start the server, or correct --base-url")


def cause(exc: "APIConnectionError") -> Unreached | None:
    """Gives why no connection came about; None where one did, and broke."""
    found = list(_chain(exc))
    names = {type(one).__name__ for one in found}
    if "ProxyError" in names:
        return _PROXY
    if names & _BROKEN or not names & {"ConnectError", "ConnectTimeout"}:
        return None
    if Endpoint(str(exc.request.url)).proxied:
        # It was the proxy that could not be reached, for whatever reason.
        return _PROXY
    for one in found:
        match one:
            case socket.gaierror():
                return _NAME_FOR_NOW if one.errno == socket.EAI_AGAIN else _NAME
            case ssl.SSLCertVerificationError():
                return _CERTIFICATE
            case ssl.SSLError():
                return _TLS
            case ConnectionRefusedError():
                return _REFUSED
            case OSError(errno=number) if number in _NOWHERE:
                return _NO_ROUTE
            case _:
                pass
    return _SILENT if "ConnectTimeout" in names else _OTHER


_BROKEN = {
    *("ServerDisconnectedError", "ClientOSError", "ClientConnectionResetError"),
    "ClientConnectionError",
}
"""What aiohttp calls a connection that broke, which its transport reports as one that failed."""
_NOWHERE = {101, 113}
"""ENETUNREACH and EHOSTUNREACH."""


def _chain(exc: BaseException) -> Iterator[BaseException]:
    """Gives `exc` and everything that it arose from."""
    seen: set[int] = set()
    rest = [exc]
    while rest:
        one = rest.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        rest += [more for more in (one.__cause__, one.__context__) if more is not None]
        if isinstance(one, BaseExceptionGroup):
            rest += one.exceptions
