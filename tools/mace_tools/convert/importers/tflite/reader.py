"""Reads a TFLite model: the subgraph of a signature, as it stands in the file.

SPDX-License-Identifier: Apache-2.0

TFLite numbers its tensors; here each has its name, which is made unique if the file repeats it.
Operators have no names: each is called after its first output.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.importers import narrow_types
from mace_tools.convert.importers.source import SourceGraph, SourceModel, SourceNode, ValueInfo
from mace_tools.convert.importers.tflite import custom_options, signatures, variables
from mace_tools.convert.importers.tflite.flat import (
    TENSOR_TYPES,
    File,
    is_custom,
    operator_name,
    options,
    reading,
    text,
    unknown,
)
from mace_tools.convert.importers.tflite.signatures import Signature
from mace_tools.convert.importers.tflite.sparse import dense
from mace_tools.graph.ir import Quant, Shape, dtype_name
from mace_tools.support.errors import ModelError

_NUMPY: dict[str, Any] = {
    "FLOAT32": np.float32, "FLOAT16": np.float16, "FLOAT64": np.float64, "INT32": np.int32,
    "INT64": np.int64, "INT16": np.int16, "INT8": np.int8, "UINT8": np.uint8, "BOOL": np.bool_,
    "UINT16": np.uint16, "UINT32": np.uint32, "UINT64": np.uint64,
}
# Types of few bits, of constants only, by the names of narrow_types.
_NARROW = {"INT4": "int4", "UINT4": "uint4", "INT2": "int2"}
_NUMPY |= {kind: narrow_types.INTEGERS[name].held for kind, name in _NARROW.items()}
# Element types that the engine does not have, and those that replace them.
_RETYPED = ("FLOAT64", "UINT16", "UINT32", "UINT64")
VERSION = 3  # of the schema, the only one that LiteRT runs
COMPOSITE = "STABLEHLO_COMPOSITE"
# The options of operators that number graphs, which become attributes of these names.
GRAPHS = {"IF": (("ThenSubgraphIndex", "then"), ("ElseSubgraphIndex", "else")),
          "WHILE": (("CondSubgraphIndex", "condition"), ("BodySubgraphIndex", "body"))}
MAX_OPERATORS = 1 << 18
SCHEMES = {1: "custom", 2: "by block"}  # of the union QuantizationDetails
QUANTIZABLE = ("INT8", "UINT8", "INT16", "INT32", *_NARROW)
QUANTIZED_TYPES = ("INT8", "UINT8", "INT16",
                   *_NARROW)  # of which the engine computes quantized tensors


def read(path: Path, signature: str = "") -> SourceModel:
    """Errors: ModelError naming the file, the place, what is wrong there, and the cure;
    RequestError for a signature that is not there."""
    file = File(path)
    with reading(file):
        root = file.root()
        if root.Version() != VERSION:
            raise ModelError(f"{path}: it is of version {root.Version()} of the TFLite format, and "
                             f"{VERSION} is the one that can be read; convert it with "
                             "tf.lite.TFLiteConverter of TensorFlow 2")
        graphs = file.list(root, "Subgraphs")
        if not graphs:
            raise ModelError(f"{path}: the model holds no graph; give a .tflite model")
        chosen = signatures.choose(file, root, signature)
        return _Reader(file, root, graphs).model(chosen)


class _Graph:
    """A subgraph: its table, its tensors, and their names."""

    def __init__(self, file: File, table: Any, names: list[str] | None = None) -> None:
        self.table = table
        self.tensors = file.list(table, "Tensors")
        self.names = tensor_names(self.tensors) if names is None else names

    def name(self, index: int) -> str:
        if index == -1:  # an optional operand that is absent
            return ""
        if not 0 <= index < len(self.names):
            raise ValueError(f"tensor {index} of {len(self.names)}")
        return self.names[index]


class _Reader:
    """Reads the subgraph of a signature, with the graphs that its operators name."""

    def __init__(self, file: File, root: Any, graphs: list) -> None:
        self.file, self.graphs = file, graphs
        self.buffers = file.list(root, "Buffers")
        ops = file.list(root, "OperatorCodes")
        self.ops = [operator_name(c) for c in ops]
        self.versions = {name: int(c.Version()) for name, c in zip(self.ops, ops)}
        self.operators = 0  # read so far

    def model(self, chosen: Signature) -> SourceModel:
        file, index = self.file, chosen.graph
        if not 0 <= index < len(self.graphs):
            raise ValueError(f"signature '{chosen.name}' is of graph {index} of {len(self.graphs)}")
        graph = _Graph(file, self.graphs[index])
        model = SourceModel("tflite", file.path.stem, [], {}, {}, [], data_format="NHWC",
                            versions=self.versions)
        self._tensors(model, graph)
        for i in file.numbers(graph.table, "Inputs"):
            name = graph.name(i)
            info = model.info[name]
            model.inputs[name] = ValueInfo(info.dtype, _stated_shape(file, graph.tensors[i]),
                                           info.quant)
        model.outputs = [graph.name(i) for i in file.numbers(graph.table, "Outputs")]
        model.nodes = self._nodes(model, graph, (index,))
        variables.settle(model, lambda k: self._first_values(model, k, index))
        file.place = f"signature '{chosen.name}'"
        _settle_sources(file, model, graph, {*model.inputs, *model.producers()})
        taken = set(graph.names)
        model.aliases = {alias: graph.name(i) for alias, i in chosen.tensors.items()
                         if alias not in taken}
        return model

    def _tensors(self, model: SourceModel, graph: _Graph) -> None:
        for k, (tensor, its_name) in enumerate(zip(graph.tensors, graph.names)):
            self.file.place = f"tensor {k} '{its_name}'"
            if its_name in model.info:  # of the graph around it
                continue
            model.info[its_name] = ValueInfo(_dtype(tensor), None, _quant(self.file, tensor))
            data = _contents(self.file, tensor, self.buffers, its_name)
            if data is not None:
                model.constants[its_name] = data

    def _nodes(self, model: SourceModel, graph: _Graph, inside: tuple[int, ...]
               ) -> list[SourceNode]:
        """The operators of a graph that is inside of these, by their numbers."""
        file, nodes = self.file, []
        for k, operator in enumerate(file.list(graph.table, "Operators")):
            file.place = f"operator {k} of graph {inside[-1]}"
            self.operators += 1
            if self.operators > MAX_OPERATORS:
                raise ValueError(f"more than {MAX_OPERATORS} operators")
            inputs = [graph.name(i) for i in file.numbers(operator, "Inputs")]
            outputs = [graph.name(i) for i in file.numbers(operator, "Outputs")]
            op = self.ops[operator.OpcodeIndex()]
            if is_custom(op):
                fields = custom_options.attributes(file.custom_options(operator))
                at_default: frozenset[str] = frozenset()
                _use_shapes(file, model, outputs, dict(zip(graph.names, graph.tensors)))
            else:
                fields, at_default = options(file, operator)
                if "Intermediates" in fields:
                    fields["Intermediates"] = [
                        graph.name(i) for i in file.numbers(operator, "Intermediates")]
            node = SourceNode(outputs[0] if outputs else "", op, inputs, outputs, fields,
                              at_default)
            if op == COMPOSITE:
                fields["graph"] = self._inner(model, node, inside)
            for option, label in GRAPHS.get(op, ()):
                fields[label] = self._apart(model, node, option, label, inside)
            nodes.append(node)
        return nodes

    def _first_values(self, model: SourceModel, index: int, of: int) -> list[SourceNode]:
        """The operators of a graph that runs once, before graph `of`."""
        if not 0 <= index < len(self.graphs):
            raise ValueError(f"graph {index} to run before graph {of}, of {len(self.graphs)}")
        if index == of:
            return []
        plain = _Graph(self.file, self.graphs[index])
        graph = _Graph(self.file, self.graphs[index], [f"once_{index}/{n}" for n in plain.names])
        self._tensors(model, graph)
        return self._nodes(model, graph, (of, index))

    def _inner(self, model: SourceModel, node: SourceNode, inside: tuple[int, ...]) -> SourceGraph:
        """The graph of which an operator is made: its inputs are those of the operator, and its
        other tensors get names below that of the operator."""
        index = node.attr("DecompositionSubgraphIndex", 0)
        if index in inside or not 0 <= index < len(self.graphs):
            raise ValueError(f"an operator made of graph {index}, inside of graph {inside[-1]}")
        plain = _Graph(self.file, self.graphs[index])
        given = [int(i) for i in self.file.numbers(self.graphs[index], "Inputs")]
        if len(given) != len(node.inputs):
            raise ValueError(f"{len(node.inputs)} operands for the {len(given)} inputs of graph "
                             f"{index}")
        names = [f"{node.name}/{name}" for name in plain.names]
        for i, name in zip(given, node.inputs):
            plain.name(i)
            names[i] = name
        graph = _Graph(self.file, self.graphs[index], names)
        self._tensors(model, graph)
        nodes = self._nodes(model, graph, (*inside, index))
        made = {out for n in nodes for out in n.outputs}
        _settle_sources(self.file, model, graph, {*node.inputs, *made})
        return SourceGraph(nodes, [graph.name(i) for i in self.file.numbers(
            self.graphs[index], "Outputs")])

    def _apart(self, model: SourceModel, node: SourceNode, option: str, label: str,
               inside: tuple[int, ...]) -> SourceGraph:
        """A graph that an operator may run, with names of its own for all tensors."""
        index = node.attr(option, 0)
        if index in inside or not 0 <= index < len(self.graphs):
            raise ValueError(f"an operator that runs graph {index}, inside of graph {inside[-1]}")
        plain, prefix = _Graph(self.file, self.graphs[index]), f"{node.name}/{label}"
        while any(f"{prefix}/{name}" in model.info for name in plain.names):
            prefix += "_"
        graph = _Graph(self.file, self.graphs[index], [f"{prefix}/{name}" for name in plain.names])
        self._tensors(model, graph)
        inputs = [graph.name(i) for i in self.file.numbers(graph.table, "Inputs")]
        nodes = self._nodes(model, graph, (*inside, index))
        made = {out for n in nodes for out in n.outputs}
        _settle_sources(self.file, model, graph, {*inputs, *made})
        outputs = [graph.name(i) for i in self.file.numbers(graph.table, "Outputs")]
        return SourceGraph(nodes, outputs, inputs)


def _use_shapes(
    file: File, model: SourceModel, outputs: list[str], tensors: dict[str, Any]
) -> None:
    """Keeps what the file says about the outputs of a custom operator, which nothing can infer."""
    for out in filter(None, outputs):
        # An unknown shape is stored as that of a scalar.
        model.stated[out] = ValueInfo(model.info[out].dtype,
                                      _stated_shape(file, tensors[out]) or None)


def _settle_sources(file: File, model: SourceModel, graph: _Graph, made: set[str]) -> None:
    """Registers the tensors that cannot be used, and the empty constants; `made` are the tensors
    that the inputs or operators are."""
    for name, tensor in zip(graph.names, graph.tensors):
        if name in model.variables:  # in the place of its handle
            continue
        reason = _unusable(tensor, model.info[name], name in model.constants)
        if reason is not None:
            model.unusable[name] = reason
            model.constants.pop(name, None)
        elif tensor.IsVariable():
            kind = _NUMPY[TENSOR_TYPES[tensor.Type()]]
            first = model.constants.pop(name, None)
            if first is None:  # kernels begin with what stands for 0
                quant = model.info[name].quant
                zero = 0 if quant is None or quant.zero_point.size != 1 else quant.zero_point[0]
                first = np.full(_shape(file, tensor), zero, kind)
            model.variables[name] = first
        elif TENSOR_TYPES[tensor.Type()] in _RETYPED:
            model.retyped[name] = TENSOR_TYPES[tensor.Type()].lower()
        known = name in made or name in model.constants or name in model.variables
        if not known and reason is None and 0 in _shape(file, tensor):
            kind = _NUMPY[TENSOR_TYPES[tensor.Type()]]
            model.constants[name] = np.zeros(_shape(file, tensor), kind)


def _unusable(tensor: Any, info: ValueInfo, constant: bool) -> tuple[str, str] | None:
    """Why no operator that touches it can be converted, and the cure."""
    kind = TENSOR_TYPES.get(tensor.Type(), f"type {tensor.Type()}")
    if unknown("Tensor", tensor):  # of newer schemas: contents in a file of their own
        return ("a tensor with " + ", ".join(unknown("Tensor", tensor)) + ", which this converter "
                "does not know", "write the model without external buffers")
    q = tensor.Quantization()
    if q is not None and q.DetailsType():
        scheme = SCHEMES.get(q.DetailsType(), f"of the kind {q.DetailsType()}")
        return (f"a tensor of {kind} whose quantization is {scheme}",
                "quantize the model by tensor or by channel")
    if info.quant is not None and kind not in QUANTIZED_TYPES:
        return (f"quantized tensors of {kind}, which are not supported yet",
                "use the float model that it was made from, or one of 8 or 16 bits")
    if kind in _NARROW and not constant:
        return (f"a computed tensor of {kind}", "quantize activations to 8 or 16 bits")
    if tensor.Sparsity() is not None and not constant:
        return "a sparse tensor without contents", "convert the model without sparsity"
    if kind not in _NUMPY:
        return (f"a tensor of {kind}", "end or begin the model where its tensors hold numbers "
                                       "(input_tensors and output_tensors in the YAML)")
    return None


def tensor_names(tensors: list) -> list[str]:
    """Names of all tensors, unique and not empty."""
    names: list[str] = []
    taken: set[str] = set()
    for index, tensor in enumerate(tensors):
        name = text(tensor.Name()) or f"tensor_{index}"
        while name in taken:
            name = f"{name}_{index}"
        taken.add(name)
        names.append(name)
    return names


def _dtype(tensor: Any) -> str:
    """The engine's name of the element type; f32 if the engine does not have it."""
    dtype = _NUMPY.get(TENSOR_TYPES.get(tensor.Type(), ""))
    return "f32" if dtype is None else dtype_name(dtype)


