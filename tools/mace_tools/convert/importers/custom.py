"""Custom operators: nodes that the app computes pass through with their name and attributes.

SPDX-License-Identifier: Apache-2.0

The converter knows neither what they compute nor the shapes of their outputs, except what the file
states. No pass folds, merges or moves anything across them (ir.Node.types).
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceNode, ValueInfo, shown
from mace_tools.graph.ir import NUMPY, Attr, Shape, dtype_name
from mace_tools.graph.op_schema import all_ops
from mace_tools.support.errors import Unsupported

ALL = "all"  # every operator that no importer knows
_STEPS = ("Upload", "Download")  # steps of plans, whose names no op may have
_NAME = re.compile(r"[A-Za-z0-9_.:/-]+")


def name_of(op: str) -> str:
    """The name under which the app registers an operator of the source."""
    return op.strip("'")  # which the TFLite importer writes around custom ones


def allows(custom_ops: Sequence[str], op: str) -> bool:
    return ALL in custom_ops or name_of(op) in custom_ops


def custom(b: Builder, n: SourceNode) -> list[str]:
    """Adds the node as it is. Errors: Unsupported for what a custom op cannot have."""
    op = name_of(n.op)
    if not _NAME.fullmatch(op):
        raise Unsupported(f"the name of custom op '{op}' must have letters, digits and any of "
                          "_.:/- and at least one")
    if op in all_ops() or op in _STEPS:
        raise Unsupported(f"custom op '{op}' has the name of an op of MACE, so that the app cannot "
                          "register it", "give the operator another name in the source model")
    if not n.outputs:
        raise Unsupported("a custom op needs an output")
    version = b.model.versions.get(n.op, 1)
    given = {**({"op_version": version} if version != 1 else {}), **n.attrs}
    if b.model.framework == "tensorflow":  # annotations of TensorFlow's own, as _output_shapes
        given = {name: value for name, value in given.items() if not name.startswith("_")}
    attrs = attributes(given)
    return b.custom(op, n.inputs, [_type(b, out) for out in n.outputs], attrs)


def _type(b: Builder, out: str) -> tuple[str, Shape | None]:
    """What the file states. fp16 is computed as float32, as everywhere."""
    info = b.model.stated.get(out) or b.model.info.get(out) or ValueInfo()
    shape = info.shape
    if shape is not None and b.model.reshaped:
        shape = (None,) * len(shape)  # the file states it for other inputs
    return ("f32" if info.dtype == "f16" else info.dtype), shape


def attributes(attrs: Mapping[str, Any]) -> dict[str, Attr]:
    """Attributes in the types of the engine. Errors: Unsupported."""
    found: dict[str, Attr] = {}
    for name, value in attrs.items():
        for key, one in _parts(name, value).items():
            if key in found or key != name and key in attrs:
                raise Unsupported(f"its attributes '{name}' and '{key}' cannot both be given to a "
                                  "custom op; give one of them another name in the source model")
            found[key] = one
    return found


def _parts(name: str, value: Any) -> dict[str, Attr]:
    """One attribute, or those of a tensor."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        kind = dtype_name(value.dtype)
        data = value.astype(NUMPY[kind].newbyteorder("<")).tobytes()
        return {name: data, name + ".shape": list(value.shape), name + ".type": kind}
    return {name: _plain(name, value)}


def _plain(name: str, value: Any) -> Attr:
    if hasattr(value, "as_attribute"):  # an element type of the framework
        value = value.as_attribute()
    if isinstance(value, tuple):  # a shape
        value = [-1 if extent is None else extent for extent in value]
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return _int64(name, int(value))
    if isinstance(value, (float, np.floating)):
        return _float32(name, float(value))
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, list):
        value = [v.as_attribute() if hasattr(v, "as_attribute") else v for v in value]
        if all(isinstance(v, (bool, int, np.integer, np.bool_)) for v in value):
            return [_int64(name, int(v)) for v in value]
        if all(isinstance(v, (bool, int, float, np.integer, np.floating)) for v in value):
            return [_float32(name, float(v)) for v in value]
        if all(isinstance(v, (str, bytes)) for v in value):
            return _strings(name, value)
    raise Unsupported(f"its attribute {name} is {shown(value)}, which a custom op cannot be given; "
                      "it takes numbers, strings, lists of these, and tensors of numbers")


def _int64(name: str, value: int) -> int:
    if not -(1 << 63) <= value < 1 << 63:
        raise Unsupported(f"its attribute {name} is {value}, which does not fit in 64 bits")
    return value


def _float32(name: str, value: float) -> float:
    if math.isfinite(value) and abs(value) > float(np.finfo(np.float32).max):
        raise Unsupported(f"its attribute {name} is {value}, which float32 cannot hold")
    return value


def _strings(name: str, values: Sequence[str | bytes]) -> bytes:
    """Each with a zero byte behind it."""
    encoded = [v.encode() if isinstance(v, str) else v for v in values]
    if any(b"\0" in v for v in encoded):
        raise Unsupported(f"its attribute {name} has a string with a zero byte in it")
    return b"".join(v + b"\0" for v in encoded)
