"""What the source frameworks compute for tests, kept on the disk.

SPDX-License-Identifier: Apache-2.0

The key of an entry is a hash of the model's bytes, the inputs, what else was asked, and the
versions of the packages that compute. `pytest --no-golden-cache`, and `--ring=deep`, compute all
anew and write nothing.
"""

import functools
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from mace_tools.support.protos import cache_dir

# The outputs, or why there are none; None if there is no more to say.
Golden = TypeVar("Golden", bound=list[np.ndarray] | str | None)
_FOLDER = cache_dir() / "goldens"  # at import time: tests replace MACE_CACHE
_is_used = True
_BROKEN = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)


def use(is_used: bool) -> None:
    """Whether stored results are read and written from now on."""
    global _is_used
    _is_used = is_used


def kept(packages: Sequence[str], model: bytes, feeds: Mapping[str, np.ndarray], what: Any,
         compute: Callable[[], Golden]) -> Golden:
    """The result of `compute`, which these packages of the environment compute from the model and
    the feeds. what: all else on which it depends, such as a version of `compute` itself; its repr
    is stable."""
    if not _is_used:
        return compute()
    path = _FOLDER / f"{_hash(packages, model, feeds, what)}.npz"
    try:
        return cast(Golden, _read(path))
    except _BROKEN:  # not there, of a stopped run, or damaged
        found = compute()
        _write(path, found)
        return found


def _hash(packages: Sequence[str], model: bytes, feeds: Mapping[str, np.ndarray],
          what: Any) -> str:
    digest = hashlib.sha256(repr((*map(_versioned, (*packages, "numpy")), what)).encode())
    digest.update(hashlib.sha256(model).digest())
    for name, array in feeds.items():
        digest.update(repr((name, array.dtype.str, array.shape)).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:40]


@functools.cache
def _versioned(package: str) -> str:
    return f"{package}=={metadata.version(package)}"


def _read(path: Path) -> list[np.ndarray] | str | None:
    with np.load(path, allow_pickle=False) as file:
        if "none" in file:
            return None
        if "error" in file:
            return str(file["error"])
        return [file[str(k)] for k in range(int(file["count"]))]


def _write(path: Path, found: list[np.ndarray] | str | None) -> None:
    if isinstance(found, list):
        arrays = [np.asarray(array) for array in found]
        if any(array.dtype.hasobject for array in arrays):
            return  # texts, which only pickle stores
        parts = {"count": np.int64(len(arrays)), **{str(k): a for k, a in enumerate(arrays)}}
    else:
        parts = {"none": np.int64(0)} if found is None else {"error": np.array(found)}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        np.savez(file, **parts)
    os.replace(temporary, path)
