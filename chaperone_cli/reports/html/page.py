"""The page itself: templates, styles and scripts, under a policy that lets nothing else run."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chaperone_cli.reports.text import percent, plain, plural
from chaperone_cli.reports.wording import place

if TYPE_CHECKING:
    from jinja2 import Template

_FOLDER = Path(__file__).parent / "page"
_STYLES = ("base", "charts", "list", "conversation", "print")
_SCRIPTS = ("dom", "model", "strip", "filters", "list", "timeline", "conversation", "keys", "main")


class Page:
    """The text of a report before and after its rows.

    The content security policy names the digests of the one style sheet and the one script, so
    that nothing which a log smuggled in could run, and nothing can be fetched or sent.
    """

    def __init__(self) -> None:
        self._style = "\n".join(_read(f"{name}.css") for name in _STYLES)
        scripts = "\n".join(_read(f"{name}.js") for name in _SCRIPTS)
        self._script = f'"use strict";\n(() => {{\n{scripts}}})();\n'
        self._top = _template("top.html.j2")
        self._bottom = _template("bottom.html.j2")

    @property
    def policy(self) -> str:
        """The content security policy."""
        return "; ".join(
            (
                "default-src 'none'",
                f"style-src {_digest(self._style)}",
                f"script-src {_digest(self._script)}",
                "img-src data:",
                "base-uri 'none'",
                "form-action 'none'",
                "require-trusted-types-for 'script'",
                "trusted-types 'none'",
            )
        )

    def top(self, facts: Mapping[str, Any]) -> bytes:
        """Everything above the rows: overview, empty list, empty conversation."""
        return self._top.render(facts, policy=self.policy, style=_unescaped(self._style)).encode()

    def bottom(self) -> bytes:
        """Everything below the rows: the script."""
        return self._bottom.render(script=_unescaped(self._script)).encode()


def _template(name: str) -> "Template":
    # Jinja takes longer to import than most commands take to start.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import escape

    loader = FileSystemLoader(_FOLDER)
    environment = Environment(
        loader=loader,
        autoescape=True,
        # Each value is escaped by itself as well, so that markup never rests on one switch.
        finalize=escape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": plain, "count": _count}
    environment.globals |= {"percent": percent, "plural": plural, "place": place}
    return environment.get_template(name)


def _count(number: float) -> str:
    return f"{number:,}"


def _unescaped(text: str) -> str:
    from markupsafe import Markup

    return Markup(text)  # our own files, none of a log's words


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")
