"""Prints what the HTML report costs: size, build time and memory, and how a browser takes to it.

    python -m tests.benchmarks.html_report [CONVERSATIONS ...]

Each page holds the thirty sample dialogues (20 turns) over and over under ids of their own, judged
by the local evaluator with quotes, in two ways: votes that stop once settled, and all votes cast.
Build time is what the reporter adds to a run; its peak memory is what Python allocates for it. The
browser is headless Chromium opening the file; of several openings the median is given.
"""

import asyncio
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from chaperone_cli.auditing import build as parts
from chaperone_cli.auditing.auditor import Audited, Auditor
from chaperone_cli.auditing.run import quotes_for
from chaperone_cli.config import Settings
from chaperone_cli.domain.run import Summary, Usage
from chaperone_cli.readers import LogReader
from chaperone_cli.reports.html.reporter import HtmlReporter
from chaperone_cli.reports.interface import Quotes, Reporter
from tests.conftest import SAMPLES
from tests.reports.html.conftest import SWITCHES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from chaperone_cli.domain.verdict import ConversationVerdict

OPENINGS = 5
CHROMIUM = "/usr/bin/chromium"

TIMES = """async () => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const first = () => performance.getEntriesByName("first-contentful-paint")[0];
  while (!first()) await painted();
  const field = document.getElementById("q");
  const started = performance.now();
  field.value = "parasocial-07";
  field.dispatchEvent(new Event("input"));
  await painted();
  const filtered = performance.now() - started;
  const [loaded] = performance.getEntriesByType("navigation");
  return [first().startTime, loaded.loadEventEnd, filtered];
}"""


class Judged(NamedTuple):
    """The sample dialogues as one auditor judges them."""

    auditor: Auditor
    few: list[tuple["ConversationVerdict", Quotes]]


def judged(settings: Settings) -> Judged:
    """Audits the sample dialogues once."""
    auditor = parts.auditor(settings)

    async def run() -> list[tuple["ConversationVerdict", Quotes]]:
        found = []
        async for result in auditor.run(LogReader([str(SAMPLES / "thirty.jsonl")])):
            assert isinstance(result, Audited)
            found.append((result.verdict, quotes_for(result.verdict, result.conversation)))
        return found

    return Judged(auditor, asyncio.run(run()))


def many(
    few: list[tuple["ConversationVerdict", Quotes]], count: int
) -> Iterator[tuple["ConversationVerdict", Quotes]]:
    """Gives `count` conversations, each with an id of its own."""
    for number, (verdict, quotes) in enumerate(islice(cycle(few), count)):
        yield replace(verdict, conversation=f"{verdict.conversation}-{number:06}"), quotes


def build(path: Path, run: Judged, count: int) -> float:
    """Writes a page and gives the seconds that the reporter took."""
    reporter: Reporter = HtmlReporter(path)
    summary, taken = Summary(run.auditor.protocol.passes), 0.0
    reporter.open(parts.header(run.auditor, ["thirty.jsonl"]))
    for verdict, quotes in many(run.few, count):
        summary.add(verdict)
        started = time.perf_counter()
        reporter.add(verdict, quotes)
        taken += time.perf_counter() - started
    started = time.perf_counter()
    reporter.close(summary, Usage(summary.votes_cast))
    return taken + time.perf_counter() - started


def peak(path: Path, run: Judged, count: int) -> float:
    """Writes the page again and gives the most MB that Python held for it at once."""
    tracemalloc.start()
    build(path, run, count)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def opened(browser: "Browser", path: Path) -> list[float]:
    """Gives milliseconds to the first paint, until all is ready, and for a filter to be painted."""
    times: list[Any] = []
    for _ in range(OPENINGS):
        page = browser.new_page()
        page.goto(path.as_uri())
        times.append(page.evaluate(TIMES))
        page.close()
    return [median(column) for column in zip(*times, strict=True)]


def main() -> None:
    counts = [int(word) for word in sys.argv[1:]] or [1_000, 10_000]
    ways = {"votes stop once settled": Settings(), "all votes cast": Settings(all_votes=True)}
    built: dict[tuple[str, int], Path] = {}
    with tempfile.TemporaryDirectory() as folder:
        for way, settings in ways.items():
            run = judged(settings)
            for count in counts:
                path = built[way, count] = Path(folder) / f"{len(built)}.html"
                seconds = build(path, run, count)
                most = peak(Path(folder) / "again.html", run, count)
                print(
                    f"{count:>7,} conversations, {way}: {path.stat().st_size / 1e6:.2f} MB, "
                    f"built in {seconds:.2f} s, Python's peak {most:.1f} MB"
                )
        measure(built)


def measure(paths: dict[tuple[str, int], Path]) -> None:
    """Prints the browser's times."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        for (way, count), path in paths.items():
            paint, ready, filtered = opened(browser, path)
            print(
                f"{count:>7,} conversations, {way}: first paint {paint:.0f} ms, "
                f"ready {ready:.0f} ms, filtered in {filtered:.0f} ms"
            )
        browser.close()


if __name__ == "__main__":
    main()
