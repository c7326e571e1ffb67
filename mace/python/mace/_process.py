"""What concerns the whole process: messages, and what its devices can do.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import atexit
import enum
from dataclasses import dataclass
from typing import Any, Callable, Optional

from mace import _settings
from mace._errors import InvalidArgumentError
from mace._library import check, ffi, lib, text

_log: Optional[Callable[[LogLevel, str], None]] = None
_at_exit = False


class LogLevel(enum.IntEnum):
    """The kinds of messages, from the most important to the least."""

    ERROR = 0
    WARNING = 1
    INFO = 2
    VERBOSE_1 = 3
    VERBOSE_2 = 4
    VERBOSE_3 = 5
    VERBOSE_4 = 6


@dataclass(frozen=True)
class Capability:
    """Whether a device runs models, and how fast; infinity if it does not."""

    supported: bool
    float32_time: float
    quantized8_time: float


def version() -> str:
    """That of the library."""
    return text(lib.mace_version())


@ffi.callback("void(void *, int32_t, const char *)")
def _called(_: Any, level: int, message: Any) -> None:
    """What C calls as long as the process lives, so that no thread can call what was freed."""
    log = _log
    if log is not None:
        log(LogLevel(level), text(message))


def set_log(log: Optional[Callable[[LogLevel, str], None]],
            least_important: LogLevel = LogLevel.WARNING) -> None:
    """Passes messages to `log`, which any thread may call; None: to stderr again.

    After it, `log` of an earlier call has returned on all other threads. Of two calls at once, the
    function of either may be used, with the level of either."""
    global _log, _at_exit
    if log is None:
        check(lib.mace_set_log(ffi.NULL, ffi.NULL, int(least_important)))
        _log = None
        return
    if not callable(log):
        raise TypeError(f"log is a function or None, not {type(log).__name__}")
    before, _log = _log, log
    try:
        check(lib.mace_set_log(_called, ffi.NULL, int(least_important)))
    except Exception:
        _log = before
        raise
    if not _at_exit:
        _at_exit = True
        atexit.register(set_log, None)  # no thread may call into an interpreter that ends


def capability(device: str, cpu_time: float = 1) -> Capability:
    """Measures a device with a small network: milliseconds, divided by `cpu_time`."""
    if device not in _settings.DEVICES:
        raise InvalidArgumentError(f"device={device!r}: the devices are "
                                   f"{', '.join(_settings.DEVICES)}")
    supported, floats, quantized = ffi.new("bool *"), ffi.new("float *"), ffi.new("float *")
    check(lib.mace_get_capability(_settings.DEVICES[device], cpu_time, supported, floats,
                                  quantized))
    return Capability(bool(supported[0]), floats[0], quantized[0])
