"""What a reader does with the page: sort, filter, open, go back, by mouse, keys, phone, printer."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from chaperone_cli import reports
from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.verdict import ConversationVerdict
from tests.reports.html import pages
from tests.reports.html.conftest import Visit
from tests.reports.html.odd import PROBLEMS, odd, renamed
from tests.reports.runs import Judged, header, report, thirty

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample dialogues, and two hundred odd conversations."""
    file = tmp_path_factory.mktemp("page") / "report.html"
    head = header(all_votes=True)
    report(reports.for_path(file), head, [*thirty(head), *long(), *odd(199, 8)], PROBLEMS)
    return file


@cache
def long() -> list[Judged]:
    """Gives one conversation of more turns than are drawn at once, with gaps between them."""
    one = max(odd(8, 300), key=lambda one: len(one.verdict.turns))
    return [renamed(one, "a long one")]


def longest() -> ConversationVerdict:
    return long()[0].verdict


@pytest.fixture
def page(visit: Visit, path: Path) -> "Page":
    return visit(path)


def ids(page: "Page") -> list[str]:
    return [row["id"] for row in pages.rows(page)]


def wait_for_title(page: "Page", start: str) -> None:
    page.wait_for_function("start => document.title.startsWith(start)", arg=start, timeout=5000)


def test_finding_by_id(page: "Page") -> None:
    page.fill("#q", "PARASOCIAL-0")
    assert ids(page) == [f"parasocial-0{n}" for n in range(1, 10)]
    assert page.inner_text("#status") == "9 of 230 conversations"
    page.click("#reset")
    assert page.inner_text("#status") == "All 230 conversations"


def test_filters_combine_and_are_in_the_address(page: "Page") -> None:
    page.check("input[value=block]")
    page.select_option("#side", "prompt")
    page.select_option("#label", "parasocial")
    page.select_option("#cue", "exclusivity")
    page.fill("#q", "parasocial")
    run = [one.verdict for one in thirty(header(all_votes=True))]
    expected = [one.conversation for one in run if one.attribution is Side.PROMPT]
    assert ids(page) == expected
    assert 0 < len(expected) < 10
    assert page.evaluate("location.hash") == (
        "#q=parasocial&verdict=block&side=prompt&label=parasocial&cue=exclusivity"
    )
    page.reload()
    assert ids(page) == expected


def test_sorting_by_a_column_and_back(page: "Page") -> None:
    heading = page.locator("th[data-sort=turns]")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    falling = [row["turns"] for row in pages.rows(page)]
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    rising = [row["turns"] for row in pages.rows(page)]
    assert (falling, rising) == (sorted(falling, reverse=True), sorted(rising))
    assert falling[0] > rising[0]
    assert page.locator("th[aria-sort]").count() == 1


def test_a_long_list_is_drawn_as_it_is_read(page: "Page") -> None:
    assert len(ids(page)) == 100
    assert page.get_attribute("#list", "aria-rowcount") == "231"
    for drawn in (100, 200):
        page.locator("#more").scroll_into_view_if_needed()
        more = "drawn => document.querySelectorAll('#list tbody tr').length > drawn"
        page.wait_for_function(more, arg=drawn)
    assert page.is_hidden("#more")
    assert len(set(ids(page))) == 230


def test_a_conversation_and_the_way_back(page: "Page") -> None:
    page.fill("#q", "parasocial")
    page.click("text=parasocial-04")
    assert page.inner_text("#conversation-title").startswith("parasocial-04")
    assert page.is_hidden("#overview")
    page.go_back()
    assert page.is_visible("#overview")
    assert len(ids(page)) == 10
    assert page.evaluate("document.activeElement.textContent") == "parasocial-04"


def test_a_link_to_a_turn(visit: Visit, path: Path) -> None:
    page = visit(path, "#c=parasocial-09&t=7")
    assert page.evaluate("document.activeElement.id") == "t7"
    assert page.is_visible("#t7")


def test_a_link_to_a_late_turn_of_a_long_conversation(visit: Visit, path: Path) -> None:
    one = longest()
    last = one.turns[-1].turn
    page = visit(path, f"#c={quote(one.conversation)}&t={last}")
    assert page.evaluate("document.activeElement.id") == f"t{last}"
    assert [turn["turn"] for turn in pages.timeline(page)] == [turn.turn for turn in one.turns]


