"""Memory of the GPU that the caller and an engine share.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class GpuHandles:
    """Addresses of OpenCL's objects, for packages such as pyopencl (`from_int_ptr`). They are valid
    as long as the engine."""

    context: int  # cl_context
    device: int  # cl_device_id


@dataclass(frozen=True)
class GpuTensor:
    """A tensor in memory of the GPU, which a run uses without a copy: float32 in a buffer, or in a
    2-D image as mace/public/mace_c_tensor.h describes it."""

    memory: int  # the address of a cl_mem of the engine's context, which stays the caller's
    shape: tuple[int, ...]
    is_image: bool = False
    _owner: object = field(default=None, repr=False, compare=False)  # of memory that was imported
