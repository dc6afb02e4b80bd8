"""A stand-in for the Messages API on 127.0.0.1, standard library only.

It models what costs money and what goes wrong: prompt cache, usage, rate limits, faults, batches.
Tests run it in a thread (`with running(rule="yes") as standin`), people by hand:
`python -m tests.support.standin --port 8899 --votes sample_logs/thirty.votes.jsonl`.
"""

from tests.support.standin.ledger import Call, Ledger, Usage
from tests.support.standin.server import Standin
from tests.support.standin.settings import Behaviour, Limits
from tests.support.standin.thread import running

__all__ = ["Behaviour", "Call", "Ledger", "Limits", "Standin", "Usage", "running"]
