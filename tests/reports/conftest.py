"""Golden files: `pytest tests/reports --update-golden` writes them anew, to be read in a diff."""

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares text with the golden file of that name."""
    # NOTE: pytest knows the option only if this folder is named on its command line.
    update = request.config.getoption("--update-golden", default=False)

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.write_bytes(text.encode())
        assert path.read_bytes().decode() == text

    return check
