"""The converted graph as an ONNX file to look at, for instance in Netron: no weights, but what the
engine does with each node.

SPDX-License-Identifier: Apache-2.0

All nodes are of the domain "mace", so that the file is a well-formed ONNX model that no runtime can
run. Constants are attributes of the nodes that read them, named after their place among the inputs.
"""

from collections.abc import Mapping
from typing import Any

from mace_tools.analyze.check.engine import type_name
from mace_tools.analyze.check.plan_text import reason
from mace_tools.convert.importers.onnx.reader import PROTO
from mace_tools.support.protos import load

DOMAIN = "mace"
IR_VERSION = 8
# TensorProto.DataType of ONNX.
ELEMENT = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
           "float16": 10, "bfloat16": 16}  # fmt: skip
FLOAT, INT, STRING, FLOATS, INTS = 1, 2, 3, 6, 7


def render(net: Any, plan: Mapping[str, Any] | None = None,
           milliseconds: Mapping[str, float] | None = None) -> bytes:
    """The file. `milliseconds` are those of the plan's steps, by their names."""
    onnx = load(PROTO)
    model = onnx.ModelProto(ir_version=IR_VERSION, producer_name="MACE")
    model.opset_import.add(domain=DOMAIN, version=1)
    graph = model.graph
    graph.name = net.name or "model"
    constants = {tensor.name: tensor for tensor in net.tensors}
    steps = {node["name"]: node for node in (plan["nodes"] if plan is not None else ())}
    ends = {info.name for info in (*net.input_info, *net.output_info)}
    for op in net.op:
        _add_node(graph.node.add(), op, constants, _step_properties(op, steps, milliseconds or {}))
        for name, shape, kind in zip(op.output, op.output_shape, op.output_type):
            if name not in ends:
                _fill_info(graph.value_info.add(), name, kind, list(shape.dims))
    for infos, target in ((net.input_info, graph.input), (net.output_info, graph.output)):
        for info in infos:
            _fill_info(target.add(), info.name, info.data_type, list(info.dims))
    return model.SerializeToString(deterministic=True)


def _step_properties(
    op: Any, steps: Mapping[str, Any], milliseconds: Mapping[str, float]
) -> dict[str, Any]:
    """What the plan says about a node: of itself, or of the step that it is part of."""
    own = steps.get(op.name)
    if own is None:
        return {}
    step = steps.get(own["part_of"], own)
    found = {"device": own["device"], "kernel": step["kernel"],
             "stored_as": ", ".join(own["outputs"]), "multiply_adds": own["macs"] or None,
             "why_not_on_the_first_device": reason(own),
             "part_of_step": own["part_of"], "weights_stored_as": own["stored"]}
    time = milliseconds.get(step["name"])
    if time is not None:
        found["milliseconds_of_step" if own["part_of"] else "milliseconds"] = float(time)
    return {key: value for key, value in found.items() if value not in ("", None)}


def _add_node(node: Any, op: Any, constants: Mapping[str, Any],
              properties: Mapping[str, Any]) -> None:
    node.name, node.op_type, node.domain = op.name, op.type, DOMAIN
    inputs = ["" if name in constants else name for name in op.input]
    while inputs and not inputs[-1]:
        inputs.pop()
    node.input.extend(inputs)
    node.output.extend(op.output)
    attributes = {**properties, **{f"input_{k}": _constant(constants[name])
                                   for k, name in enumerate(op.input) if name in constants}}
    for key, value in attributes.items():
        _fill(node.attribute.add(name=key), value)
    for arg in op.arg:
        if arg.name not in attributes:
            _fill(node.attribute.add(name=arg.name), _value(arg))


def _constant(tensor: Any) -> str:
    kind = type_name(tensor.stored_type if tensor.HasField("stored_type") else tensor.data_type)
    return f"{tensor.name}: {kind}[{','.join(map(str, tensor.dims))}]"


def _value(arg: Any) -> Any:
    return {arg.INT: arg.i, arg.FLOAT: arg.f, arg.STRING: arg.s, arg.INTS: list(arg.ints),
            arg.FLOATS: list(arg.floats)}[arg.type]


def _fill(attribute: Any, value: Any) -> None:
    if isinstance(value, (str, bytes)):
        attribute.type = STRING
        attribute.s = value.encode() if isinstance(value, str) else value
    elif isinstance(value, int):
        attribute.type, attribute.i = INT, value
    elif isinstance(value, float):
        attribute.type, attribute.f = FLOAT, value
    elif any(isinstance(v, float) for v in value):
        attribute.type = FLOATS
        attribute.floats.extend(value)
    else:
        attribute.type = INTS
        attribute.ints.extend(value)


def _fill_info(info: Any, name: str, kind: int, dims: list[int]) -> None:
    info.name = name
    info.type.tensor_type.elem_type = ELEMENT[type_name(kind)]
    info.type.tensor_type.shape.SetInParent()
    for extent in dims:
        info.type.tensor_type.shape.dim.add(dim_value=extent)
