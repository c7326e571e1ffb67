"""The library of the package, and what its functions return.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import platform
import struct
import threading
import weakref
from pathlib import Path
from typing import Any, Callable, Optional

# Both are written when the wheel is made: what the library was built for, and its functions.
from mace import _built
from mace._errors import ClosedError, InvalidArgumentError, of_status


def _refusal() -> str:
    """Why the library cannot run here, or ''."""
    wanted = (f"this package of MACE {_built.VERSION} is for {_built.SYSTEM} on {_built.MACHINE} "
              f"with glibc {_built.GLIBC[0]}.{_built.GLIBC[1]} or later")
    bits = 8 * struct.calcsize("P")
    here = f"{platform.system()} on {platform.machine()}, with a Python of {bits} bits"
    cure = "; make one for this machine with `tools/converter.py wheel`"
    if (platform.system(), bits) != (_built.SYSTEM, _built.BITS):
        return f"{wanted}; this is {here}{cure}"
    if platform.machine() not in _built.MACHINES:
        return f"{wanted}; this is {here}{cure}"
    try:
        name, number = (os.confstr("CS_GNU_LIBC_VERSION") or " ").split(" ", 1)
    except (ValueError, OSError):  # another C library does not know the question
        name, number = "", ""
    if name != "glibc":
        return f"{wanted}; this system has another C library{cure}"
    found = tuple(int(part) for part in number.split(".")[:2])
    return "" if found >= _built.GLIBC else f"{wanted}; this system has glibc {number}{cure}"


def _open() -> tuple[Any, Any]:
    reason = _refusal()
    if reason:
        raise ImportError(reason)
    try:
        from mace._c import ffi
    except ImportError as e:
        raise ImportError(f"mace needs the package cffi: `pip install cffi` ({e})") from e
    path = Path(__file__).with_name("libmace.so")
    try:
        return ffi, ffi.dlopen(str(path))
    except OSError as e:
        raise ImportError(f"the library of MACE cannot be loaded: {e}") from e


ffi, lib = _open()


def text(pointer: Any) -> str:
    """A C string that stays the library's."""
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def check(status: int) -> None:
    """Raises the error of a call that failed."""
    if status != 0:
        raise of_status(status, text(lib.mace_last_error()))


def created(kind: str, function: Callable[..., int], *arguments: Any) -> Any:
    """What a function stores in its last argument."""
    out = ffi.new(f"{kind} **")
    check(function(*arguments, out))
    return out[0]


def owned(kind: str, function: Callable[..., int], *arguments: Any, what: str = "",
          kept: Any = None) -> Handle:
    """The mace_<kind>_t that a function stores in its last argument. `with owned(...) as pointer`
    destroys it behind the block. `what`: its name in messages; `kept`: as of a Handle."""
    return Handle(what or kind, created(f"mace_{kind}_t", function, *arguments),
                  getattr(lib, f"mace_{kind}_destroy"), kept)


def words(function: Callable[..., int], *arguments: Any) -> str:
    """A text that a function stores in its last argument."""
    found = ffi.new("char **")
    check(function(*arguments, found))
    try:
        return text(found[0])
    finally:
        lib.mace_free(found[0])


def encoded(word: str) -> bytes:
    """A name for C, where a zero character would end it early."""
    if not isinstance(word, str):
        raise InvalidArgumentError(f"{word!r} is no name: names are of type str")
    return _whole(word, word.encode())


def encoded_path(path: Any) -> bytes:
    """A path for C."""
    return _whole(os.fspath(path), os.fsencode(path))


def _whole(word: Any, found: bytes) -> bytes:
    if b"\0" in found:
        raise InvalidArgumentError(f"{word!r} holds a zero character, which no name or path can "
                                   "have")
    return found


def names_of(words: Any) -> tuple[Any, int, Any]:
    """A `const char* const*`, its length, and what must be kept while it is used."""
    kept = [ffi.new("char[]", encoded(word)) for word in words]
    return (ffi.new("const char *[]", kept) if kept else ffi.NULL), len(kept), kept


_handles: weakref.WeakSet[Handle] = weakref.WeakSet()


def _free_locks() -> None:
    """In a child that was forked, where threads of the parent do not unlock theirs. What they used
    is never freed there."""
    for handle in list(_handles):
        handle._lock = threading.Lock()


os.register_at_fork(after_in_child=_free_locks)


class Handle:
    """An object of the library. It is destroyed when it is closed and no call uses it any more.

    `with handle as pointer` keeps it for the time of a call."""

    def __init__(self, what: str, pointer: Any, destroy: Callable[[Any], None],
                 kept: Any = None) -> None:
        self._what, self._pointer, self._destroy = what, pointer, destroy
        self._kept = kept  # what the object uses and Python would free
        self._lock = threading.Lock()
        self._users = 0
        self.closed = False
        _handles.add(self)

    def __enter__(self) -> Any:
        with self._lock:
            if self.closed:
                raise ClosedError(f"the {self._what} is closed")
            self._users += 1
            return self._pointer

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            self._users -= 1
            last = self.closed and self._users == 0
        if last:
            self._free()

    def close(self) -> None:
        with self._lock:
            if self.closed:
                return
            self.closed = True
            unused = self._users == 0
        if unused:
            self._free()

    def _free(self) -> None:
        self._destroy(self._pointer)
        self._kept = None

    def __del__(self) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"the {self._what} cannot be copied or pickled: it belongs to this "
                        "process; load it again from its file")


def optional(value: Optional[Any]) -> bytes | Any:
    """A path or a text as an argument that may be null."""
    return ffi.NULL if value is None else encoded_path(value)
