"""The inputs of a run: from .npy files, from images, or random from a seed.

SPDX-License-Identifier: Apache-2.0
"""

import io
import math
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mace_tools.config.files import missing
from mace_tools.config.problems import did_you_mean
from mace_tools.config.schema import Model
from mace_tools.config.sections import Preprocess
from mace_tools.run.preprocess import from_picture
from mace_tools.support import protos
from mace_tools.support.atomic import atomic_files
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.limits import open_file

NUMPY_TYPES = {"DT_FLOAT": np.float32, "DT_HALF": np.float16, "DT_INT64": np.int64,
               "DT_INT32": np.int32, "DT_INT16": np.int16, "DT_INT8": np.int8,
               "DT_UINT8": np.uint8, "DT_BOOL": np.bool_}  # fmt: skip


# Of random inputs whose range the deployment file does not give.
USUAL_RANGE = (-1.0, 1.0)


@dataclass(frozen=True)
class TensorSpec:
    """An input or output of a converted model."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    data_format: str  # NHWC, NCHW or NONE
    range: tuple[float, float] = USUAL_RANGE
    open: tuple[bool, ...] = ()  # by dimension: each run chooses; empty: none


def specs(infos: Sequence[Any], model: Model | None = None,
          usual: tuple[float, float] = USUAL_RANGE) -> list[TensorSpec]:
    """Reads the input_info or output_info of a NetDef; ranges come from the deployment file, or are
    `usual`, of a quantized tensor the integers for it. The extents of open dimensions are the
    largest ones, or 1 where there is no limit."""
    given = dict(ranges(model)) if model is not None else {}
    return [TensorSpec(i.name, _closed(i), _numpy_type(i), _format(i),
                       given.get(i.name) or _stored(i, usual),
                       tuple(d == -1 for d in i.dims) if -1 in i.dims else ()) for i in infos]


def _stored(info: Any, wanted: tuple[float, float]) -> tuple[float, float]:
    """The values with which a tensor holds such numbers."""
    if not info.quantization.scales:
        return wanted
    scale = info.quantization.scales[0]
    zero = (info.quantization.zero_points or [0])[0]
    ends = np.iinfo(_numpy_type(info))
    low, high = (float(np.clip(np.rint(v / scale) + zero, ends.min, ends.max)) for v in wanted)
    return low, high


def _closed(info: Any) -> tuple[int, ...]:
    most = info.max_dims or [1] * len(info.dims)
    return tuple(m if d == -1 else d for d, m in zip(info.dims, most))


def reshaped(inputs: Sequence[TensorSpec], shapes: Mapping[str, tuple[int, ...]],
             tag: str) -> list[TensorSpec]:
    """The inputs with the shapes of --input_shape. Errors: MaceError for a name or a number of
    dimensions that the model does not have."""
    names = [spec.name for spec in inputs]
    for name, shape in shapes.items():
        if name not in names:
            raise MaceError(f"--input_shape={name}: model '{tag}' has no such input"
                            f"{did_you_mean(name, names)}; its inputs are {', '.join(names)}")
        own = inputs[names.index(name)].shape
        if len(shape) != len(own):
            raise MaceError(f"--input_shape={name}: {list(shape)} has {len(shape)} dimensions, the "
                            f"input of model '{tag}' has {len(own)}: {list(own)}")
    return [replace(spec, shape=shapes.get(spec.name, spec.shape)) for spec in inputs]


def assign(arguments: Sequence[str], names: Sequence[str], tag: str) -> dict[str, Path]:
    """The file for each input named by `--input NAME=FILE` or, for a single input, `FILE`."""
    files: dict[str, Path] = {}
    for argument in arguments:
        name = next((n for n in names if argument.startswith(f"{n}=")), None)
        if name is None and "=" in argument and not Path(argument).exists():
            wrong = argument.partition("=")[0]
            raise MaceError(f"--input={argument}: model '{tag}' has no input '{wrong}'"
                            f"{did_you_mean(wrong, names)}; its inputs are {', '.join(names)}")
        if name is None and len(names) > 1:
            raise MaceError(f"--input={argument}: model '{tag}' has {len(names)} inputs; write "
                            f"NAME={argument} with one of {', '.join(names)}")
        file = argument if name is None else argument[len(name) + 1 :]
        if not file:
            raise MaceError(f"--input={argument} names no file; write --input=FILE or "
                            f"--input={names[0]}=FILE")
        if (name or names[0]) in files:
            raise MaceError(f"--input={argument}: input '{name or names[0]}' is given twice")
        files[name or names[0]] = Path(file)
    return files


def load(
    files: Mapping[str, Path],
    inputs: Sequence[TensorSpec],
    preprocess: Preprocess | None,
    seed: int,
    console: Console,
    allow_nan: bool = False,
) -> dict[str, np.ndarray]:
    """An array for every input. Errors: MaceError naming the input and the file."""
    arrays = {}
    for spec in inputs:
        file = files.get(spec.name)
        if file is None:
            arrays[spec.name] = random(spec, seed)
            continue
        where = f"input '{spec.name}' from {file}"
        if not file.is_file():
            wrong = f"'{file}' is not a file" if file.exists() else missing(str(file))
            raise MaceError(f"input '{spec.name}': {wrong}")
        if file.suffix.lower() == ".npy":
            array = fitted(read_npy(file, where), spec, where, console)
        else:
            array = from_picture(file, preprocess, spec.shape, spec.data_format, spec.dtype, where)
        if not allow_nan:
            check_finite(array, where)
        arrays[spec.name] = array
    return arrays


def random(spec: TensorSpec, seed: int) -> np.ndarray:
    """Uniform within the input's range; the same seed and name give the same values everywhere."""
    generator = np.random.default_rng([seed, zlib.crc32(spec.name.encode())])
    low, high = spec.range
    if spec.dtype == np.bool_:
        return np.asarray(generator.integers(0, 2, spec.shape), np.bool_)
    if spec.dtype.kind in "iu":
        limits = np.iinfo(spec.dtype)
        first, last = max(int(np.ceil(low)), limits.min), min(int(np.floor(high)), limits.max)
        if first > last:
            raise MaceError(f"input '{spec.name}': input_ranges {low:g},{high:g} holds no "
                            f"{spec.dtype}")
        numbers = generator.integers(first, last, spec.shape, np.int64, endpoint=True)
        return np.asarray(numbers, spec.dtype)
    return np.asarray(generator.uniform(low, high, spec.shape), spec.dtype)


