"""Readers turn the bytes of a log into conversations, one file per format, streaming."""

from chaperone_cli.readers.formats import FORMATS
from chaperone_cli.readers.log_reader import LogReader

__all__ = ["FORMATS", "LogReader"]
