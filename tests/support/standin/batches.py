"""Message batches: created, worked off when their time has come, kept over restarts."""

import json
import random
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.support.standin.clock import Clock
from tests.support.standin.errors import Rejected, invalid, not_found
from tests.support.standin.ledger import Ledger
from tests.support.standin.settings import Behaviour
from tests.support.standin.validate import check
from tests.support.standin.voting import Voting

LASTS = 24 * 3600.0
MOST_BYTES = 256 * 1024 * 1024
OUTCOMES = ("errored", "invalid", "expired", "canceled")
_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass
class Batch:
    """One batch."""

    id: str
    created: float
    due: float
    version: str
    """The API version it was created with."""
    requests: list[dict[str, Any]]
    ended: float | None = None
    cancel_at: float | None = None
    results: list[dict[str, Any]] = field(default_factory=list)


class Batches:
    """All batches of one organisation."""

    def __init__(self, behaviour: Behaviour, voting: Voting, ledger: Ledger, clock: Clock) -> None:
        self._behaviour = behaviour
        self._voting = voting
        self._ledger = ledger
        self._clock = clock
        self._draw = random.Random(behaviour.seed)
        self._batches: dict[str, Batch] = {}
        unknown = set(behaviour.batch_faults) - set(OUTCOMES)
        if unknown:
            raise ValueError(f"unknown ends of a batch's request: {', '.join(sorted(unknown))}")
        if behaviour.state is not None:
            self._load(behaviour.state)

    def create(self, document: Any, size: int, version: str, url: str) -> dict[str, Any]:
        """Takes a new batch; raises Rejected."""
        requests = document.get("requests") if isinstance(document, dict) else None
        if not isinstance(requests, list) or not requests:
            raise invalid("requests: List should have at least 1 item after validation")
        if len(requests) > self._behaviour.batch_limit:
            raise invalid(f"requests: at most {self._behaviour.batch_limit} requests are allowed")
        if size > MOST_BYTES:
            raise Rejected(413, "request_too_large", "Request exceeds the maximum size")
        _check_ids([request.get("custom_id") for request in requests])
        now = self._clock.now()
        # Named by its content, so that a restarted stand-in never gives an id away twice.
        name = f"msgbatch_01{self._draw.getrandbits(96):024x}{len(self._batches):04d}"
        batch = Batch(name, now, now + self._behaviour.batch_seconds, version, requests)
        self._batches[name] = batch
        self._save(batch)
        return self._document(batch, url)

    def retrieve(self, id: str, url: str) -> dict[str, Any]:
        """Gives the state of one batch; raises Rejected."""
        return self._document(self._find(id), url)

    def list(self, query: dict[str, list[str]], url: str) -> dict[str, Any]:
        """Gives a page of batches, the newest first."""
        ids = [batch.id for batch in reversed(self._batches.values())]
        if "after_id" in query:
            ids = ids[ids.index(query["after_id"][0]) + 1 :] if query["after_id"][0] in ids else []
        most = int(query.get("limit", ["20"])[0])
        page = ids[:most]
        return {
            "data": [self.retrieve(name, url) for name in page],
            "has_more": len(ids) > most,
            "first_id": page[0] if page else None,
            "last_id": page[-1] if page else None,
        }

    def cancel(self, id: str, url: str) -> dict[str, Any]:
        """Cancels what a batch has not begun; raises Rejected."""
        batch = self._find(id)
        if batch.ended is not None:
            raise invalid(f"Batch {id} cannot be canceled because it has already ended")
        batch.cancel_at = self._clock.now()
        self._save(batch)
        document = self._document(batch, url)
        return {**document, "processing_status": "canceling", "ended_at": None, "results_url": None}

    def delete(self, id: str) -> dict[str, Any]:
        """Forgets a batch that has ended; raises Rejected."""
        batch = self._find(id)
        if batch.ended is None:
            raise invalid(f"Batch {id} cannot be deleted while it is processing")
        del self._batches[id]
        if (path := self._path(id)) is not None:
            path.unlink()
        return {"id": id, "type": "message_batch_deleted"}

    def results(self, id: str) -> bytes:
        """Gives the results, one a line, in no order; raises Rejected."""
        batch = self._find(id)
        if batch.ended is None:
            raise not_found(f"Batch {id} has no available results")
        return b"".join(json.dumps(result).encode() + b"\n" for result in batch.results)

    def _find(self, id: str) -> Batch:
        if id not in self._batches:
            raise not_found(f"Batch {id} not found")
        batch = self._batches[id]
        if batch.ended is None:
            self._work(batch)
        return batch

    def _work(self, batch: Batch) -> None:
        now = self._clock.now()
        canceled = batch.cancel_at is not None
        if not canceled and now < min(batch.due, batch.created + LASTS):
            return
        expired = batch.due > batch.created + LASTS
        order = list(batch.requests)
        self._draw.shuffle(order)
        for request in order:
            outcome = "canceled" if canceled else "expired" if expired else self._outcome()
            result = self._result(request, outcome, batch.version, now)
            batch.results.append({"custom_id": request["custom_id"], "result": result})
        batch.ended = now
        self._save(batch)

    def _outcome(self) -> str:
        at = self._draw.uniform(0, 1)
        for outcome, share in self._behaviour.batch_faults.items():
            at -= share
            if at < 0:
                return outcome
        return "succeeded"

    def _result(
        self, request: dict[str, Any], outcome: str, version: str, now: float
    ) -> dict[str, Any]:
        if outcome in ("canceled", "expired"):
            self._ledger.add(now, "batch", 0, fault=outcome)
            return {"type": outcome}
        try:
            if outcome == "invalid":
                raise invalid("messages.0.content.0: something is wrong with this block")
            if outcome == "errored":
                raise Rejected(500, "api_error", "Internal server error")
            return self._succeed(request["params"], version, now)
        except Rejected as exc:
            self._ledger.add(now, "batch", exc.status, fault=outcome)
            return {"type": "errored", "error": exc.document("req_batch")}

    def _succeed(self, params: Any, version: str, now: float) -> dict[str, Any]:
        model = check(params, version, batch=True)
        hit = self._draw.uniform(0, 1) < self._behaviour.batch_hits
        given = self._voting.give(self._voting.ask(params, model, now, hit=hit), batch=True)
        self._ledger.add(now, "batch", 200, **given.facts)
        return {"type": "succeeded", "message": given.document}

    def _document(self, batch: Batch, url: str) -> dict[str, Any]:
        host = self._behaviour.results_host or url
        ended = batch.ended is not None
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        for result in batch.results:
            counts[result["result"]["type"]] += 1
        counts["processing"] = 0 if ended else len(batch.requests)
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": _time(batch.created),
            "expires_at": _time(batch.created + LASTS),
            "ended_at": _time(batch.ended),
            "cancel_initiated_at": _time(batch.cancel_at),
            "archived_at": None,
            "results_url": f"{host}/v1/messages/batches/{batch.id}/results" if ended else None,
        }

    def _path(self, id: str) -> Path | None:
        return None if self._behaviour.state is None else self._behaviour.state / f"{id}.json"

    def _save(self, batch: Batch) -> None:
        if (path := self._path(batch.id)) is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(asdict(batch)), encoding="utf-8")

    def _recall(self, batch: Batch) -> None:
        params = {request["custom_id"]: request["params"] for request in batch.requests}
        for row in batch.results:
            if row["result"]["type"] == "succeeded":
                self._voting.recall(params[row["custom_id"]])

    def _load(self, folder: Path) -> None:
        kept = [Batch(**json.loads(path.read_text("utf-8"))) for path in folder.glob("*.json")]
        for batch in sorted(kept, key=lambda one: one.created):
            self._batches[batch.id] = batch
            self._recall(batch)
        self._draw.seed(f"{self._behaviour.seed} {len(kept)}")


def _check_ids(ids: list[Any]) -> None:
    for number, given in enumerate(ids):
        if not isinstance(given, str) or not 1 <= len(given) <= 64 or not set(given) <= _ID:
            raise invalid(
                f"requests.{number}.custom_id: String should match pattern "
                "'^[a-zA-Z0-9_-]{1,64}$'"
            )
    if len(set(ids)) < len(ids):
        raise invalid("requests: custom_id must be unique for each request within a batch")


def _time(at: float | None) -> str | None:
    return (
        None if at is None else datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
    )
