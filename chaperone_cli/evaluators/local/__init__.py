"""The evaluator that runs on this machine, from words alone: five small trained members."""

from chaperone_cli.evaluators.local.evaluator import LocalEvaluator

__all__ = ["LocalEvaluator"]
