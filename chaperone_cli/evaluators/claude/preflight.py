"""Finds out what would keep the claude evaluator from its work, before money or time is spent."""

import os
from urllib.parse import urlsplit

from chaperone_cli.errors import ChaperoneError
from chaperone_cli.evaluators.claude.checks import Check, Status
from chaperone_cli.evaluators.claude.endpoint import CREDENTIALS, Endpoint, connect
from chaperone_cli.evaluators.claude.evaluator import Options
from chaperone_cli.evaluators.claude.preflight_server import TIMEOUT, server

PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


async def needs(options: Options) -> list[Check]:
    """Looks at what a run under `options` would need first, and asks no server."""
    try:
        return [await key(Endpoint.at(options.base_url))]
    except ChaperoneError as exc:
        return [Check.failed("server", exc)]


async def preflight(options: Options, *, spend: bool = False) -> list[Check]:
    """Looks at everything that a run under `options` needs.

    Free of charge, unless it may `spend` what one question costs.
    """
    try:
        endpoint = Endpoint.at(options.base_url)
    except ChaperoneError as exc:
        return [Check.failed("server", exc)]
    checks = [
        await key(endpoint),
        address(endpoint, options),
        proxy(endpoint),
        logging(),
        price(options),
    ]
    if checks[0].status is not Status.FAILED:
        checks += await server(endpoint, options.model, options.price, spend=spend)
    return checks


async def key(endpoint: Endpoint) -> Check:
    """Says which credential is used, and whether it would travel in the open."""
    name = next((name for name in CREDENTIALS if os.environ.get(name)), None)
    if name is None and endpoint.vendor:
        return await _profile(endpoint)
    if name is None:
        return Check("key", Status.OK, f"none, and {endpoint.shown} is sent none")
    if endpoint.url.startswith("http:") and not endpoint.loopback:
        return Check(
            "key",
            Status.WARNING,
            f"{name} would be sent to {endpoint.shown} without encryption",
            "use an https address, or unset the variable",
        )
    return Check("key", Status.OK, f"{name}, sent to {endpoint.shown}")


async def _profile(endpoint: Endpoint) -> Check:
    """Looks for credentials that the SDK finds by itself, in a profile on disk."""
    try:
        client = connect(endpoint, 1, TIMEOUT)
    except ChaperoneError as exc:
        return Check.failed("key", exc)
    await client.close()
    return Check("key", Status.OK, "a profile of the anthropic package on this machine")


def address(endpoint: Endpoint, options: Options) -> Check:
    """Says which server is used, and how its address was read."""
    given = options.base_url or os.environ.get("ANTHROPIC_BASE_URL")
    origin = "--base-url" if options.base_url else "ANTHROPIC_BASE_URL"
    if given is None:
        return Check("server", Status.OK, endpoint.shown)
    if urlsplit(given).path.rstrip("/") != urlsplit(endpoint.url).path:
        return Check(
            "server",
            Status.WARNING,
            f"{origin} ends in a path that is added anyway; it is read as {endpoint.shown}",
            "leave out /v1 and what follows it",
        )
    return Check("server", Status.OK, f"{endpoint.shown}, from {origin}")


def proxy(endpoint: Endpoint) -> Check:
    """Says through which proxy calls go."""
    name = next((name for name in PROXIES if os.environ.get(name)), None)
    if name is None:
        return Check("proxy", Status.OK, "none")
    if endpoint.loopback:
        return Check("proxy", Status.OK, f"{name} is set, but not used to reach this machine")
    host = urlsplit(os.environ[name]).hostname
    return Check(
        "proxy",
        Status.WARNING,
        f"calls go through {host or 'an address that cannot be read'}, from {name}",
        "whoever runs the proxy may see when you audit; unset the variable or add to NO_PROXY",
    )


def logging() -> Check:
    """Warns where the SDK was told to print what it sends."""
    if os.environ.get("ANTHROPIC_LOG", "").lower() == "debug":
        return Check(
            "logging",
            Status.WARNING,
            "ANTHROPIC_LOG=debug makes the anthropic package print whole conversations",
            "unset ANTHROPIC_LOG",
        )
    return Check("logging", Status.OK, "requests are not printed")


def price(options: Options) -> Check:
    """Says whether runs can be priced."""
    if options.price is None:
        return Check(
            "price",
            Status.WARNING,
            f"the price of {options.model!r} is not known, so that cost is neither shown nor "
            "limited",
            "state it in a file for --prices, or limit runs with --max-calls",
        )
    rates = options.price.rates
    return Check(
        "price", Status.OK, f"${rates.input:g} in, ${rates.output:g} out for a million tokens"
    )
