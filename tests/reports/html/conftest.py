"""A real headless Chromium; tests that need one are skipped where the machine has none."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Visit = Callable[..., "Page"]

# The sandbox needs privileges that containers lack; the rest keeps the browser off the network.
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# NOTE: while Playwright runs, its event loop runs in this thread: tests of this folder that use the
# command line start it as a process of its own.
@pytest.fixture(scope="package")
def browser() -> Iterator["Browser"]:
    """Chromium, for all tests of this folder."""
    playwright = pytest.importorskip("playwright.sync_api", exc_type=ImportError)
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=path, args=SWITCHES)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def desktop(browser: "Browser") -> Iterator["BrowserContext"]:
    """A window that tests share: opening one takes longer than most of them."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


@pytest.fixture
def visit(browser: "Browser", desktop: "BrowserContext") -> Iterator[Visit]:
    """Opens a file as a reader would; the test fails if the page complains of anything."""
    yield from _visits(browser, desktop)


@pytest.fixture(scope="module")
def visit_long(browser: "Browser", desktop: "BrowserContext") -> Iterator[Visit]:
    """The same for a page that several tests look at."""
    yield from _visits(browser, desktop)


def _visits(browser: "Browser", desktop: "BrowserContext") -> Iterator[Visit]:
    complaints: list[str] = []
    opened: list[Any] = []

    def open_page(path: Path, address: str = "", **options: Any) -> "Page":
        context = browser.new_context(**options) if options else desktop
        page = context.new_page()
        opened.append(context if options else page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog said {dialog.message}"))
        page.on("request", lambda request: complaints.extend(_abroad(request.url)))
        page.goto(f"{path.as_uri()}{address}")
        return page

    yield open_page
    for each in opened:
        each.close()
    assert complaints == []


def _abroad(url: str) -> list[str]:
    return [] if url.startswith(("file:", "data:")) else [f"asked for {url}"]
