"""Files that appear complete or not at all.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from mace_tools.support.errors import MaceError
from mace_tools.support.os_errors import explain

OLD_SECONDS = 60  # a temporary file that nobody has locked for so long is nobody's


@contextlib.contextmanager
def atomic_files(*paths: Path, mode: int = 0o666) -> Iterator[list[BinaryIO]]:
    """Files that appear under `paths` if the block succeeds, and leave nothing otherwise: all of
    them or none, also if the last cannot be put in its place. (If the process is killed between
    two renames, a model's checksum of its weights tells.)

    Errors: MaceError naming the path, for a full disk or a folder that cannot be written."""
    temporaries: list[str] = []
    files: list[BinaryIO] = []
    path = paths[0]
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = temporary(path)
            temporaries.append(file.name)
            files.append(file)
        yield files
        for path, file in zip(paths, files):
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, mode & ~_umask())
        with _kept(paths[:-1]):
            for path, file in zip(paths, files):
                os.replace(file.name, path)
    except OSError as e:
        raise MaceError(f"cannot write {path}: {explain(e, path, writing=True)}") from e
    finally:
        for file in files:
            with contextlib.suppress(OSError):
                file.close()
        for name in temporaries:
            with contextlib.suppress(OSError):
                os.unlink(name)


def temporary(path: Path) -> BinaryIO:
    """A new file beside `path` that is to replace it; `name` is where it is. Those that earlier
    processes left there, because they were killed, are removed. Errors: OSError."""
    _remove_orphans(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    file = open(name, "r+b")  # noqa: SIM115 (the caller closes it)
    with contextlib.suppress(OSError):  # of file systems without locks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def _remove_orphans(path: Path) -> None:
    """Removes temporary files of this path that no process has locked."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}")
    for found in [p for p in path.parent.iterdir() if pattern.fullmatch(p.name)]:
        with contextlib.suppress(OSError):
            if found.is_symlink() or time.time() - found.stat().st_mtime < OLD_SECONDS:
                continue
            with found.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                found.unlink()


@contextlib.contextmanager
def _kept(paths: Sequence[Path]) -> Iterator[None]:
    """Puts the files back that have these paths now, if the block fails."""
    kept: list[tuple[Path, Path | None]] = []
    try:
        for path in paths:
            old = None
            if path.exists():
                with temporary(path) as file:
                    old = Path(file.name)
                    old.unlink()
                _link(path, old)
            kept.append((path, old))
        yield
    except BaseException:
        for path, old in kept:
            if old is None:
                path.unlink(missing_ok=True)
            else:
                os.replace(old, path)
        raise
    finally:
        for _, old in kept:
            if old is not None:
                old.unlink(missing_ok=True)


def _link(path: Path, other: Path) -> None:
    """Gives a file another name; on file systems without hard links, a copy. Errors: OSError."""
    try:
        os.link(path, other)
    except OSError:
        try:
            shutil.copy2(path, other)
        except BaseException:
            other.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
