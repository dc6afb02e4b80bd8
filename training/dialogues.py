"""Reads the labelled dialogues that the local evaluator learns from."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from chaperone_cli.domain.conversation import Side
from chaperone_cli.domain.rule import Rule
from chaperone_cli.errors import InputError
from chaperone_cli.evaluators.local.cues import COLUMNS, CORPUS_NAMES
from chaperone_cli.evaluators.local.parts import Parts, divide

PARASOCIAL = "parasocial"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One labelled dialogue, its turns in parallel tuples."""

    id: str
    kind: str
    """The name of its file, which holds dialogues of a kind."""
    label: str
    texts: tuple[str, ...]
    sides: tuple[int, ...]
    """0 for a prompt, 1 for a response."""
    cues: tuple[frozenset[str], ...]
    votes: tuple[int, ...]
    """The language model's answer at each turn, 1 for yes, of the first pass."""
    onset: int | None
    """The turn, from 1, at which its author holds the bond to be shown."""
    hindsight: bool
    """Whether it had read the whole dialogue before it voted on the first turn."""
    more_votes: tuple[tuple[float, ...], ...] = ()
    """The answers of further passes, which read turn by turn: 1 for yes, a half where in doubt.

    Verdicts are compared with them; nothing is learned from them.
    """

    @property
    def passes(self) -> tuple[tuple[float, ...], ...]:
        """The answers of all passes."""
        return (self.votes, *self.more_votes)

    def verdicts(self, rule: Rule) -> tuple[bool, ...]:
        """Says at which turns the passes block by `rule`; a pass in doubt does not say yes."""
        needed = rule.threshold(len(self.passes))
        return tuple(turn.count(1) >= needed for turn in zip(*self.passes, strict=True))

    @property
    def first_yes(self) -> int | None:
        """The first turn with a yes of the first pass, from 1."""
        return self.votes.index(1) + 1 if 1 in self.votes else None

    @property
    def disputed(self) -> bool:
        """Whether the language model says yes where the chatbot alone crosses a line."""
        return self.label == "boundary" and 1 in self.votes

    def target(self, turn: int, column: str) -> bool:
        """Says whether turn number `turn`, from 0, shows what `column` asks for."""
        if column == "bond":
            return any(cue in CORPUS_NAMES for cue in self.cues[turn])
        if column == "vote":
            return bool(self.votes[turn])
        return column in self.cues[turn]


def load(folder: Path) -> tuple[Dialogue, ...]:
    """Reads every .jsonl file of `folder`, in the order of their names.

    Raises InputError where there is none, or a dialogue has no votes.
    """
    found = tuple(
        _dialogue(line, path.stem)
        for path in files(folder)
        for line in path.read_text("utf-8").splitlines()
    )
    if not found:
        raise InputError(f"{folder} holds no dialogues", hint="name a folder of .jsonl files")
    return found


def files(folder: Path) -> list[Path]:
    """Gives the files of `folder` that hold dialogues."""
    return sorted(folder.glob("*.jsonl"))


def digests(folder: Path) -> dict[str, str]:
    """Gives the SHA-256 of each file of `folder`."""
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in files(folder)}


def columns(side: int) -> tuple[str, ...]:
    """Gives the names of a side's columns."""
    return COLUMNS[Side.RESPONSE if side else Side.PROMPT]


def texts(dialogues: Iterable[Dialogue]) -> list[str]:
    """Gives all utterances in order."""
    return [text for dialogue in dialogues for text in dialogue.texts]


def sides(dialogues: Iterable[Dialogue]) -> list[int]:
    """Gives the side of each utterance, in the order of `texts`."""
    return [side for dialogue in dialogues for side in dialogue.sides]


def parts(dialogues: Iterable[Dialogue]) -> Parts:
    """Gives all utterances in the parts in which they are heard."""
    every = list(dialogues)
    return divide(texts(every), sides(every))


def part_counts(dialogues: Iterable[Dialogue]) -> list[int]:
    """Gives the number of parts of each dialogue."""
    return [len(divide(dialogue.texts, dialogue.sides).texts) for dialogue in dialogues]


def _dialogue(line: str, kind: str) -> Dialogue:
    data = json.loads(line)
    if data.get("votes") is None:
        raise InputError(f"dialogue {data['id']} has no votes", hint="leave its file out")
    turns = data["turns"]
    return Dialogue(
        id=data["id"],
        kind=kind,
        label=data["label"],
        texts=tuple(turn["content"] for turn in turns),
        sides=tuple(int(turn["role"] == "assistant") for turn in turns),
        cues=tuple(frozenset(turn["cues"]) for turn in turns),
        votes=tuple(data["votes"]),
        onset=data.get("onset"),
        hindsight=data.get("hindsight", False),
        more_votes=tuple(map(tuple, data.get("more_votes", ()))),
    )
