"""Locks between processes and threads, for what may not be done twice at once.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.os_errors import explain


def locked(path: Path, console: Console, waiting: str) -> BinaryIO:
    """The file, which is made if it is missing, once nobody else has it locked; until then, a
    message names what it is `waiting` for. The lock ends when the file is closed, or with the
    process, however that ends. Errors: OSError."""
    told = False
    while True:
        file = _opened(path)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not told:
                    console.info(f"waiting for {waiting}")
                told = True
                fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(file, path):  # or it was removed, and others lock the next one
                return file
        except BaseException:
            file.close()
            raise
        file.close()


@contextlib.contextmanager
def alone(path: Path, console: Console, waiting: str) -> Iterator[None]:
    """The block runs while nobody else has the file locked, which is removed at the end. Errors:
    MaceError if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = locked(path, console, waiting)
    except OSError as e:
        raise MaceError(f"cannot write {path}: {explain(e, path, writing=True)}") from e
    with file:
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _is_at(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _opened(path: Path) -> BinaryIO:
    try:  # NFS locks only what may be written
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    except OSError:
        if not path.is_file():
            raise
        return path.open("rb")
