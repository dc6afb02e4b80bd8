"""Reports turn verdicts into text and files, one file per format."""

from collections.abc import Callable
from pathlib import Path

from chaperone_cli.errors import UsageError
from chaperone_cli.reports.csv_file import CsvReporter
from chaperone_cli.reports.html.reporter import HtmlReporter
from chaperone_cli.reports.interface import Reporter
from chaperone_cli.reports.json_file import JsonlReporter, JsonReporter
from chaperone_cli.reports.junit_file import JunitReporter
from chaperone_cli.reports.markdown_file import MarkdownReporter
from chaperone_cli.reports.parquet_file import ParquetReporter
from chaperone_cli.reports.sarif_file import SarifReporter

FILE_REPORTERS: dict[str, Callable[[Path], Reporter]] = {
    ".json": JsonReporter,
    ".jsonl": JsonlReporter,
    ".csv": CsvReporter,
    ".html": HtmlReporter,
    ".sarif": SarifReporter,
    ".xml": JunitReporter,
    ".md": MarkdownReporter,
    ".parquet": ParquetReporter,
}


def for_path(path: str | Path) -> Reporter:
    """The reporter that writes the format which the suffix of `path` names.

    Raises UsageError for a suffix that no format has.
    """
    suffix = Path(path).suffix.lower()
    reporter = FILE_REPORTERS.get(suffix)
    if reporter is None:
        ending = f"ending in {suffix}" if suffix else "without a suffix"
        raise UsageError(
            f"{path}: no report format for a name {ending}",
            hint=f"let the name end in {', '.join(FILE_REPORTERS)}",
        )
    return reporter(Path(path))
