"""NumPy arrays as tensors of the engine, and back, in the same memory where their layouts allow.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from mace._errors import InvalidArgumentError
from mace._gpu_memory import GpuTensor
from mace._library import check, encoded, ffi, lib, owned, text

_TYPES = {1: "float32", 2: "uint8", 4: "int32", 5: "float16", 7: "int16", 8: "int8", 11: "bool",
          12: "int64"}  # fmt: skip
_CODES = {np.dtype(name): code for code, name in _TYPES.items()}
_BFLOAT16 = 6
_CPU_DEVICES = (1, 3)  # of DLPack: memory of the CPU, and such that a GPU knows, too
_FORMATS = {1: "NHWC", 2: "NCHW"}


@dataclass(frozen=True)
class Dimension:
    """What a model says of a dimension of an input."""

    name: str  # dimensions of the same name have the same extent in each run; "": none
    extent: Optional[int]  # None: each run chooses it
    largest: Optional[int]  # the largest extent of a run; None: any will do


@dataclass(frozen=True)
class TensorInfo:
    """An input or an output of a model. The shape is the model's, or that of the latest run."""

    name: str
    dtype: str  # as NumPy names it, or "bfloat16"
    shape: tuple[int, ...]
    data_format: Optional[str]  # "NHWC", "NCHW", or None
    # A value q of a quantized tensor stands for scale * (q - zero_point); others have scale 0.
    scale: float
    zero_point: int

    @property
    def quantized(self) -> bool:
        return self.scale != 0

    def quantize(self, values: Any) -> np.ndarray:
        """The quantized values of floats: the nearest ones, kept in the range of the type."""
        self._need_quantization()
        limits = np.iinfo(self.dtype)
        q_values = np.rint(np.asarray(values,
                                      np.float32) / np.float32(self.scale)) + self.zero_point
        return np.clip(q_values, limits.min, limits.max).astype(self.dtype)

    def dequantize(self, codes: Any) -> np.ndarray:
        """The dequantized values, as float32."""
        self._need_quantization()
        return ((np.asarray(codes).astype(np.int32) - self.zero_point)
                * np.float32(self.scale)).astype(np.float32)

    def _need_quantization(self) -> None:
        if not self.quantized:
            raise InvalidArgumentError(f"'{self.name}' is not quantized: it holds {self.dtype}")


def infos(function: Any, pointer: Any) -> dict[str, TensorInfo]:
    """What mace_model_inputs and its like return, by name in the model's order."""
    with owned("tensor_infos", function, pointer) as table:
        return {info.name: info for info in (
            _info(table, k) for k in range(lib.mace_tensor_infos_count(table)))}


def _info(table: Any, k: int) -> TensorInfo:
    rank = ffi.new("size_t *")
    shape = lib.mace_tensor_infos_shape(table, k, rank)
    code = lib.mace_tensor_infos_data_type(table, k)
    return TensorInfo(
        text(lib.mace_tensor_infos_name(table, k)),
        "bfloat16" if code == _BFLOAT16 else _TYPES.get(code, f"type {code}"),
        tuple(shape[i] for i in range(rank[0])),
        _FORMATS.get(lib.mace_tensor_infos_data_format(table, k)),
        lib.mace_tensor_infos_scale(table, k), lib.mace_tensor_infos_zero_point(table, k))


def dimensions(model: Any, inputs: dict[str, TensorInfo]) -> dict[str, tuple[Dimension, ...]]:
    """What the model says of the dimensions of its inputs, which are in its order."""
    name, extent, largest = ffi.new("char const **"), ffi.new("int64_t *"), ffi.new("int64_t *")
    found = {}
    for k, info in enumerate(inputs.values()):
        of_input = []
        for axis in range(len(info.shape)):
            check(lib.mace_model_input_dimension(model, k, axis, name, extent, largest))
            of_input.append(Dimension(text(name[0]), _known(extent[0]), _known(largest[0])))
        found[info.name] = tuple(of_input)
    return found


def _known(extent: int) -> Optional[int]:
    return None if extent < 0 else int(extent)


def as_input(name: str, value: Any, info: Optional[TensorInfo]) -> np.ndarray:
    """A dense array in this memory where `value` has one; numbers and lists get the input's type.

    Errors: InvalidArgumentError for what is no tensor of the CPU."""
    if not isinstance(value, np.ndarray):
        if hasattr(value, "__dlpack__"):
            value = _from_dlpack(name, value)
        elif hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
            value = np.asarray(value)
        else:
            value = _from_numbers(name, value, info)
    if not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    return np.require(value, requirements="CAE")


def _from_dlpack(name: str, value: Any) -> np.ndarray:
    try:
        device = value.__dlpack_device__()[0]
        if device not in _CPU_DEVICES:
            raise BufferError(f"its DLPack device is {int(device)}")
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError, AttributeError) as e:
        raise InvalidArgumentError(
            f"'{name}': {type(value).__name__} gives no tensor of the CPU by DLPack ({e}); "
            "move it to the CPU, in a type that NumPy has") from e


