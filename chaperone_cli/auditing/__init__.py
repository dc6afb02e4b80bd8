"""Audits conversations: the turn loop, where votes come from, and what a run leaves behind."""
