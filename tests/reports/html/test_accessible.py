"""Everyone can read the page: contrast, names, landmarks, order, and a visible focus."""

from pathlib import Path
from typing import Any

import pytest

from chaperone_cli import reports
from tests.reports.html.conftest import Visit
from tests.reports.html.odd import PROBLEMS, odd
from tests.reports.runs import header, report, thirty

LEAST_CONTRAST = 4.5
"""Of text against its ground: WCAG 2.2, success criterion 1.4.3, level AA."""

# The definition of relative luminance and contrast ratio is WCAG's.
FAINT = """(least) => {
  const parse = (colour) => (colour.match(/[0-9.]+/g) ?? []).map(Number);
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, alpha = 1] = parse(getComputedStyle(at).backgroundColor);
      if (alpha === 1 && r !== undefined) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = new Set();
  let seen = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const shown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const off = element.closest("script, style, noscript, :disabled, .off, .unseen, .skip");
    if (!walker.currentNode.data.trim() || !shown || off) continue;
    const style = getComputedStyle(element);
    const colour = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [luminance(parse(colour).slice(0, 3)), luminance(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    seen += 1;
    if (ratio < least) faint.add(`${element.className || element.tagName} ${ratio.toFixed(2)}`);
  }
  return { faint: [...faint], seen };
}"""

NAMELESS = """() => [...document.querySelectorAll("input, select, button, a, [role=img], table")]
  .filter((each) => !(
    each.ariaLabel || each.labels?.length || each.textContent.trim() || each.title ||
    each.getAttribute("aria-labelledby") || each.caption
  )).map((each) => each.outerHTML.slice(0, 80))"""

HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3")]
  .filter((each) => each.checkVisibility()).map((each) => Number(each.tagName[1]))"""

DANGLING = """() => [...document.querySelectorAll("[aria-labelledby], [aria-controls]")]
  .flatMap((each) => (each.getAttribute("aria-labelledby") ?? "").split(" "))
  .filter((id) => id && !document.getElementById(id))"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page on which everything occurs that can."""
    file = tmp_path_factory.mktemp("page") / "report.html"
    head = header(all_votes=True)
    report(reports.for_path(file), head, [*thirty(head), *odd(60)], PROBLEMS)
    return file


@pytest.mark.parametrize(
    ("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")]
)
@pytest.mark.parametrize("address", ["", "#c=parasocial-09", "#c=odd%208"])
def test_text_stands_out_from_its_ground(
    visit: Visit, path: Path, scheme: str, media: Any, address: str
) -> None:
    page = visit(path, address, color_scheme=scheme)
    page.emulate_media(media=media)
    found = page.evaluate(FAINT, LEAST_CONTRAST)
    assert found["faint"] == []
    assert found["seen"] > 100


@pytest.mark.parametrize("address", ["", "#c=parasocial-09"])
def test_everything_has_a_name_and_a_place(visit: Visit, path: Path, address: str) -> None:
    page = visit(path, address)
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(DANGLING) == []
    headings = page.evaluate(HEADINGS)
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert [page.locator(f"{tag} >> visible=true").count() for tag in ("header", "main")] == [1, 1]
    assert page.get_attribute("html", "lang") == "en"


def test_the_keyboard_reaches_everything_and_the_focus_shows(visit: Visit, path: Path) -> None:
    page = visit(path)
    reached = []
    for _ in range(24):
        page.keyboard.press("Tab")
        style = "getComputedStyle(document.activeElement)"
        assert page.evaluate(f"{style}.outlineStyle") == "solid"
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.name"))
    assert {"help", "q", "verdict", "side", "label", "cue"} <= set(reached)


def test_the_status_of_the_list_is_spoken(visit: Visit, path: Path) -> None:
    status = visit(path).locator("#status")
    assert status.get_attribute("role") == "status"


def test_verdicts_differ_in_more_than_colour(visit: Visit, path: Path) -> None:
    page = visit(path, "#sort=log")
    marks = {
        verdict: page.evaluate(
            "verdict => getComputedStyle(document.querySelector(`#list .badge.${verdict}`),"
            " '::before').content + document.querySelector(`#list .badge.${verdict}`).textContent",
            verdict,
        )
        for verdict in ("block", "undecided", "pass")
    }
    assert marks == {"block": '"◆"block', "undecided": '"?"undecided', "pass": '"✓"pass'}
