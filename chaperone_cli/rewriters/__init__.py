"""Rewriters propose other wordings of a response; `REWRITERS` names them all."""

REWRITERS: dict[str, str] = {
    "prune": "offline: keeps what is useful and takes out what carries the bond",
    "claude": "a model rewrites under the strategy; conversations leave this machine",
}
"""Every rewriter, and what it does; the command line builds them."""
