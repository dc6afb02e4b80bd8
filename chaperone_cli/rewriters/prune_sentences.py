"""Takes the bond out of a response, sentence by sentence, and says what useful part remains."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chaperone_cli.domain.bond import Bond, BondLexicon, raised, tidy
from chaperone_cli.domain.passage import Piece, joined, pieces, words

LEAST_CLAUSE = 5
"""Words that a clause needs to stand alone."""
CLAUSE_SHARE = 0.4
"""The share of its sentence that a shorter clause must make up to stand for it."""
LONG_CLAUSE = 8
"""Words from which a clause may stand alone whatever its share."""
LEAST_SENTENCE = 4
"""Words below which a sentence is a greeting or an exclamation."""
LEAST_QUESTION = 3
LEAST_WORDS = 4
LEAST_SHARE = 0.15
"""What must remain of a response, in words and of its words, to be of use without the rest."""
DANGLING = 8
"""Words below which a sentence that only takes up the one before goes with it."""

# A clause after `and` may share its subject with the one before, and then cannot stand alone.
_CUT = re.compile(
    r"\s*[;\u2014\u2013]\s*|\s+-\s+|,\s+(?=(?:so|because|although|though|then)\b)"
    r"|,\s+(?=(?:and|but|or|yet) (?:then |so |also )?(?:you|it|its|the|this|that|these|those|your|"
    r"there|he|she|they|if|when|what|how|who|which|a|an|don't|please|I|we|my|me)\b)",
    re.IGNORECASE,
)
_JOINT = re.compile(r"^(?:and|but|so|then|or|yet|because|although|though)\b[,\s]*", re.IGNORECASE)
_DEPENDENT = re.compile(r"^(?:because|although|though|since|which|who|that|as)\b", re.IGNORECASE)
_TAKES_UP = re.compile(
    r"^(?:it|that|this|those|these|so|and|but|or|then|because|which|neither|nor|same)\b",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(r"^(?:he|she|they|him|her|them|all that)\b", re.IGNORECASE)
_FINAL = re.compile(r"[.!?\u2026][\"'\u201d\u2019)*_]*$")


@dataclass(frozen=True)
class Pruned:
    """A response with the bond taken out."""

    whole: tuple[Piece, ...]
    """The original's pieces."""
    kept: tuple[Piece, ...]
    """What remains of them, some with words left out."""

    @property
    def text(self) -> str:
        """What remains."""
        return joined(self.kept, self.whole)

    @property
    def removed(self) -> tuple[str, ...]:
        """The original's pieces that are gone or changed."""
        left = {(piece.start, piece.text) for piece in self.kept}
        return tuple(piece.text for piece in self.whole if (piece.start, piece.text) not in left)

    @property
    def useful(self) -> bool:
        """Says whether what remains is of use by itself."""
        if not self.removed:
            return bool(self.kept)
        said = sum(len(words(piece.text)) for piece in self.kept if _says_something(piece))
        before = sum(len(words(piece.text)) for piece in self.whole)
        return said >= LEAST_WORDS and said >= LEAST_SHARE * before

    def shorter(self, lexicon: BondLexicon) -> "tuple[Pruned, ...]":
        """What remains without each of its pieces in turn, where that is still of use.

        A sentence by which the chatbot says what it is stays.
        """
        ways = (
            Pruned(self.whole, self.kept[:number] + self.kept[number + 1 :])
            for number, piece in enumerate(self.kept)
            if not lexicon.states_a_limit(piece.text)
        )
        return tuple(way for way in ways if way.useful)

    def without(self, start: int, end: int) -> "Pruned | None":
        """Leaves out the piece of `text` that characters `start` to `end` fall into.

        None where they fall into none.
        """
        place = 0
        for number, piece in enumerate(self.kept):
            place = self.text.index(piece.text, place)
            if start < place + len(piece.text) and place < end:
                return Pruned(self.whole, self.kept[:number] + self.kept[number + 1 :])
            place += len(piece.text)
        return None


def prune(lexicon: BondLexicon, text: str) -> Pruned:
    """Takes out of `text` what carries a bond; phrases where that is enough, else sentences."""
    whole = pieces(text)
    above = any(span.kind is Bond.EXCLUSIVITY for span in lexicon.spans(text))
    kept: list[Piece] = []
    lost = False
    for piece in whole:
        said = _pruned(lexicon, piece)
        # Where a response sets itself above people, what it says of them leads up to that.
        if said and ((lost and _dangles(said)) or (above and _OF_OTHERS.match(said))):
            said = None
        lost = said is None
        if said is not None:
            kept.append(piece.saying(said))
    return Pruned(whole, tuple(kept))


def _pruned(lexicon: BondLexicon, piece: Piece) -> str | None:
    if not piece.prose:
        return _item(lexicon, piece.text)
    text = lexicon.neutralised(piece.text)
    if not words(text):
        return None if words(piece.text) else (text or None)
    return text if _clean(lexicon, text) else _clauses(lexicon, text)


def _item(lexicon: BondLexicon, text: str) -> str | None:
    """Gives a list item, a row or code; with a pet name or a heart left out, and else whole."""
    if _clean(lexicon, text):
        return text
    said = lexicon.neutralised(text)
    speaks = any(word.isalpha() for word in words(said))
    return said if speaks and _clean(lexicon, said) else None


def _clean(lexicon: BondLexicon, text: str) -> bool:
    if lexicon.spans(text):
        return False
    return lexicon.states_a_limit(text) or not lexicon.speaks_of_itself(text)


def _clauses(lexicon: BondLexicon, sentence: str) -> str | None:
    """Gives the clauses of `sentence` that carry no bond, where they can stand alone."""
    clauses = [clause for clause in _CUT.split(sentence) if clause.strip()]
    kept = [clause for clause in clauses if _clean(lexicon, clause)]
    if not kept or len(clauses) == 1 or _DEPENDENT.match(kept[0]):
        return None
    said = ", ".join(clause.strip() for clause in kept)
    count = len(words(said))
    long_enough = count >= LONG_CLAUSE or count >= CLAUSE_SHARE * len(words(sentence))
    if count < LEAST_CLAUSE or not long_enough:
        return None
    said = raised(tidy(_JOINT.sub("", said)))
    ending = _FINAL.search(sentence)
    return said if _FINAL.search(said) else said.rstrip(",;: ") + (ending[0] if ending else ".")


def _dangles(sentence: str) -> bool:
    return bool(_TAKES_UP.match(sentence)) and len(words(sentence)) < DANGLING


def _says_something(piece: Piece) -> bool:
    count = len(words(piece.text))
    asks = piece.text.endswith("?") and count >= LEAST_QUESTION
    return not piece.prose or asks or count >= LEAST_SENTENCE


def sentences(texts: Sequence[str]) -> str:
    """Puts texts one after the other, in paragraphs where one of them has several."""
    said = [text.strip() for text in texts if text.strip()]
    return ("\n\n" if any("\n" in text for text in said) else " ").join(said)
