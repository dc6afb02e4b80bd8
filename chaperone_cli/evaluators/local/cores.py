"""Holds this process to one core for matrices, while the local evaluator computes and no longer.

Its matrices are small, and threads that wait for each other make a busy machine slower than none.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# The limit is the whole process's: of two that overlap, the one set last would be left in force.
_computing = threading.RLock()


@contextmanager
def one_core() -> Iterator[None]:
    """Computes the block on one core; then as many are allowed as before."""
    with _computing, _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    # Looking for the libraries takes milliseconds, so it is done once; by then numpy is loaded.
    import numpy as np  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
