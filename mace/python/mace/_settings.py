"""The settings of an engine.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mace import _built, _ops
from mace._errors import InvalidArgumentError
from mace._library import Handle, check, encoded, ffi, lib, owned

DEVICES = {"cpu": 0, "gpu": 2, "dsp": 3}


class Affinity(enum.IntEnum):
    """The cores on which an engine's threads may run."""

    NONE = 0
    BIG_ONLY = 1
    LITTLE_ONLY = 2
    HIGH_PERFORMANCE = 3
    POWER_SAVE = 4


class GpuPerf(enum.IntEnum):
    """A hint for Qualcomm Adreno GPUs."""

    DEFAULT = 0
    LOW = 1
    NORMAL = 2
    HIGH = 3


class GpuPriority(enum.IntEnum):
    """A hint for Qualcomm Adreno GPUs."""

    DEFAULT = 0
    LOW = 1
    NORMAL = 2
    HIGH = 3


def config(device: str, settings: Mapping[str, Any]) -> Handle:
    """A mace_config_t. Errors: InvalidArgumentError."""
    if device not in DEVICES:
        raise InvalidArgumentError(f"device={device!r}: the devices are {', '.join(DEVICES)}")
    handle = owned("config", lib.mace_config_create, DEVICES[device], _built.HEADERS,
                   what="settings")
    with handle as pointer:
        for name, value in settings.items():
            if value is not None:
                (_SPECIAL.get(name) or _plain)(pointer, name, value)
    return handle


def _plain(pointer: Any, name: str, value: Any) -> None:
    check(lib.mace_config_set(pointer, encoded(name), encoded(_words(name, value))))


def _words(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, Mapping):  # of devices to shares
        return ",".join(f"{device}={float(share)}" for device, share in value.items())
    if isinstance(value, Sequence) and all(isinstance(word, str) for word in value):
        return ",".join(value)
    raise InvalidArgumentError(f"{name}={value!r}: a setting is a number, a word, or a list of "
                               "words")


def _context(pointer: Any, name: str, value: Any) -> None:
    with value.handle as context:
        check(lib.mace_config_set_gpu_context(pointer, context))


def _share(pointer: Any, name: str, value: Any) -> None:
    with value.handle as engine:
        check(lib.mace_config_share_memory_with(pointer, engine))


def _offline_plan(pointer: Any, name: str, value: Any) -> None:
    try:
        words = ffi.new("int32_t[]", [int(word) for word in value])
    except (TypeError, ValueError, OverflowError) as e:
        raise InvalidArgumentError(f"{name}: a list of integers of 32 bits ({e})") from e
    check(lib.mace_config_set_offline_memory_plan(pointer, words, len(words)))


def _arena(pointer: Any, name: str, value: Any) -> None:
    if not (isinstance(value, np.ndarray) and value.flags.c_contiguous and value.flags.writeable):
        raise InvalidArgumentError("arena: it is a dense NumPy array that may be written to")
    check(lib.mace_config_set_arena(pointer, ffi.cast("void *", value.ctypes.data), value.nbytes))


_SPECIAL = {"gpu_context": _context, "share_memory_with": _share,
            "offline_memory_plan": _offline_plan, "arena": _arena,
            "custom_ops": _ops.set_resolver}  # fmt: skip
