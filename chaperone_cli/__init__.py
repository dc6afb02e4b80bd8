"""Audits exported chat logs for parasocial relationships between user and chatbot, turn by turn."""

__version__ = "0.1.0"
