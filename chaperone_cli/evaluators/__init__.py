"""Evaluators answer the rubric's question once per pass; the registry below names them all."""
