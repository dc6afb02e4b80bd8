"""Error replies, worded as the real API words them."""

from typing import Any

from tests.support.standin.http import Reply, json_reply


class Rejected(Exception):
    """A request that the API does not take."""

    def __init__(
        self, status: int, type: str, message: str, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.type = type
        self.message = message
        self.details = details

    def document(self, request_id: str) -> dict[str, Any]:
        """Gives the error's JSON."""
        error: dict[str, Any] = {"type": self.type, "message": self.message}
        if self.details is not None:
            error["details"] = self.details
        return {"type": "error", "error": error, "request_id": request_id}

    def reply(self, request_id: str, **headers: str) -> Reply:
        """Gives the HTTP reply."""
        return json_reply(self.status, self.document(request_id), headers)


def invalid(message: str) -> Rejected:
    """Builds a 400."""
    return Rejected(400, "invalid_request_error", message)


def not_found(message: str) -> Rejected:
    """Builds a 404."""
    return Rejected(404, "not_found_error", message)
