"""MACE: runs neural networks on CPUs and GPUs, with NumPy arrays in and out.

SPDX-License-Identifier: Apache-2.0

    import mace
    y = mace.Engine("net.pb")(x)

docs/python.md explains the package; the functions below are those of mace/public/mace_c.h.
"""

import sys as _sys

if _sys.version_info < (3, 9):  # noqa: UP036
    _found = ".".join(map(str, _sys.version_info[:2]))
    raise ImportError(f"mace needs Python 3.9 or later; {_sys.executable} is Python {_found}")

from mace._async_runs import AsyncRuns
from mace._engine import Cancellation, Engine, Settings
from mace._errors import (
    CancelledError,
    ClosedError,
    DeviceError,
    InternalError,
    InvalidArgumentError,
    InvalidModelError,
    MaceError,
    OutOfResourcesError,
    Status,
    UnsupportedError,
)
from mace._generator import FinishReason, Generation, GenerationOptions, GenerationStats, Generator
from mace._gpu import GpuContext
from mace._gpu_memory import GpuHandles, GpuTensor
from mace._images import ImageConverter, ImageTransform, turned
from mace._model import Model
from mace._ops import CustomOp, OpNode, OpTensor
from mace._process import Capability, LogLevel, capability, set_log, version
from mace._settings import Affinity, GpuPerf, GpuPriority
from mace._stats import KernelTest, NodePlacement, OpStats, kernel_tests
from mace._tensors import Dimension, TensorInfo
from mace._tokenizer import Tokenizer, TokenStream

__version__ = version()
__all__ = [
    "Affinity", "AsyncRuns", "Cancellation", "CancelledError", "Capability", "ClosedError",
    "CustomOp",
    "DeviceError", "Dimension", "Engine", "FinishReason", "Generation", "GenerationOptions",
    "GenerationStats", "Generator", "GpuContext", "GpuHandles", "GpuPerf", "GpuPriority",
    "GpuTensor", "ImageConverter", "ImageTransform", "InternalError", "InvalidArgumentError",
    "InvalidModelError", "KernelTest", "LogLevel", "MaceError", "Model", "NodePlacement", "OpNode",
    "OpStats", "OpTensor", "OutOfResourcesError", "Settings", "Status", "TensorInfo",
    "TokenStream", "Tokenizer", "UnsupportedError", "capability", "kernel_tests", "set_log",
    "turned", "version",
]  # fmt: skip
