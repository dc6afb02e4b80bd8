"""Messages as plain as nearly all are, which become objects when they are first looked at."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

from chaperone_cli.codec.message import ROLES
from chaperone_cli.domain.conversation import Message

_FURTHER_KEYS = ("id", "name", "at")
"""What a message may say besides its role and its content, in the order of Message."""
_have_no_further = frozenset(_FURTHER_KEYS).isdisjoint
MESSAGE_KEYS = frozenset({"role", "content", *_FURTHER_KEYS})
"""Everything that a message may say."""

Measured = tuple[int, bool]
"""The characters in all texts of messages, and whether any says more than a message may."""


def are_plain(turns: list[Any]) -> bool:
    """Says whether each of `turns` has a known role and a text, and strings for further keys.

    False says only that somebody has to look closer: there may be blank texts, lists of parts,
    numbers for ids, or defects.
    """
    return measure(turns) is not None


def measure(turns: list[Any]) -> Measured | None:
    """Measures `turns` if they are plain, else gives None."""
    # Reading a log takes much of its time here: hence one loop, and no call that can be spared.
    roles = ROLES
    characters, unknown = 0, False
    try:
        for turn in turns:
            role = turn["role"]
            text = turn["content"]
            if (
                # A string just read has no hash yet, so that looking it up takes longest.
                (role != "user" and role != "assistant" and role not in roles)
                or not text
                or text.isspace()
            ):
                return None
            characters += len(text)
            if len(turn) != 2:
                if not _further_are_plain(turn):
                    return None
                unknown = unknown or not MESSAGE_KEYS.issuperset(turn)
    except (AttributeError, KeyError, TypeError):
        # A key is missing, or a value of another type: of JSON's, only strings have `isspace`.
        return None
    return characters, unknown


def _further_are_plain(turn: dict[str, Any]) -> bool:
    if _have_no_further(turn):
        return True
    values = map(turn.get, _FURTHER_KEYS)
    return turn.get("id") != "" and all(v is None or isinstance(v, str) for v in values)


def plain_messages(turns: list[Any], first: int = 1) -> list[Message]:
    """Gives the messages of `turns`, for which `are_plain` holds, with places from `first`."""
    new, roles = tuple.__new__, ROLES
    return [
        new(Message, (roles[turn["role"]], turn["content"], None, None, None, place))
        if len(turn) == 2
        else _message(turn, place)
        for place, turn in enumerate(turns, first)
    ]


def _message(turn: dict[str, Any], place: int) -> Message:
    id_, name, at = map(turn.get, _FURTHER_KEYS)
    return Message(ROLES[turn["role"]], turn["content"], id_, name, at, place)


class PlainMessages(Sequence[Message]):
    """The messages of `turns`, for which `are_plain` holds, with places from 1.

    Equal to any sequence of the same messages. All are made when one is first looked at: for a
    conversation that is only counted, or left out, they never are.
    """

    __slots__ = ("_messages", "_turns", "measured")

    def __init__(self, turns: list[Any], measured: Measured) -> None:
        self._turns = turns
        self._messages: tuple[Message, ...] | None = None
        self.measured = measured

    def _made(self) -> tuple[Message, ...]:
        if self._messages is None:
            self._messages = tuple(plain_messages(self._turns))
            self._turns = []
        return self._messages

    def __len__(self) -> int:
        return len(self._turns if self._messages is None else self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._made())

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...
    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        return self._made()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._made() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._made())

    def __repr__(self) -> str:
        return repr(self._made())