def save(file: Path, array: np.ndarray) -> None:
    """Writes a complete .npy file or nothing. Errors: MaceError naming it."""
    buffer = io.BytesIO()  # numpy.save to a file does not say why it failed
    np.save(buffer, array)
    with atomic_files(file) as (out,):
        out.write(buffer.getbuffer())


def read_npy(file: Path, where: str) -> np.ndarray:
    try:
        with open_file(file) as opened:
            _check_size(opened)
            array = np.load(opened, allow_pickle=False)
    except Exception as e:  # NumPy passes on any error of parsing the header
        raise MaceError(f"{where}: not a whole .npy file ({' '.join(str(e).split())}); "
                        "write it with numpy.save") from e
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        kind = getattr(array, "dtype", "archives (.npz)")
        raise MaceError(f"{where}: elements of type {kind} cannot be used; save numbers")
    return array


def _check_size(file: BinaryIO) -> None:
    """Checks what the header claims, before memory is taken for it. Errors: ValueError, OSError."""
    if file.read(6) != b"\x93NUMPY":
        file.seek(0)
        return  # not of this kind
    file.seek(0)
    version = np.lib.format.read_magic(file)
    read = {(1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"version {version} of the format has texts, no numbers")
    shape, _, dtype = read(file)
    have, want = os.fstat(file.fileno()).st_size - file.tell(), math.prod(shape) * dtype.itemsize
    if want > have and dtype.kind != "O":
        raise ValueError(f"its shape {list(shape)} needs {want} bytes, and it has {have}")
    file.seek(0)


def fitted(array: np.ndarray, spec: TensorSpec, where: str, console: Console) -> np.ndarray:
    """The array with the input's element type, if its shape fits."""
    if array.ndim != len(spec.shape) or (array.size == 0 and not spec.open):
        hint = ""
        if array.size == np.prod(spec.shape, dtype=np.int64):
            hint = f"; save array.reshape({spec.shape})"
        raise MaceError(f"{where}: has the shape {list(array.shape)}, the model takes "
                        f"{list(spec.shape)}{hint}")
    if any(a != e and not (spec.open and spec.open[d])
           for d, (a, e) in enumerate(zip(array.shape, spec.shape))):
        console.info(f"{where}: shape {list(array.shape)} instead of {list(spec.shape)}")
    if array.dtype == spec.dtype:
        return np.asarray(array, order="C")
    exact = spec.dtype.kind == "f" or np.array_equal(array, array.astype(spec.dtype))
    if not exact:
        raise MaceError(f"{where}: has {array.dtype} elements that do not fit {spec.dtype}, which "
                        f"the model takes; save array.astype(numpy.{spec.dtype})")
    if array.dtype != np.float64:
        console.info(f"{where}: {array.dtype} elements become {spec.dtype}")
    return np.asarray(array.astype(spec.dtype), order="C")


def check_finite(array: np.ndarray, where: str) -> None:
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return
    bad = np.argwhere(~np.isfinite(array))
    first = tuple(int(i) for i in bad[0])
    raise MaceError(f"{where}: {len(bad)} of {array.size} elements are NaN or infinite, the first "
                    f"at {list(first)} ({array[first]}); fix the file, or pass --allow_nan")


def ranges(model: Model) -> list[tuple[str, tuple[float, float]]]:
    names, given = model.subgraph.input_names, model.subgraph.input_ranges
    return list(zip(names, given * len(names) if len(given) == 1 else given))


def _numpy_type(info: Any) -> np.dtype[Any]:
    proto = protos.mace()
    for name, numpy_type in NUMPY_TYPES.items():
        if getattr(proto, name) == info.data_type:
            return np.dtype(numpy_type)
    raise MaceError(f"'{info.name}' has the element type {info.data_type}, which NumPy has not")


def _format(info: Any) -> str:
    proto = protos.mace()
    formats = {getattr(proto, f"DF_{name}"): name for name in ("NHWC", "NCHW", "NONE")}
    return formats[info.data_format]
