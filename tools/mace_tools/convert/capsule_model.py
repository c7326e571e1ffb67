"""A converted model that computes as another one does and gives nothing of it away.

SPDX-License-Identifier: Apache-2.0

All names are replaced, also those of inputs, outputs and subgraphs, and all numbers that were
learned: float and quantized weights become random ones of the same range with as many zeros, NaN
and infinities. Shapes, attributes, quantization parameters and plain integers (indices, axes,
shapes) stay, as kernels and plans depend on them.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import xxhash

from mace_tools.graph import quantized_weights

# Elements of weights by the name of their type in mace.proto.
_ELEMENTS: dict[str, Any] = {
    "DT_FLOAT": np.float32, "DT_HALF": np.float16, "DT_BFLOAT16": np.uint16,
    "DT_INT8": np.int8, "DT_UINT8": np.uint8, "DT_INT16": np.int16, "DT_INT32": np.int32,
    "DT_INT64": np.int64, "DT_BOOL": np.bool_}
_WITH_SCALES = {kind: stored for stored, kind in quantized_weights.STORED_TYPES.items()}


def hidden(net: Any, data: bytes, seed: int) -> tuple[bytes, dict[str, str]]:
    """Changes a NetDef in place; returns its new weights, and the new names of inputs and outputs
    by their old ones."""
    net.ClearField("packed_weights")  # copies of the weights as kernels read them
    net.ClearField("memory_plan")
    names = _hide_names(net)
    rng, array = np.random.default_rng(seed), np.zeros(net.data_bytes, np.uint8)
    kinds = net.DESCRIPTOR.fields_by_name["tensors"].message_type.fields_by_name[
        "data_type"].enum_type.values_by_number
    for tensor in net.tensors:
        stored = tensor.stored_type if tensor.HasField("stored_type") else tensor.data_type
        kind, is_float = kinds[stored].name, kinds[tensor.data_type].name == "DT_FLOAT"
        learned = is_float or tensor.HasField("quantization") or kind in ("DT_HALF", "DT_BFLOAT16")
        draw = _random_bf16 if kind == "DT_BFLOAT16" else random_like
        for begin, size, dtype in _parts(tensor, kind, is_float):
            old = np.frombuffer(data, np.uint8, size, begin).view(dtype)
            array[begin : begin + size] = (draw(old, rng) if learned else old).view(np.uint8)
    net.data_xxh3 = xxhash.xxh3_64_intdigest(array.tobytes())
    return array.tobytes(), names


def _parts(tensor: Any, kind: str, is_float: bool) -> list[tuple[int, int, Any]]:
    """Where the values of a weight are, and its scales and zero points, if they are stored behind
    them."""
    stored = _WITH_SCALES.get(kind) if is_float and not tensor.HasField("quantization") else None
    if stored is None:
        dtype = np.dtype(_ELEMENTS[kind])
        return [(tensor.offset, tensor.data_size * dtype.itemsize, dtype)]
    return [(tensor.offset + at, size, np.dtype(element))
            for at, size, element in quantized_weights.layout(stored, tensor.dims)]


def random_like(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Values of the same type and range, with as many zeros and values that are not finite, at
    other positions."""
    if not old.size:
        return old
    finite = old[np.isfinite(old.astype(np.float32))]
    kept = np.concatenate([old[~np.isfinite(old.astype(np.float32))], finite[finite == 0]])
    free = old.size - kept.size
    low, high = (finite.min(), finite.max()) if finite.size else (0, 0)
    if old.dtype.kind in "iu":
        drawn = rng.integers(int(low), int(high), free, np.int64, endpoint=True).astype(old.dtype)
    else:
        drawn = rng.uniform(float(low), float(high), free).astype(old.dtype)
    if free > 1:  # the range itself
        drawn[:2] = low, high
    whole = np.concatenate([drawn, kept])
    rng.shuffle(whole)
    return whole


def _random_bf16(old: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    drawn = random_like((old.astype(np.uint32) << 16).view(np.float32), rng)
    return (drawn.view(np.uint32) >> 16).astype(np.uint16)


def _hide_names(net: Any) -> dict[str, str]:
    known: dict[tuple[str, str], str] = {}
    numbers = itertools.count(1)

    def of(kind: str) -> Callable[[str], str]:
        def name(old: str) -> str:
            if not old:
                return ""
            return known.setdefault((kind, old), f"{kind}{next(numbers)}")
        return name

    tensor, node, graph, dim = of("t"), of("n"), of("g"), of("d")
    ends = {info.name: tensor(info.name) for info in (*net.input_info, *net.output_info)}
    net.name = "capsule"
    for info in (*net.tensors, *(v.tensor for v in net.variables)):
        info.name = tensor(info.name)
    for part in (net, *net.subgraphs):
        for info in (*part.input_info, *part.output_info):
            info.name = tensor(info.name)
        for op in part.op:
            op.name = node(op.name)
            op.input[:], op.output[:] = map(tensor, op.input), map(tensor, op.output)
            for arg in op.arg:
                if arg.type == arg.SUBGRAPH:
                    arg.s = graph(arg.s.decode()).encode()
    for part in net.subgraphs:
        part.name = graph(part.name)
    for info in (*net.input_info, *(v.tensor for v in net.variables)):
        info.dim_names[:] = map(dim, info.dim_names)
    for variable in net.variables:
        variable.next = tensor(variable.next)
        if variable.HasField("initial"):
            variable.initial = tensor(variable.initial)
    net.fixed_input_shapes[:] = map(node, net.fixed_input_shapes)
    for setting in net.settings:
        if setting.name == "float32_nodes":
            setting.strings.items[:] = map(node, setting.strings.items)
    return ends
