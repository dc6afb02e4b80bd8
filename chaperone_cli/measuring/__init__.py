"""Measures evaluators, screens and runs against what is known."""
