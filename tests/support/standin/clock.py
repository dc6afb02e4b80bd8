"""The stand-in's time, which tests can put forward."""

import time


class Clock:
    """Seconds since 1970, plus whatever it was put forward."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """Gives the time."""
        return time.time() + self._ahead

    def advance(self, seconds: float) -> None:
        """Puts the clock forward: caches, limits and batches go by it."""
        self._ahead += seconds
