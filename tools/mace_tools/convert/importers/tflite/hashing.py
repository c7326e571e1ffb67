"""Locality-sensitive hashing.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import tflite

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry

_TYPES = {tflite.LSHProjectionType.SPARSE: "SPARSE", tflite.LSHProjectionType.DENSE: "DENSE"}


@registry.op("LSH_PROJECTION")
def lsh_projection(b: Builder, n: SourceNode) -> str:
    """Its input is hashed by its bytes: one that differs by a bit has another hash"""
    seeds, x = n.inputs[:2]
    weight = n.inputs[2] if len(n.inputs) > 2 else ""
    kind = n.attr("Type", tflite.LSHProjectionType.UNKNOWN)
    if kind not in _TYPES:
        raise ValueError(f"the type {kind}, which is neither SPARSE nor DENSE")
    for i, what in enumerate(("hash", "input", "weight")[: len(n.inputs)]):
        replaced = b.source_type(i) or (b.dtype(n.inputs[i]) if what == "input" else "")
        if replaced not in ("", "f32", "i32", "i64", "i16", "i8", "u8", "bool"):
            raise Unsupported(f"its {what} is {replaced}, which the engine stores otherwise",
                              "use float32, int8 to int64, uint8 or bool")
        if n.inputs[i] and b.quant(n.inputs[i]) is not None:
            raise Unsupported(f"its {what} is quantized",
                              "quantize the model behind it only, or end the model before it "
                              "(output_tensors in the YAML)")
        if what != "input" and n.inputs[i] and b.dtype(n.inputs[i]) != "f32":
            raise ValueError(f"its {what} is {b.dtype(n.inputs[i])} and must be float32")
    return b.op("LshProjection", _bits(b, x), _bits(b, seeds), weight, type=_TYPES[kind])


def _bits(b: Builder, name: str) -> str:
    """Floats as integers with the same bits, which nothing rounds when it stores them; other types
    as they are."""
    if b.dtype(name) != "f32":
        return name
    value = b.const(name)
    if value is None:
        return b.op("Bitcast", name, to="i32")
    return b.add_const(np.ascontiguousarray(value, np.float32).view(np.int32).reshape(value.shape))
