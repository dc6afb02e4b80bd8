"""Zip archives: the members that are logs, read as streams.

Nothing is ever extracted to disk, so that the names of members, whatever path they pretend, cannot
lead anywhere. A member is unpacked as it is read, and only within proportion to its packed size.
"""

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, cast

from chaperone_cli.readers.streams import BUFFER_BYTES, DamagedStream, GuardedStream, Proportion

ZIP_MAGIC = b"PK\x03\x04"
EMPTY_ZIP_MAGIC = b"PK\x05\x06"

_DIRECTORY_LIMIT = 64 << 20
"""Bytes of the list of members, which is held as a whole."""
_END = struct.Struct("<4s4H2LH")
_TAIL_BYTES = 1 << 16
_ENCRYPTED = 1
_LONGEST_NAME = 200
_SIDE_FILES = frozenset(
    {
        "account.json",
        "group_chats.json",
        "header.json",
        "memories.json",
        "message_feedback.json",
        "model_comparisons.json",
        "projects.json",
        "reductions.json",
        "shared_conversations.json",
        "user.json",
        "user_settings.json",
        "users.json",
    }
)
"""What exports hold beside conversations."""
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
    OSError,
)
"""What `zipfile` raises for archives that are damaged or made to do damage."""


class Unreadable(NamedTuple):
    """Something of an archive that cannot be read, in a clause."""

    member: str | None
    clause: str


class Member(NamedTuple):
    """One file in an archive."""

    name: str
    stream: io.BufferedReader

    @property
    def is_side_file(self) -> bool:
        """Whether exports are known to hold this beside conversations."""
        return self.is_repetition or self.name.rpartition("/")[2].lower() in _SIDE_FILES

    @property
    def is_repetition(self) -> bool:
        """Whether this is where Inspect keeps in brief what its samples hold in full."""
        *folders, base = self.name.split("/")
        return base == "summaries.json" or "_journal" in folders


class CountedFile(io.FileIO):
    """A file on disk, by its path or its descriptor, which stays open.

    `count` is told how many bytes were just read.
    """

    def __init__(self, path: str | int, count: Callable[[int], None]) -> None:
        super().__init__(path, "rb", closefd=not isinstance(path, int))
        self.seek(0)
        self._count = count

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # noqa: D102
        size = super().readinto(buffer) or 0
        self._count(size)
        return size


class _MemberStream(io.RawIOBase):
    """A member's bytes; whatever is wrong with them is a DamagedStream."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            return self._file.readinto(buffer)
        except NotImplementedError as error:
            raise DamagedStream("it is packed in a way that cannot be read here") from error
        except _DAMAGE as error:
            raise DamagedStream("its packed data is corrupt or ends early") from error

    def close(self) -> None:
        self._file.close()
        super().close()


def members(path: str | int, count: Callable[[int], None]) -> Iterator[Member | Unreadable]:
    """Opens the members of the archive at `path`, or a descriptor, one after the other.

    A member's stream is closed when the next one is asked for. Raises OSError where the file
    itself cannot be read.
    """
    proportion = Proportion()

    def read(size: int) -> None:
        proportion.packed += size
        count(size)

    with io.BufferedReader(CountedFile(path, read), BUFFER_BYTES) as file:
        if _directory_bytes(cast(BinaryIO, file)) > _DIRECTORY_LIMIT:
            yield Unreadable(None, "its list of files is longer than that of any chat export")
            return
        try:
            archive = zipfile.ZipFile(file)
        except _DAMAGE:
            yield Unreadable(None, "this zip archive is damaged; export or copy it again")
            return
        for info in archive.infolist():
            # NOTE: not `is_dir()`, which fails for a member without any name.
            if not info.filename.endswith("/"):
                yield from _opened(archive, info, proportion)


def _opened(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, proportion: Proportion
) -> Iterator[Member | Unreadable]:
    name = info.filename[:_LONGEST_NAME]
    if info.flag_bits & _ENCRYPTED:
        yield Unreadable(name, "is encrypted; unpack it with its password and name what is inside")
        return
    try:
        packed = archive.open(info)
    except NotImplementedError:
        yield Unreadable(name, "is packed in a way that cannot be read here; unpack it first")
        return
    except _DAMAGE:
        yield Unreadable(name, "cannot be unpacked: the archive is damaged there")
        return
    guarded = GuardedStream(_MemberStream(packed), proportion)  # type: ignore[arg-type]
    with io.BufferedReader(guarded, BUFFER_BYTES) as stream:
        yield Member(name, cast(io.BufferedReader, stream))


def _directory_bytes(file: BinaryIO) -> int:
    """Gives the size that the archive states for its list of members; 0 where it states none."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _TAIL_BYTES - _END.size))
    tail = file.read()
    at = tail.rfind(EMPTY_ZIP_MAGIC)
    found = 0
    if at >= 0 and len(tail) >= at + _END.size:
        found = int(_END.unpack_from(tail, at)[5])
    file.seek(0)
    # An archive of more than 65,535 members states it elsewhere, and 0xFFFFFFFF here.
    return size if found == 0xFFFFFFFF else found
