"""The nodes of a TensorFlow graph as a SourceModel.

SPDX-License-Identifier: Apache-2.0

Output k of node "n" is the tensor "n:k", output 0 is "n" alone. Control edges are in `after`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.importers.source import SourceModel, SourceNode, ValueInfo
from mace_tools.convert.importers.tensorflow.branches import SWITCHES
from mace_tools.convert.importers.tensorflow.tensors import ElementType, attr_value, tensor_value
from mace_tools.support.errors import ModelError

FREEZE = ("give a frozen graph (GraphDef .pb with its weights as Const nodes) or the folder of a "
          "SavedModel")
CUT = ("begin the model where its tensors hold numbers (input_tensors and input_shapes in the "
       "YAML)")
# From this graph version on a Placeholder of shape () is a scalar, not one of any shape
# (documentation of tf.placeholder's operator).
SCALAR_SHAPES = 24
# Attribute that holds an operator's number of outputs.
_COUNTS = {"Split": "num_split", "SplitV": "num_split", "Unpack": "num", "ShapeN": "N",
           "DynamicPartition": "num_partitions"}
_FIXED_COUNTS = {"TopK": 2, "TopKV2": 2, "CombinedNonMaxSuppression": 4, "NonMaxSuppressionV4": 2,
                 "NonMaxSuppressionV5": 3, "Unique": 2, "UniqueV2": 2, "UniqueWithCounts": 3,
                 "UniqueWithCountsV2": 3,
                 "SoftmaxCrossEntropyWithLogits": 2, "SparseSoftmaxCrossEntropyWithLogits": 2}
# Attributes that hold the type of an operator's outputs, most specific first.
_TYPE_ATTRS = ("DstT", "out_type", "output_type", "dtype", "T", "Tparams", "type")
_TYPE_LISTS = ("Tout", "Toutputs", "output_types", "out_types", "dtypes")
_TESTS = {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd",
          "LogicalOr", "LogicalNot", "IsNan", "IsInf", "IsFinite", "All", "Any"}


def model_of(graph: Any, path: Path, name: str, ends: Sequence[str] = ()) -> SourceModel:
    """A graph without its outputs. `ends`: tensors that are known to be there."""
    model = SourceModel("tensorflow", name, [], {}, {}, [], data_format=_data_format(graph),
                        loop_ops=frozenset({"NextIteration", "RefNextIteration"}))
    made = {node.name for node in graph.node}
    counts = _used_outputs(graph, made, path)
    for node, index in map(split_reference, ends):
        counts[node] = max(counts.get(node, 0), index + 1)
    for node in graph.node:
        _add_node(model, node, counts[node.name], graph.versions.producer)
    if any(node.op in SWITCHES for node in model.nodes):
        _keep_sides(model, graph)
    return model


def _keep_sides(model: SourceModel, graph: Any) -> None:
    """Constants that belong to one side of a conditional become nodes, which can be dead."""
    for node in graph.node:
        after = [i[1:] for i in node.input if i.startswith("^")]
        if node.op == "Const" and after and node.name in model.constants:
            value = f"{node.name}/value_of_side"
            model.constants[value] = model.constants.pop(node.name)
            model.nodes.append(SourceNode(node.name, "Identity", [value], [node.name], after=after))


def check_nodes(graph: Any, path: Path) -> None:
    seen: set[str] = set()
    for node in graph.node:
        if not node.name or not node.op:
            raise ModelError(f"{path}: a node without {'operator' if node.name else 'name'}"
                             f"{f' ({node.name!r})' if node.name else ''}; the file is damaged "
                             f"or no TensorFlow graph; {FREEZE}")
        if node.name in seen:
            raise ModelError(f"{path}: two nodes are named '{node.name}'; the file is damaged")
        seen.add(node.name)


def split_reference(reference: str) -> tuple[str, int]:
    """Node and output number that an input names; -1 for a control edge."""
    if reference.startswith("^"):
        return reference[1:], -1
    name, _, index = reference.rpartition(":")
    return (name, int(index)) if name and index.isdecimal() else (reference, 0)


def tensor_name(node: str, index: int) -> str:
    return node if index == 0 else f"{node}:{index}"


def _used_outputs(graph: Any, made: set[str], path: Path) -> dict[str, int]:
    """The number of outputs of each node, as far as its NodeDef and its readers tell."""
    counts = {}
    for node in graph.node:
        attr = _COUNTS.get(node.op)
        counts[node.name] = (node.attr[attr].i if attr and attr in node.attr
                             else _FIXED_COUNTS.get(node.op, 1))
        if node.op == "IdentityN":
            counts[node.name] = max(1, sum(not i.startswith("^") for i in node.input))
        if not 0 < counts[node.name] <= 1 << 16:
            raise ModelError(f"{path}: {node.op} '{node.name}' has {counts[node.name]} outputs")
    for node in graph.node:
        for reference in node.input:
            name, index = split_reference(reference)
            if name not in made:
                raise ModelError(f"{path}: {node.op} '{node.name}' reads '{reference}', and there "
                                 f"is no node '{name}'; the file is damaged")
            if index > 1 << 16:
                raise ModelError(f"{path}: {node.op} '{node.name}' reads output {index} "
                                 f"of '{name}'; the file is damaged")
            counts[name] = max(counts[name], index + 1)
    return counts


def _add_node(model: SourceModel, node: Any, count: int, version: int) -> None:
    where = f"TensorFlow {node.op} '{node.name}'"
    if node.op == "Const":
        value = tensor_value(node.attr["value"].tensor, where)
        kind = ElementType(node.attr["value"].tensor.dtype)
        if kind.is_quantized and isinstance(value, np.ndarray):
            quantized = f"{node.name}/quantized"
            model.constants[quantized] = value
            after = [i[1:] for i in node.input if i.startswith("^")]
            model.nodes.append(SourceNode(node.name, "Const", [quantized], [node.name],
                                          after=after))
            return
        if isinstance(value, np.ndarray):
            model.constants[node.name] = value
            if kind.retyped:
                model.retyped[node.name] = kind.name
            return
        attrs: dict[str, Any] = {"value": value}
    else:
        attrs = {key: attr_value(v) for key, v in node.attr.items()}
    dtype = _output_type(node.op, attrs)
    source = _source_type(node.op, attrs)
    if source is not None and source.retyped:
        model.retyped[node.name] = source.name
    if node.op in ("Placeholder", "PlaceholderV2"):
        shape = attrs.get("shape")
        if source is not None and source.engine is None:
            model.unusable[node.name] = (
                f"a tensor of {source.name}", CUT)
        unknown = shape == () and version < SCALAR_SHAPES
        model.inputs[node.name] = ValueInfo(dtype, None if unknown else shape)
        return
    inputs = [tensor_name(*split_reference(i)) for i in node.input if not i.startswith("^")]
    outputs = [tensor_name(node.name, k) for k in range(count)]
    after = [i[1:] for i in node.input if i.startswith("^")]
    model.nodes.append(SourceNode(node.name, node.op, inputs, outputs, attrs, after=after))
    model.info[node.name] = ValueInfo(dtype)
    if node.op == "PlaceholderWithDefault":
        model.optional[node.name] = ValueInfo(dtype, attrs.get("shape"))
    _use_annotations(model, outputs, attrs)


def _use_annotations(model: SourceModel, outputs: list[str], attrs: dict[str, Any]) -> None:
    """Keeps what a node says about its outputs, for custom operators, whose nothing can infer."""
    shapes = attrs.get("_output_shapes")
    types = next((t for t in (attrs.get(k) for k in _TYPE_LISTS) if isinstance(t, list) and t), [])
    for k, out in enumerate(outputs):
        info = model.stated.setdefault(out, ValueInfo(model.info[outputs[0]].dtype))
        if isinstance(shapes, list) and k < len(shapes):
            info.shape = shapes[k]
        if k < len(types) and isinstance(types[k], ElementType):
            info.dtype = types[k].engine or "f32"


def _output_type(op: str, attrs: dict[str, Any]) -> str:
    if op in _TESTS:
        return "bool"
    source = _source_type(op, attrs)
    if source is not None:
        return source.engine or "f32"
    return "i32" if op in ("Shape", "Rank", "Size") else "f32"


def _source_type(op: str, attrs: dict[str, Any]) -> ElementType | None:
    """The type of a node's outputs, from its attributes."""
    if op in _TESTS or op in ("Shape", "Rank", "Size") and "out_type" not in attrs:
        return None
    types = (attrs.get(key) for key in _TYPE_ATTRS)
    return next((t for t in types if isinstance(t, ElementType)), None)


def _data_format(graph: Any) -> str:
    """The order of 4-D tensors that most operators with such an attribute have."""
    formats = [n.attr["data_format"].s for n in graph.node if "data_format" in n.attr]
    return "NCHW" if formats.count(b"NCHW") > len(formats) / 2 else "NHWC"
