"""The report that people open in a browser: one file, no network, everything escaped."""
