"""Rewrites flagged responses, and judges each rewrite in its place."""
