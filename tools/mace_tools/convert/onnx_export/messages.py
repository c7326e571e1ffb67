"""Parts of ONNX models: nodes, tensors, and what inputs and outputs are.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mace_tools.convert.importers.onnx.reader import PROTO
from mace_tools.convert.importers.onnx.tensors import ELEMENT
from mace_tools.support import protos

_ENUM = {np.dtype(v): k for k, v in sorted(ELEMENT.items(), reverse=True)}


def onnx() -> Any:
    return protos.load(PROTO)


def node(op: str, inputs: str, outputs: str, name: str = "", domain: str = "", **attrs: Any) -> Any:
    """Inputs and outputs as words; attributes as Python numbers, strings, lists or arrays."""
    n = onnx().NodeProto(op_type=op, name=name, domain=domain,
                         input=["" if i == "-" else i for i in inputs.split()],
                         output=outputs.split())
    for key, value in attrs.items():
        _attribute(n.attribute.add(name=key), value)
    return n


def _attribute(a: Any, value: Any) -> None:
    if isinstance(value, (np.ndarray, np.generic)):
        a.type = 4
        a.t.CopyFrom(tensor("", value))
    elif isinstance(value, type(onnx().GraphProto())):
        a.type = 5
        a.g.CopyFrom(value)
    elif isinstance(value, str):
        a.type, a.s = 3, value.encode()
    elif isinstance(value, int):
        a.type, a.i = 2, value
    elif isinstance(value, float):
        a.type, a.f = 1, value
    elif all(isinstance(v, int) for v in value):
        a.type = 7
        a.ints.extend(value)
    else:
        a.type = 6
        a.floats.extend(value)


def tensor(name: str, array: np.ndarray) -> Any:
    return onnx().TensorProto(name=name, dims=array.shape, data_type=_ENUM[array.dtype],
                              raw_data=array.tobytes())


def info(name: str, shape: Sequence[int | str] | None, kind: Any = np.float32) -> Any:
    v = onnx().ValueInfoProto(name=name)
    v.type.tensor_type.elem_type = _ENUM[np.dtype(kind)]
    if shape is not None:
        v.type.tensor_type.shape.SetInParent()
        for d in shape:
            dim = v.type.tensor_type.shape.dim.add()
            if isinstance(d, str):
                dim.dim_param = d
            else:
                dim.dim_value = d
    return v
