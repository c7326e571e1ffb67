"""Settings of the GPU that engines share.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Optional

from mace._gpu_memory import GpuHandles
from mace._library import check, ffi, lib, names_of, optional, owned
from mace._model import PathLike


class GpuContext:
    """Where programs of the GPU are cached or precompiled; for Engine(gpu_context=...)."""

    def __init__(self, storage_path: Optional[PathLike] = None,
                 opencl_binary_paths: Sequence[PathLike] = (),
                 opencl_parameter_path: Optional[PathLike] = None,
                 progress: Optional[Callable[[int, int], None]] = None,
                 opencl_context: Optional[GpuHandles] = None) -> None:
        """`storage_path`: an existing folder for compiled programs. `opencl_binary_paths`: files
        of precompiled ones. `opencl_parameter_path`: the file of tuning results. `progress` is
        called with the programs that are ready and all of them, while an engine is created.
        `opencl_context`: the app's own context and device, which engines use and retain."""
        paths, count, kept = names_of([str(path) for path in opencl_binary_paths])
        called = ffi.NULL
        if progress is not None:
            called = ffi.callback("void(void *, int32_t, int32_t)",
                                  lambda _, done, total: progress(done, total))
        with owned("gpu_context_builder", lib.mace_gpu_context_builder_create) as builder:
            if storage_path is not None:
                check(lib.mace_gpu_context_builder_set_storage_path(builder,
                                                                    optional(storage_path)))
            if count:
                check(lib.mace_gpu_context_builder_set_opencl_binary_paths(builder, paths, count))
            if opencl_parameter_path is not None:
                check(lib.mace_gpu_context_builder_set_opencl_parameter_path(
                    builder, optional(opencl_parameter_path)))
            if progress is not None:
                check(lib.mace_gpu_context_builder_set_progress(builder, called, ffi.NULL))
            if opencl_context is not None:
                check(lib.mace_gpu_context_builder_set_opencl_context(
                    builder, ffi.cast("void *", opencl_context.context),
                    ffi.cast("void *", opencl_context.device)))
            self.handle = owned("gpu_context", lib.mace_gpu_context_builder_build, builder,
                                what="GPU context", kept=called)
        del kept
