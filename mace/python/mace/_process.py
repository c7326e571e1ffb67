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

_log: Any = None  # the callback, which C holds


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


def set_log(log: Optional[Callable[[LogLevel, str], None]],
            least_important: LogLevel = LogLevel.WARNING) -> None:
    """Passes messages to `log`, which any thread may call; None: to stderr again."""
    global _log
    called = ffi.NULL
    if log is not None:
        if not callable(log):
            raise TypeError(f"log is a function or None, not {type(log).__name__}")
        called = ffi.callback("void(void *, int32_t, const char *)",
                              lambda _, level, message: log(LogLevel(level), text(message)))
    check(lib.mace_set_log(called, ffi.NULL, int(least_important)))
    if _log is None:
        atexit.register(set_log, None)  # no thread may call into an interpreter that ends
    _log = called


def capability(device: str, cpu_time: float = 1) -> Capability:
    """Measures a device with a small network: milliseconds, divided by `cpu_time`."""
    if device not in _settings.DEVICES:
        raise InvalidArgumentError(f"device={device!r}: the devices are "
                                   f"{', '.join(_settings.DEVICES)}")
    supported, real, codes = ffi.new("bool *"), ffi.new("float *"), ffi.new("float *")
    check(lib.mace_get_capability(_settings.DEVICES[device], cpu_time, supported, real, codes))
    return Capability(bool(supported[0]), real[0], codes[0])