def _shape(file: File, tensor: Any) -> tuple[int, ...]:
    shape = tuple(int(d) for d in file.numbers(tensor, "Shape"))
    if any(d < 0 for d in shape):
        raise ValueError(f"shape {shape} of tensor '{text(tensor.Name())}'")
    return shape


def _stated_shape(file: File, tensor: Any) -> Shape:
    """The shape, with None for the dimensions that the signature of the shape leaves open."""
    shape, signature = _shape(file, tensor), file.numbers(tensor, "ShapeSignature")
    if len(signature) != len(shape):
        return shape
    return tuple(None if s < 0 else d for d, s in zip(shape, signature))


def _quant(file: File, tensor: Any) -> Quant | None:
    """The scales of a quantized tensor; None for one that only has a range, or neither."""
    q = tensor.Quantization()
    if q is None or TENSOR_TYPES.get(tensor.Type()) not in QUANTIZABLE:
        return None
    scale = file.numbers(q, "Scale").astype(np.float32)
    if not scale.size or TENSOR_TYPES.get(tensor.Type()) == "INT32":
        return None  # a bias has the scale of the products to which it is added
    zero = file.numbers(q, "ZeroPoint").astype(np.int64)
    zero = zero if zero.size else np.zeros_like(scale, np.int64)
    if zero.size == 1:
        zero = np.repeat(zero, scale.size)
    axis = q.QuantizedDimension() if scale.size > 1 else None
    wrong = _wrong_quant(tensor, _shape(file, tensor), scale, zero, axis)
    if wrong:
        raise ValueError(f"tensor '{text(tensor.Name())}' has {wrong}; quantize the model again")
    return Quant(scale, zero, axis)