def _from_numbers(name: str, value: Any, info: Optional[TensorInfo]) -> np.ndarray:
    try:
        if value is None:  # NumPy makes NaN of it
            raise TypeError("it holds no numbers")
        if info is None or info.quantized or info.dtype not in _TYPES.values():
            return np.asarray(value, np.float32)
        return np.asarray(value, info.dtype)
    except (TypeError, ValueError, OverflowError) as e:
        raise InvalidArgumentError(f"'{name}': {type(value).__name__} is no tensor ({e})") from e


def code_of(name: str, dtype: Any) -> int:
    """The engine's number for a type. Errors: InvalidArgumentError."""
    if dtype.name == "bfloat16":  # of the package ml_dtypes
        return _BFLOAT16
    if dtype not in _CODES:
        raise InvalidArgumentError(
            f"'{name}': the engine has no type {dtype}; convert the array with "
            f".astype(...) to one of {', '.join(_TYPES.values())}")
    return _CODES[dtype]


def int64s(name: str, shape: Any) -> Any:
    """The dimensions of a tensor for C. Errors: InvalidArgumentError."""
    try:
        return ffi.new("int64_t[]", [operator.index(size) for size in shape] or [0])
    except (TypeError, OverflowError) as e:
        raise InvalidArgumentError(f"'{name}': a shape is a list of integers of 64 bits, not "
                                   f"{shape!r} ({e})") from e


class Tensors:
    """A mace_tensors_t and the arrays in whose memory it is."""

    def __init__(self) -> None:
        self.handle = owned("tensors", lib.mace_tensors_create)
        self._arrays: dict[str, Any] = {}  # arrays, and what is in memory of the GPU

    def set(self, name: str, array: np.ndarray) -> None:
        """Uses the memory of a dense array."""
        shape = ffi.new("int64_t[]", list(array.shape) or [0])
        data = ffi.cast("void *", array.ctypes.data)
        with self.handle as tensors:
            check(lib.mace_tensors_set(tensors, encoded(name), code_of(name, array.dtype), shape,
                                       array.ndim, data, array.nbytes))
        self._arrays[name] = array

    def set_shape(self, name: str, dtype: Any, shape: Any) -> None:
        """A tensor without memory."""
        dims = int64s(name, shape)
        with self.handle as tensors:
            check(lib.mace_tensors_set(tensors, encoded(name), code_of(name, np.dtype(dtype)),
                                       dims, len(shape), ffi.NULL, 0))

    def set_gpu(self, name: str, tensor: GpuTensor) -> None:
        """Uses memory of the GPU."""
        shape = int64s(name, tensor.shape)
        kind = lib.MACE_GPU_IMAGE if tensor.is_image else lib.MACE_GPU_BUFFER
        with self.handle as tensors:
            check(lib.mace_tensors_set_gpu(tensors, encoded(name), kind, shape, len(tensor.shape),
                                           ffi.cast("void *", tensor.memory)))
        self._arrays[name] = tensor

    def array(self, name: str) -> Any:
        """The caller's array, or one in the engine's memory, which lives as long as it."""
        if name in self._arrays:
            return self._arrays[name]
        with self.handle as tensors:
            tensor = lib.mace_tensors_find(tensors, encoded(name))
            if tensor == ffi.NULL:
                raise InvalidArgumentError(text(lib.mace_last_error()))
            dtype = dtype_of(name, lib.mace_tensor_data_type(tensor))
            return np.asarray(_InEngine(self, tensor, dtype)).view(dtype)


def imported_dma_buf(engine: Any, file: int, shape: Any) -> Union[GpuTensor, np.ndarray]:
    """A tensor in a dma-buf: an array if the memory had to be mapped."""
    tensors, dims = Tensors(), int64s("shape", shape)
    with tensors.handle as pointer:
        check(lib.mace_engine_import_dma_buf(engine, pointer, b"x", dims, len(shape), file))
        tensor = lib.mace_tensors_find(pointer, b"x")
        if lib.mace_tensor_bytes(tensor) == 0:  # in memory of the GPU
            memory = int(ffi.cast("uintptr_t", lib.mace_tensor_data(tensor)))
            return GpuTensor(memory, tuple(shape), _owner=tensors)
    return tensors.array("x")


def dtype_of(name: str, code: int) -> Any:
    """NumPy's type for an engine's number. Errors: InvalidArgumentError."""
    if code in _TYPES:
        return np.dtype(_TYPES[code])
    try:
        import ml_dtypes
    except ImportError:
        ml_dtypes = None
    if code != _BFLOAT16 or ml_dtypes is None:
        raise InvalidArgumentError(f"'{name}' is bfloat16, which NumPy lacks: `pip install "
                                   "ml_dtypes`")
    return np.dtype(ml_dtypes.bfloat16)


class _InEngine:
    """Memory of the engine as NumPy takes it over; the array keeps this object."""

    def __init__(self, tensors: Tensors, tensor: Any, dtype: Any) -> None:
        self._tensors = tensors
        rank = ffi.new("size_t *")
        dims = lib.mace_tensor_shape(tensor, rank)
        shape = tuple(dims[i] for i in range(rank[0]))
        data = int(ffi.cast("uintptr_t", lib.mace_tensor_data(tensor)))
        self.__array_interface__ = {"shape": shape, "typestr": dtype.str, "data": (data, False),
                                    "version": 3}
