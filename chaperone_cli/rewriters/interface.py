"""What every rewriter offers: rewrites of one response, each in the light of those before it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from chaperone_cli.domain.rephrasing import Attempt
from chaperone_cli.domain.rewrite import Draft, Failure, Target
from chaperone_cli.domain.strategy import Strategy


class Rewriter(ABC):
    """Rewrites responses under strategies."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Names the rewriter and everything else that shapes its rewrites, for reports."""

    @abstractmethod
    def supports(self, strategy: Strategy) -> bool:
        """Says whether it can carry `strategy` out."""

    @abstractmethod
    async def rewrite(
        self, target: Target, strategy: Strategy, earlier: Sequence[Attempt]
    ) -> Draft | Failure | None:
        """Gives the next rewrite of `target`, after the attempts `earlier`, none of which passed.

        None where it has no other rewrite to offer. A rewrite that fails for this response alone
        is a Failure; raises EvaluatorError or BudgetExhausted where none can succeed any more.
        """

    def check(self) -> None:
        """Raises EvaluatorError where nothing can be rewritten; asks nobody."""
        return None

    async def close(self) -> None:
        """Releases what the rewriter holds."""
        return None
