"""What an audit with --baseline does besides: compares itself with the earlier run."""

from collections.abc import Sequence

from chaperone_cli.auditing.host import Host
from chaperone_cli.cli import console
from chaperone_cli.config import Settings
from chaperone_cli.domain.comparison import Comparison
from chaperone_cli.errors import UsageError
from chaperone_cli.measuring.comparison import Comparing, Earlier, notes
from chaperone_cli.reports import comparison as reports
from chaperone_cli.reports.comparison import TerminalComparison
from chaperone_cli.reports.interface import Reporter


class Baseline:
    """No baseline: nothing is compared, and everything that is found counts."""

    reporters: Sequence[Reporter] = ()
    comparison: Comparison | None = None
    """What changed; None where nothing is compared."""

    @classmethod
    def of(cls, settings: Settings, host: Host) -> "Baseline":
        """Gives the baseline that `settings` name; raises InputError where it cannot be read."""
        if settings.baseline is not None:
            return _Compared(settings, host)
        if settings.changes:
            raise UsageError(
                "--changes says what changed since a baseline, and there is none",
                hint="name an earlier report with --baseline",
            )
        return cls()

    def show(self) -> None:
        """Prints what changed."""


class _Compared(Baseline):
    def __init__(self, settings: Settings, host: Host) -> None:
        assert settings.baseline is not None
        files = [reports.for_path(path) for path in settings.changes]
        self._shown = TerminalComparison(console.result(), settings.rows)
        self._earlier = Earlier(settings.baseline, host)
        self._comparing = Comparing(self._earlier, [*files, self._shown])
        self.reporters = [self._comparing]
        self.comparison = self._comparing.comparison

    def show(self) -> None:
        if not self._comparing.ended:
            return
        console.result().print()
        self._shown.show()
        for note in notes(self._earlier, self._comparing.comparison):
            console.note(f"note: {note}")
