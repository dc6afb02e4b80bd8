"""The sensitivity rule: how many yes votes of N block a turn, and when that is settled.

The rules are those of Rath, Armstrong and Gorman (2025): unanimous S = N, balanced S >= ceil(N/2),
conservative S >= 1, where S counts the yes votes of N passes. Abstentions are neither yes nor no:
a turn blocks once it has enough yes votes, passes once enough no votes make that impossible, and
stays undecided where only the abstentions could have told.
"""

from dataclasses import dataclass
from typing import ClassVar

from chaperone_cli.domain.verdict import Verdict
from chaperone_cli.domain.vote import Tally
from chaperone_cli.errors import UsageError


@dataclass(frozen=True, slots=True)
class Rule:
    """A sensitivity: one of the named rules, or a fixed number of yes votes."""

    name: str
    """`unanimous`, `balanced`, `conservative`, or the number of yes votes as text."""

    NAMES: ClassVar[tuple[str, ...]] = ("unanimous", "balanced", "conservative")
    ALIASES: ClassVar[dict[str, str]] = {"tolerant": "unanimous"}

    @classmethod
    def parse(cls, text: str) -> "Rule":
        """Reads a rule's name, its alias, or a number of yes votes; raises UsageError."""
        name = cls.ALIASES.get(text.strip().lower(), text.strip().lower())
        if name in cls.NAMES:
            return cls(name)
        if name.isascii() and name.isdigit() and int(name) >= 1:
            return cls(str(int(name)))
        known = ", ".join((*cls.NAMES, *cls.ALIASES))
        raise UsageError(
            f"unknown rule {text[:40]!r}", hint=f"use {known}, or a number of yes votes from 1"
        )

    def threshold(self, passes: int) -> int:
        """K, the yes votes of `passes` that block a turn; raises UsageError if k > N."""
        match self.name:
            case "unanimous":
                return passes
            case "balanced":
                return (passes + 1) // 2
            case "conservative":
                return 1
            case _:
                return self._number(passes)

    def _number(self, passes: int) -> int:
        if (k := int(self.name)) > passes:
            raise UsageError(
                f"rule {k} needs {k} yes votes, but each turn gets only {passes}",
                hint=f"lower --rule to at most {passes}, or raise --votes",
            )
        return k

    def decide(self, tally: Tally, passes: int) -> Verdict | None:
        """The verdict, or None while the outstanding votes could still change it."""
        k = self.threshold(passes)
        outstanding = passes - tally.cast
        if tally.yes >= k:
            return Verdict.BLOCK
        if tally.no > passes - k:
            return Verdict.PASS
        if tally.yes + outstanding < k and tally.no + outstanding <= passes - k:
            return Verdict.UNDECIDED
        return None

    def wave(self, tally: Tally, passes: int) -> int:
        """How many further votes to ask for now: as many as every outcome needs at least.

        No answer of such a wave can come too late to matter, so asking for its votes together
        casts no vote that asking one by one would have saved. It is 0 once the verdict is settled.
        """
        if self.decide(tally, passes) is not None:
            return 0
        k = self.threshold(passes)
        to_block = k - tally.yes
        to_pass = passes - k + 1 - tally.no
        # An undecided turn has at most k - 1 yes votes and at most N - k no votes.
        to_undecided = max(to_block, to_pass) - tally.abstain
        return min(to_block, to_pass, to_undecided)


RULES = tuple(Rule(name) for name in Rule.NAMES)
"""The paper's three rules, from the least to the most sensitive."""
