"""Without a browser: no text of a log becomes an element, whichever switch is off."""

from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import jinja2
import pytest

from tests.reports.html.hostile_page import HOSTILE, write_hostile
from tests.reports.html.odd import write_odd

OWN = {"html", "head", "body", "script", "style", "meta", "link", "h1"}


class Elements(HTMLParser):
    """Counts elements, and keeps attributes that would run script."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.running: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.running += [name for name, _ in attrs if name.startswith("on")]


def elements(page: str) -> Elements:
    found = Elements()
    found.feed(page)
    return found


@pytest.mark.parametrize("off", ["nothing", "autoescape", "finalize"])
def test_text_stays_text(off: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = elements(write_odd(tmp_path)[0].read_text("utf-8"))
    environment = jinja2.Environment

    def weakened(**settings: object) -> jinja2.Environment:
        switches: dict[str, object] = {"autoescape": False, "finalize": None}
        settings |= {name: value for name, value in switches.items() if name == off}
        return environment(**settings)  # type: ignore[arg-type]

    monkeypatch.setattr(jinja2, "Environment", weakened)
    page = write_hostile(tmp_path / "hostile.html").read_text("utf-8")
    found = elements(page)
    assert found.running == []
    assert {"img", "iframe", "object"}.isdisjoint(found.tags)
    # Scripts are one a kind of data and the page's own, for a small log as for another.
    assert {tag: found.tags[tag] for tag in OWN} == {tag: odd.tags[tag] for tag in OWN}
    for text in HOSTILE[:4]:
        assert text not in page
