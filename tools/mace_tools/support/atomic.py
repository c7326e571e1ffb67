"""Files that appear complete or not at all.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mace_tools.support.errors import MaceError
from mace_tools.support.os_errors import explain


@contextlib.contextmanager
def atomic_files(*paths: Path, mode: int = 0o666) -> Iterator[list[BinaryIO]]:
    """Files that appear under `paths` if the block succeeds, and leave nothing otherwise.

    Errors: MaceError naming the path, for a full disk or a folder that cannot be written."""
    temporaries: list[str] = []
    files: list[BinaryIO] = []
    path = paths[0]
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            temporaries.append(name)
            files.append(os.fdopen(handle, "wb"))
        yield files
        for path, file, name in zip(paths, files, temporaries):
            file.flush()
            os.fsync(file.fileno())
            os.chmod(name, mode & ~_umask())
        for path, name in zip(paths, temporaries):
            os.replace(name, path)
    except OSError as e:
        raise MaceError(f"cannot write {path}: {explain(e, path, writing=True)}") from e
    finally:
        for file in files:
            with contextlib.suppress(OSError):
                file.close()
        for name in temporaries:
            with contextlib.suppress(OSError):
                os.unlink(name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
