"""The evaluator that runs on this machine, offline: words, a small encoder, and five members."""

from chaperone_cli.evaluators.local.evaluator import LocalEvaluator

__all__ = ["LocalEvaluator"]
