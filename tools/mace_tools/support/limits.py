"""Bounds on what a file of unknown origin may cost: its kind, its size, and what it unpacks to.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import errno
import functools
import os
import resource
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

RATIO = 100  # what an archive may unpack to, as a multiple of its size
SMALL_BYTES = 16 << 20  # which any archive may unpack to
MAX_ENTRIES = 100_000


@functools.cache
def memory_limit() -> int:
    """The memory that a model may need here, in bytes: that of the machine, or of the control group
    (cgroups(7)) that this program runs in."""
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            most = min(most, int(Path("/sys/fs/cgroup", name).read_text()))
    return most


@contextlib.contextmanager
def bounded_memory() -> Iterator[None]:
    """Within the block, what would take more than three quarters of the memory is a MemoryError:
    sizes that a file claims may ask for any number of bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = memory_limit() // 4 * 3
    for given in (soft, hard):
        most = most if given == resource.RLIM_INFINITY else min(most, given)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def open_file(path: Path | str) -> BinaryIO:
    """Opens a regular file for reading. Never waits: a FIFO or device is refused.

    Errors: OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        check_regular(os.fstat(handle), path)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def check_regular(state: os.stat_result, path: Path | str) -> None:
    """Errors: OSError unless it is a regular file."""
    mode = state.st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in (
            (stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"),
            (stat.S_ISBLK, "a device")) if is_kind(mode)), "something else")
        raise OSError(errno.EINVAL, f"this is {kind}, not a regular file", str(path))


def read_bytes(path: Path | str, most: int | None = None) -> bytes:
    """The contents of a regular file of at most `most` bytes, or what fits into memory.

    Errors: OSError."""
    with open_file(path) as file:
        size = size_of(file, path, most)
        data = file.read(size + 1)
    if len(data) > size:
        raise OSError(errno.EFBIG, "it grows while it is read", str(path))
    return data


def size_of(file: BinaryIO, path: Path | str, most: int | None = None) -> int:
    """The size of an open file of at most `most` bytes, or what fits into memory. Errors: OSError,
    also for a sparse file that claims more."""
    limit = memory_limit() // 2 if most is None else most
    size = os.fstat(file.fileno()).st_size
    if size > limit:
        raise OSError(errno.EFBIG, f"it has {size} bytes, and at most {limit} are read", str(path))
    return size


def read_text(path: Path | str, encoding: str = "utf-8", most: int | None = None) -> str:
    """As read_bytes. Errors: OSError; UnicodeDecodeError."""
    return read_bytes(path, most).decode(encoding)


class Archive:
    """A zip archive that unpacks to at most 100 times its size, and fits into memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._size = os.fstat(file.fileno()).st_size
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as e:
            raise BadArchive(f"it is no sound zip archive ({e})") from e
        self.entries = {entry.filename: entry for entry in self._zip.infolist()}
        self._check()

    def _check(self) -> None:
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise BadArchive(f"it has {len(entries)} entries; at most {MAX_ENTRIES} are read")
        if len(self.entries) < len(entries):
            raise BadArchive("it has two entries of one name")
        total = sum(entry.file_size for entry in entries)
        limit = min(max(RATIO * self._size, SMALL_BYTES), memory_limit() // 2)
        if total > limit:
            raise BadArchive(f"it has {self._size} bytes and unpacks to {total}; at most {limit} "
                             f"are unpacked ({RATIO} times the archive, and half the memory)")

    def read(self, name: str) -> bytes:
        """Errors: BadArchive; KeyError for an entry that is not there."""
        try:
            with self._zip.open(self.entries[name]) as file:
                return file.read()
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError,
                ValueError, zlib.error) as e:
            raise BadArchive(f"its entry '{name}' cannot be unpacked ({e})") from e

    def close(self) -> None:
        self._zip.close()


class BadArchive(ValueError):
    """Why an archive is not read."""


@contextlib.contextmanager
def open_archive(path: Path | str) -> Iterator[Archive]:
    """Errors: OSError; BadArchive."""
    with open_file(path) as file:
        archive = Archive(file)
        try:
            yield archive
        finally:
            archive.close()
