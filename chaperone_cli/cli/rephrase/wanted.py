"""What `chaperone rephrase` is asked for."""

from dataclasses import dataclass
from pathlib import Path

from chaperone_cli.codec.phrasebook import phrasebook
from chaperone_cli.errors import UsageError


@dataclass(frozen=True)
class Wanted:
    """Which responses are to be rewritten, and how."""

    path: str
    conversation: str | None = None
    turn: int | None = None
    first_block: bool = False
    every: bool = False
    """The first block of every conversation."""
    report: Path | None = None
    """The saved run that says which those are; None to audit the log now."""
    force: bool = False
    rewriter: str = "prune"
    strategies: tuple[str, ...] = ("neutral",)
    attempts: int = 3
    locale: str | None = None

    def check(self) -> None:
        """Raises UsageError for options that do not go together."""
        chosen = [self.turn is not None, self.first_block, self.every]
        if sum(chosen) != 1:
            raise UsageError(
                "say which response to rewrite, in one way",
                hint="use --turn K, --first-block, or --all",
            )
        if self.every and self.conversation is not None:
            raise UsageError(
                "--all rewrites in every conversation", hint="leave out --conversation"
            )
        if self.report is not None and not self.every:
            raise UsageError("--report says where first blocks are", hint="add --all")
        if self.attempts < 1:
            raise UsageError("--attempts must be a number from 1 on")
        # Whoever is named the wrong line for help may find none in time.
        if self.locale is not None and not (known := phrasebook().help).knows(self.locale):
            raise UsageError(
                f"there are no lines of help for --locale {self.locale[:40]!r}",
                hint=f"use {', '.join(known.regions)}, alone or as in en-{known.regions[0]}; "
                "or leave it out for a list of lines for all countries",
            )


def strategies(one: str | None, compared: str | None) -> tuple[str, ...]:
    """Gives the strategies that `--strategy` and `--compare` name; raises UsageError."""
    if compared is None:
        return (one or "neutral",)
    if one is not None:
        raise UsageError(
            "--compare names the strategies by itself", hint="add it to them, without --strategy"
        )
    names = tuple(dict.fromkeys(name.strip() for name in compared.split(",") if name.strip()))
    if not names:
        raise UsageError("--compare names no strategy", hint="use --compare neutral,warm")
    return names
