"""The evaluator of the paper: a large model asked over the Messages API, at the least cost."""
