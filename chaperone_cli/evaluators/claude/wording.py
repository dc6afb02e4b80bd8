"""The words that a model is told, read from the package's data."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources

from chaperone_cli.evaluators.claude.encode import ENCODING


@dataclass(frozen=True)
class Wording:
    """The texts, with placeholders in braces."""

    texts: Mapping[str, str]
    digest: str
    """SHA-256, shortened to 16 hexadecimal digits, of what shapes a vote: texts and encoding."""

    def fill(self, name: str, **values: str) -> str:
        """Gives the text `name` with its placeholders filled in; values are not read again."""
        return _PLACEHOLDER.sub(
            lambda found: values.get(found[1], found[0]), self.texts[name].strip()
        )


VOTE_TEXTS = ("system", "question", "form_json", "form_word")

_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")


@cache
def wording() -> Wording:
    """Loads the wording that ships with the package."""
    file = resources.files("chaperone_cli") / "data" / "claude" / "wording.toml"
    texts = tomllib.loads(file.read_text("utf-8"))
    shaping = "\0".join([str(ENCODING), *(texts[name] for name in VOTE_TEXTS)])
    return Wording(texts, sha256(shaping.encode()).hexdigest()[:16])