def _wrong_quant(tensor: Any, shape: tuple[int, ...], scale: np.ndarray, zero: np.ndarray,
                 axis: int | None) -> str:
    """What is wrong with the scales and zero points of a tensor; empty if nothing is."""
    usable = np.isfinite(scale) & (scale > 0)
    if not usable.all():
        return f"the scale {scale[~usable][0]}, and scales are finite and above 0"
    if zero.size != scale.size:
        return f"{scale.size} scales and {zero.size} zero points"
    kind = TENSOR_TYPES[tensor.Type()]
    info = np.iinfo(_NUMPY[kind])
    low, high = (narrow_types.INTEGERS[_NARROW[kind]].limits if kind in _NARROW
                 else (info.min, info.max))
    outside = zero[(zero < low) | (zero > high)]
    if outside.size:
        return f"the zero point {outside[0]}, and quantized values of {kind} are {low} to {high}"
    if axis is not None and not 0 <= axis < len(shape):
        return f"{scale.size} scales along axis {axis}, and its shape is {list(shape)}"
    if axis is not None and shape[axis] != scale.size:
        return f"{scale.size} scales for the {shape[axis]} indices of axis {axis}"
    return ""


def _contents(file: File, tensor: Any, buffers: list, name: str) -> np.ndarray | None:
    """A constant's values; None for a computed tensor or one that holds no numbers."""
    raw = file.contents(buffers[tensor.Buffer()], f"'{name}'")
    kind = TENSOR_TYPES.get(tensor.Type(), "")
    if not raw or kind not in _NUMPY:
        return None
    shape, dtype = _shape(file, tensor), np.dtype(_NUMPY[kind]).newbyteorder("<")
    if tensor.Sparsity() is not None and kind in _NARROW:
        return None
    if tensor.Sparsity() is not None:
        values = np.frombuffer(raw, dtype).astype(_NUMPY[kind])
        return dense(file, tensor.Sparsity(), shape, values)
    count = math.prod(shape)
    want = narrow_types.packed_bytes(_NARROW[kind], count) if kind in _NARROW \
        else count * dtype.itemsize
    if len(raw) != want:
        raise ValueError(f"{len(raw)} bytes of contents for '{name}' {kind}{list(shape)}, "
                         f"which takes {want}")
    if kind in _NARROW:
        return narrow_types.unpacked(_NARROW[kind], raw, count).reshape(shape)
    return np.frombuffer(raw, dtype).reshape(shape).astype(_NUMPY[kind])
