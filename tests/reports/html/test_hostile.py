"""Whatever a log says stays text: nothing of it runs, hides, or turns the page around."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from chaperone_cli.codec.verdict import shorten
from chaperone_cli.reports.text import plain, prose
from tests.reports.html import pages
from tests.reports.html.conftest import Visit
from tests.reports.html.hostile_page import HOSTILE, write_hostile

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every hostile string in every place where a log's words may stand."""
    return write_hostile(tmp_path_factory.mktemp("page") / "hostile.html")


def test_ids_are_shown_as_text(visit: Visit, path: Path) -> None:
    page = visit(path, "#sort=log")
    assert [row["id"] for row in pages.rows(page)] == [plain(text) for text in HOSTILE]
    assert page.title().endswith("conversations blocked · chaperone")
    assert page.locator("h1").count() == 1
    assert page.evaluate("document.querySelectorAll('img, iframe, object, [onerror]').length") == 0


def test_every_conversation_opens_and_quotes_as_text(visit: Visit, path: Path) -> None:
    page = visit(path, "#sort=log")
    for place, text in enumerate(HOSTILE):
        link = page.locator("#list tbody tr th a").nth(place)
        pages.go(page, link.get_attribute("href") or "")
        shown = page.locator("#conversation-title bdi")
        assert shown.text_content() == plain(text)
        facts = page.locator(".facts dd bdi").all_text_contents()
        assert facts == [plain(text), f"{plain(text)}:{place + 1}"]
        article = page.locator("#conversation")
        assert article.locator(".cue").first.text_content() == plain(text)
        assert article.locator(".why bdi").first.text_content() == prose(text)
        assert article.locator(".why .quote").text_content() == f"“{prose(shorten(text))}”"
        assert page.locator("h1 >> visible=true").count() == 1
        page.go_back()
    assert page.evaluate("document.querySelectorAll('img, iframe, object, [onerror]').length") == 0


def test_problems_and_settings_are_shown_as_text(visit: Visit, path: Path) -> None:
    page = visit(path)
    page.click("#all-problems")
    problems = page.locator("#problem-table tbody tr td:last-child")
    assert [" ".join(text.split()) for text in problems.all_text_contents()] == [
        " ".join(plain(text).split()) for text in HOSTILE
    ]
    assert plain(HOSTILE[0]) in page.locator("#settings").text_content()  # type: ignore[operator]


def test_no_hidden_character_reaches_the_page(path: Path) -> None:
    text = path.read_text("utf-8")
    assert [char for char in text if char != "\n" and plain(char) != char] == []


def test_a_script_that_got_in_would_not_run(browser: "Browser", path: Path, tmp_path: Path) -> None:
    text, owned = path.read_text("utf-8"), "document.title='owned'"
    marker = '<main id="main">'
    assert text.count(marker) == 1
    smuggled = tmp_path / "smuggled.html"
    extra = f"<script>{owned}</script><img id=x src=http://127.0.0.1:9/ onerror={owned}>"
    button = f'<button id=victim style="color: red" onclick="{owned}">x</button>'
    smuggled.write_text(text.replace(marker, marker + extra + button), "utf-8")
    from playwright.sync_api import Error

    page = browser.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(smuggled.as_uri())
    page.click("#victim")
    assert page.title() != "owned"
    with pytest.raises(Error, match="TrustedHTML"):
        page.evaluate("document.body.innerHTML = 'owned'")
    assert len(refused) >= 4
    assert all("Content Security Policy" in text or "TrustedHTML" in text for text in refused)
    page.close()
