"""The page of a run that was cut short: the conversations it was cut short in are marked."""

from pathlib import Path

from tests.reports.html import pages
from tests.reports.html.conftest import Visit
from tests.reports.test_partial import written

DEEP = "/home/somebody/" + "/".join(["a-folder-in-a-folder"] * 6)


def test_what_the_run_did_not_reach_is_said(tmp_path: Path, visit: Visit) -> None:
    written(tmp_path, "r.html", DEEP)
    page = visit(tmp_path / "r.incomplete.html", viewport={"width": 390, "height": 800})
    badges = {row["id"]: row["verdict"] for row in pages.rows(page)}
    assert badges == {
        "blocked": "block",
        "open": "cut short",
        "whole": "block",
        "left": "undecided",
    }
    notes = page.locator("#list .note .label").all_text_contents()
    assert notes == ["cut short"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for name, turn in (("blocked", 2), ("open", 1)):
        pages.go(page, f"#c={name}")
        assert f"was cut short after turn {turn}" in page.locator(".facts").inner_text()
