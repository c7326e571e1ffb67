"""Messages for errors of files and folders, with cures.

SPDX-License-Identifier: Apache-2.0
"""

import errno
import os
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EACCES, errno.EPERM)


def explain(e: OSError, path: Path | str | None = None, writing: bool = False) -> str:
    """The system's reason and the cure: `Permission denied; check the permissions of /x`."""
    cure = _cure(e, path if path is not None else e.filename, writing)
    return f"{e.strerror or e}{f'; {cure}' if cure else ''}"


def _cure(e: OSError, name: Path | str | None, writing: bool) -> str:
    path = None if name is None else Path(os.fsdecode(name)).absolute()
    other = ", or choose another folder" if writing else ""
    if e.errno in _FULL:
        return f"free some space{other}"
    if e.errno in _FORBIDDEN:
        return f"check the permissions{_of(path)}{other}"
    if e.errno == errno.EROFS:
        where = "" if path is None else f" below {existing(path)}"
        return f"nothing can be written{where}: choose another folder"
    if e.errno == errno.EIO:
        return "the disk, or the network that it is on, failed"
    if e.errno == errno.EMFILE:
        return "close other programs, or raise `ulimit -n`"
    if e.errno == errno.ENAMETOOLONG:
        return "shorten the name"
    if e.errno == errno.EISDIR:
        return "this is a folder; name a file in it"
    if path is not None and e.errno in (errno.ENOTDIR, errno.EEXIST, errno.ENOENT):
        there = existing(path)
        if (there != path or e.errno == errno.EEXIST) and not there.is_dir():
            return f"{there} is a file, so nothing can lie below it"
        if e.errno == errno.ENOENT:
            return (f"the folder {there} takes no new files: choose another folder" if writing
                    else "check the path")
    return ""


def existing(path: Path) -> Path:
    """The part of an absolute path that exists."""
    while path != path.parent and not os.path.lexists(path):
        path = path.parent
    return path


def _of(path: Path | None) -> str:
    return "" if path is None else f" of {existing(path)}"
