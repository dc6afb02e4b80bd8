"""Whatever a log says stays text: nothing of it runs, hides, or turns the page around."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from chaperone_cli import reporters
from chaperone_cli.codec.verdict import shorten
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.problem import Problem, Severity
from chaperone_cli.domain.verdict import Explanation
from chaperone_cli.domain.vote import Answer, Evidence, Span, Vote
from chaperone_cli.reporters.sanitise import plain, prose
from tests.reporters.html import pages
from tests.reporters.html.conftest import Visit
from tests.reporters.html.odd import renamed
from tests.reporters.runs import header, report, thirty

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<!--<script>",
    "]]></style></title></noscript><h1>owned</h1>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}${7*7}",
    "a\N{RIGHT-TO-LEFT OVERRIDE}txt.exe",
    "zero\N{ZERO WIDTH SPACE}width",
    "\x00\x1b[31m\r\n\t\x07\x85\ufffe\uffff",
    "&lt;b&gt;&amp;#x27;\"'`",
    "\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}",
    "lone \ud800 surrogate",
    "__proto__",
    "constructor",
    "#c=parasocial-01&t=3",
    "שלום عليكم",
    "x" * 3000,
    "overview",
    r"a\u202etxt.exe",
    " ",
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every hostile string as id, label, path, cue, quote, explanation and problem."""
    file = tmp_path_factory.mktemp("page") / "hostile.html"
    head = replace(header(), inputs=tuple(HOSTILE), evaluator=HOSTILE[0], platform=HOSTILE[1])
    judged = []
    for one, text in zip(thirty(head), HOSTILE, strict=False):
        span = Span(1, 0, 9, Side.PROMPT)
        vote = Vote(Answer.YES, evidence=Evidence((text, "plain cue"), span))
        turn = replace(one.verdict.turns[0], votes=(vote,) * 5)
        facts = {
            "turns": (turn,),
            "label": text,
            "source": one.verdict.source._replace(path=text),
            "explanation": Explanation(1, text, span),
        }
        judged.append(renamed(one, text, **facts)._replace(quotes={span: text}))
    problems = [Problem(Severity.ERROR, text, text, 1, text, 1) for text in HOSTILE]
    report(reporters.for_path(file), head, judged, problems)
    return file


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