def test_a_link_to_what_is_not_there_says_so(visit: Visit, path: Path) -> None:
    page = visit(path, "#c=nobody")
    assert page.inner_text("#status") == "The conversation of this link is not in this report."


def test_a_long_timeline_is_drawn_as_it_is_read(visit: Visit, path: Path) -> None:
    one = longest()
    page = visit(path, f"#c={quote(one.conversation)}")
    assert len(pages.timeline(page)) == 100
    page.locator(".more-turns").scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelectorAll('.turn[data-turn]').length > 100")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert [turn["turn"] for turn in pages.timeline(page)] == [turn.turn for turn in one.turns]


def test_keys(page: "Page") -> None:
    press = page.keyboard.press
    press("/")
    page.keyboard.type("parasocial-0")
    press("Escape")
    press("j")
    press("j")
    press("Enter")
    wait_for_title(page, "parasocial-02")
    press("n")
    wait_for_title(page, "parasocial-03")
    press("p")
    wait_for_title(page, "parasocial-02")
    press("f")
    page.wait_for_function("() => document.activeElement.classList.contains('first')")
    turn = int(page.evaluate("document.activeElement.dataset.turn"))
    press("j")
    press("j")
    press("k")
    assert page.evaluate("document.activeElement.dataset.turn") == str(turn + 1)
    press("u")
    page.wait_for_selector("#list")
    press("r")
    assert page.inner_text("#status") == "All 230 conversations"


def test_the_keys_are_listed_and_can_be_switched_off(page: "Page") -> None:
    page.keyboard.press("?")
    listed = set(page.locator("#keys kbd").all_inner_texts())
    assert listed == {"j", "k", "Enter", "n", "p", "f", "u", "Esc", "/", "r", "?"}
    page.uncheck("#keys-on")
    page.click("#keys-close")
    page.keyboard.press("?")
    assert page.is_hidden("#keys")


def test_all_problems_can_be_shown(page: "Page") -> None:
    problems = page.locator("#problem-table tbody tr")
    assert problems.count() == 10
    assert problems.first.inner_text() == "error\todd.jsonl:70 conversation c-1 turn 2\tnot JSON"
    static = problems.first.inner_html()
    page.click("#all-problems")
    assert problems.count() == 70
    assert problems.last.inner_html() == static


def test_turns_that_were_not_judged_are_said(visit: Visit, path: Path) -> None:
    one = longest()
    page = visit(path, f"#c={quote(one.conversation)}")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    judged = {turn.turn for turn in one.turns}
    gaps = " ".join(page.locator(".gap").all_text_contents())
    ranges = re.findall(r"turns? (\d+)(?: to (\d+))?", gaps)
    said = {n for a, b in ranges for n in range(int(a), int(b or a) + 1)}
    assert said == set(range(1, one.turns_total + 1)) - judged


def test_without_script_the_overview_and_the_first_conversations_stand(
    visit: Visit, path: Path
) -> None:
    page = visit(path, java_script_enabled=False)
    assert page.inner_text("h1").endswith(" of 230 conversations blocked")
    assert page.locator("noscript tbody tr").count() == 100
    assert page.locator("noscript .badge").first.inner_text() == "block"
    assert page.locator(".needs-script >> visible=true").count() == 0


@pytest.mark.parametrize("width", [320, 375, 768, 1024])
@pytest.mark.parametrize("address", ["", "#c=parasocial-09"])
def test_nothing_is_wider_than_the_screen(
    visit: Visit, path: Path, width: int, address: str
) -> None:
    page = visit(path, address, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_printing_a_list_takes_all_of_it(page: "Page") -> None:
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(ids(page)) == 230
    assert page.locator(".filters >> visible=true").count() == 0


def test_ten_thousand_conversations_open_within_two_seconds(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "many.html"
    head = header()
    few = list(thirty(head))
    many = (one for _ in range(334) for one in few)
    report(reports.for_path(file), head, many)
    page = visit(file)
    assert page.inner_text("#status") == "All 10,020 conversations"
    # The best of three, because a busy machine says nothing of the page.
    taken = []
    for _ in range(3):
        page.reload()
        taken.append(page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
    assert min(taken) < 2000
