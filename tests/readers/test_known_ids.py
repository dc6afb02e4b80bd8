"""Repeated ids are found like in a dictionary, wherever the ids are kept."""

from collections.abc import Callable
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Source
from chaperone_cli.readers.id_places import BLOCK
from chaperone_cli.readers.known_ids import KnownIds

ids = st.lists(
    st.text("abcé", min_size=1, max_size=2) | st.sampled_from(["7", "7.0", "\x00", "🙂"])
)
hashes = st.sampled_from(
    [hash, len, lambda name: 0, lambda name: -len(name) << 16, lambda name: ord(name[0])]
)


@given(
    ids=ids, few=st.integers(0, 9), many=st.integers(0, 9), hashed=hashes, paths=st.integers(1, 3)
)
def test_an_id_is_found_where_it_stood_first(
    ids: list[str], few: int, many: int, hashed: Callable[[str], int], paths: int
) -> None:
    first: dict[str, Source] = {}
    with closing(KnownIds(few, many, hashed)) as known:
        for line, id_ in enumerate(ids, 1):
            source = Source(f"{line % paths}.jsonl", line, line if line % 2 else None)
            assert known.add(id_, source) == first.get(id_)
            first.setdefault(id_, source)


@pytest.mark.parametrize("hashed", [hash, lambda name: int(name) % 3])
@pytest.mark.parametrize("many", [2, 3 * BLOCK, 3 * BLOCK + 1, 10 * BLOCK])
def test_ids_of_many_blocks_are_found(many: int, hashed: Callable[[str], int]) -> None:
    numbers = [*range(4 * BLOCK + 1)]
    with closing(KnownIds(0, many, hashed)) as known:
        assert [known.add(str(n), Source("a", n)) for n in numbers] == [None for _ in numbers]
        assert [known.add(str(n), Source("b", n)) for n in numbers] == [
            Source("a", n) for n in numbers
        ]
