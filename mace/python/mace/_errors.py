"""What calls raise: the engine's status and message.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """Who is at fault; the values of mace_status_t."""

    INVALID_ARGS = 1
    OUT_OF_RESOURCES = 2
    UNSUPPORTED = 3
    RUNTIME_ERROR = 4
    INVALID_MODEL = 5
    INTERNAL_ERROR = 6
    CANCELLED = 7


class MaceError(RuntimeError):
    """An error of the engine. `status` is its code, and `message` says what is wrong."""

    status: int = 0  # of an error that a later version of the library knows

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidArgumentError(MaceError, ValueError):
    """A name, a shape, a type or an option that does not fit."""

    status = Status.INVALID_ARGS


class OutOfResourcesError(MaceError, MemoryError):
    """The machine has too little memory, or the memory limit is reached."""

    status = Status.OUT_OF_RESOURCES


class UnsupportedError(MaceError):
    """Valid, but not with this device or this build of the library."""

    status = Status.UNSUPPORTED


class DeviceError(MaceError):
    """A driver or an accelerator failed."""

    status = Status.RUNTIME_ERROR


class InvalidModelError(MaceError, ValueError):
    """The file is corrupt or contradicts itself."""

    status = Status.INVALID_MODEL


class InternalError(MaceError):
    """A fault of MACE; please report it."""

    status = Status.INTERNAL_ERROR


class CancelledError(MaceError):
    """The run was ended by its Cancellation."""

    status = Status.CANCELLED


class ClosedError(InvalidArgumentError):
    """A call for an object after its close()."""


_BY_STATUS = {int(kind.status): kind for kind in (
    InvalidArgumentError, OutOfResourcesError, UnsupportedError, DeviceError, InvalidModelError,
    InternalError, CancelledError)}  # fmt: skip


def of_status(status: int, message: str) -> MaceError:
    """The exception for what a function of the library returned."""
    error = _BY_STATUS.get(status, MaceError)(message)
    error.status = status if status not in _BY_STATUS else Status(status)
    return error
