"""What a reader finds on the page, read out of the browser as plain data."""

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROWS = """() => [...document.querySelectorAll("#list tbody tr")].map((row) => ({
  id: row.querySelector("th a").textContent,
  verdict: row.querySelector(".badge").textContent,
  blocks: Number(row.querySelector(".col-blocks").textContent),
  turns: Number(row.querySelector(".col-turns").textContent),
  first: row.querySelector(".at")?.textContent ?? null,
  side: row.querySelector(".side")?.textContent ?? null,
}))"""

TIMELINE = """() => [...document.querySelectorAll(".turn[data-turn]")].map((turn) => ({
  turn: Number(turn.dataset.turn),
  side: turn.querySelector(".side").textContent,
  verdict: turn.querySelector(".badge").textContent,
  score: Number(turn.querySelector(".score b").textContent),
  votes: turn.querySelector(".votes .unseen").textContent.split(";")[0].split(", ")
    .map((vote) => vote.replace(/^vote [0-9]+ (abstained: )?/, "").replaceAll(" ", "_")),
  cues: [...new Set([...turn.querySelectorAll(".cue")].map((cue) => cue.textContent))].sort(),
  first: turn.querySelector(".mark-first") !== null,
}))"""

BARS = """(key) => Object.fromEntries(
  [...document.querySelectorAll(`[data-chart=${key}] tbody tr`)].map((row) => [
    row.dataset.name, Number(row.querySelector(".count").textContent.replaceAll(",", "")),
  ]))"""

CELLS = """(key) => [...document.querySelectorAll(`[data-chart=${key}] tbody tr`)]
  .map((row) => [...row.cells].map((cell) => cell.textContent))"""

FIGURES = """() => Object.fromEntries([...document.querySelectorAll("[data-figure], [data-stat]")]
  .map((each) => [
    each.dataset.figure ?? each.dataset.stat, Number(each.textContent.replaceAll(",", "")),
  ]))"""


GO = """(address) => new Promise((done) => {
  if (location.hash === address) done();
  addEventListener("hashchange", () => setTimeout(done), { once: true });
  location.hash = address;
})"""


def go(page: "Page", address: str) -> None:
    """Follows a deep link within the page."""
    page.evaluate(GO, address)


def rows(page: "Page") -> list[dict[str, Any]]:
    """Gives the rows of the list."""
    found: list[dict[str, Any]] = page.evaluate(ROWS)
    return found


def timeline(page: "Page") -> list[dict[str, Any]]:
    """Gives the turns of the open conversation."""
    found: list[dict[str, Any]] = page.evaluate(TIMELINE)
    return found


def quotes(page: "Page") -> set[str]:
    """Gives the passages quoted in the open conversation."""
    return set(page.locator(".quote").all_text_contents())


def bars(page: "Page", key: str) -> dict[str, int]:
    """Gives the numbers beside the bars of a chart."""
    found: dict[str, int] = page.evaluate(BARS, key)
    return found


def cells(page: "Page", key: str) -> list[list[str]]:
    """Gives the text of a chart's table."""
    found: list[list[str]] = page.evaluate(CELLS, key)
    return found


def figures(page: "Page") -> dict[str, float]:
    """Gives every single figure of the overview by its name."""
    found: dict[str, float] = page.evaluate(FIGURES)
    return found


def expected_row(document: dict[str, Any]) -> dict[str, Any]:
    """Gives the row that the list has for a `verdict.v1` document."""
    first = document["first_block"]
    verdicts = Counter(turn["verdict"] for turn in document["turns"])
    return {
        "id": document["conversation"],
        "verdict": document["verdict"] if document["turns_selected"] else "no turn",
        "blocks": verdicts["block"],
        "turns": document["turns_total"],
        "first": first and f"turn {first['turn']}, {first['score']} of {first['of']}",
        "side": first and first["side"],
    }


def expected_timeline(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Gives the timeline of a `verdict.v1` document."""
    first = document["first_block"]
    return [
        {
            "turn": turn["turn"],
            "side": turn["side"],
            "verdict": turn["verdict"],
            "score": turn["score"],
            "votes": [{1: "yes", 0: "no"}.get(vote, vote) for vote in turn["votes"]],
            "cues": sorted({cue for each in turn.get("evidence", ()) for cue in each["cues"]}),
            "first": first is not None and turn["turn"] == first["turn"],
        }
        for turn in document["turns"]
    ]
