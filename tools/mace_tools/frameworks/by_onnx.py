"""Runs an ONNX model, or a part of it.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.frameworks import Arrays
from mace_tools.frameworks.nudge import Nudge
from mace_tools.support.limits import read_bytes
from mace_tools.support.protos import load

ONNX_PROTO = Path(__file__).parents[1] / "convert" / "importers" / "onnx" / "onnx.proto"
# Element types of ONNX by number, those that NumPy has.
ELEMENTS = {k: np.dtype(t) for k, t in (
    (1, np.float32), (2, np.uint8), (3, np.int8), (4, np.uint16), (5, np.int16), (6, np.int32),
    (7, np.int64), (9, np.bool_), (10, np.float16), (11, np.float64), (12, np.uint32),
    (13, np.uint64))}
NUMBERS = {dtype: number for number, dtype in ELEMENTS.items()}
# Products of integers: where among their inputs are the zero point of the activations, which come
# first, the weights, and the zero point of these.
PRODUCTS = {"ConvInteger": (2, 1, 3), "MatMulInteger": (2, 1, 3), "QAttention": (6, 1, 7),
            "QGemm": (2, 3, 5), "QLinearConv": (2, 3, 5), "QLinearMatMul": (2, 3, 5)}


def run(model: str, inputs: Arrays, outputs: list[str], nudge: Nudge | None = None
        ) -> list[np.ndarray]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # The definition of the model, node by node, because an optimizer's bug would be taken for ours.
    # (The optimizer of 1.20 computes an AveragePool after a Pad incorrectly.)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # The folder of tensors that are stored outside the model; the model is passed as bytes.
    options.add_session_config_entry("session.model_external_initializers_file_folder_path",
                                     str(Path(model).parent))
    part, feeds = _onnx_part(model, inputs, outputs, nudge)
    session = onnxruntime.InferenceSession(part, options, providers=["CPUExecutionProvider"])
    return session.run(outputs, feeds)


def _onnx_part(model: str, inputs: Arrays, outputs: list[str], nudge: Nudge | None
               ) -> tuple[bytes, Arrays]:
    """The part of the model between the given tensors, with their shapes, and the inputs in its
    types.

    ONNX Runtime accepts only the inputs and outputs of a graph, in their declared shapes."""
    onnx = load(ONNX_PROTO)
    part = onnx.ModelProto.FromString(read_bytes(model))
    graph = part.graph
    makers = {out: k for k, node in enumerate(graph.node) for out in node.output if out}
    needed: set[int] = set()
    read = set(outputs)
    stack = list(outputs)
    while stack:
        name = stack.pop()
        if name in makers and name not in inputs and makers[name] not in needed:
            needed.add(makers[name])
            stack += _read_by(graph.node[makers[name]])
            read.update(_read_by(graph.node[makers[name]]))
    kept = [onnx.NodeProto.FromString(graph.node[k].SerializeToString()) for k in sorted(needed)]
    stored = [onnx.TensorProto.FromString(t.SerializeToString()) for t in graph.initializer
              if t.name in read and t.name not in inputs]
    if nudge is not None:
        nodes = [*kept, *(node for function in part.functions for node in function.node)]
        sparse = [tensor.values for tensor in graph.sparse_initializer]
        _nudge([*stored, *sparse, *_constants(nodes)], nudge, Path(model).parent)
        _nudge_attributes(nodes, nudge)
    types = {v.name: v.type.tensor_type.elem_type for v in [*graph.input, *graph.value_info]}
    del graph.node[:], graph.initializer[:], graph.input[:], graph.output[:], graph.value_info[:]
    graph.node.extend(kept)
    graph.initializer.extend(stored)
    # Before version 4, initializers must be inputs as well, which would make them variable.
    part.ir_version = max(part.ir_version, 4)
    feeds = {}
    for name, array in inputs.items():
        number = types.get(name) or NUMBERS[array.dtype]
        feeds[name] = array.astype(ELEMENTS[number]) if number in ELEMENTS else array
        value = graph.input.add(name=name)
        value.type.tensor_type.elem_type = number
        value.type.tensor_type.shape.SetInParent()  # a scalar has no dimensions
        for extent in array.shape:
            value.type.tensor_type.shape.dim.add(dim_value=extent)
    for name in outputs:
        graph.output.add(name=name)
    use_uint8_weights(part, Path(model).parent)
    return part.SerializeToString(), feeds


def use_uint8_weights(model: Any, folder: Path) -> bool:
    """Adds 128 to int8 weights of products, and to their zero points: the same model, exactly.

    On x86 CPUs without VNNI, ONNX Runtime saturates sums of products of uint8 and int8
    (https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html), but not those
    of uint8 and uint8. `folder` is that of tensors stored outside the model. Returns whether the
    model has changed.
    """
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    is_changed = False
    int8, uint8 = NUMBERS[np.dtype(np.int8)], NUMBERS[np.dtype(np.uint8)]

    def moved(name: str) -> str:
        new = f"mace/uint8/{name}"
        if new not in stored:
            source = stored.get(name)
            values = _elements(source, np.dtype(np.int8), folder) if source else np.int8(0)
            stored[new] = model.graph.initializer.add(
                name=new, data_type=uint8, dims=source.dims if source else (),
                raw_data=(values.view(np.uint8) ^ np.uint8(128)).tobytes())
        return new

    nodes = (*model.graph.node, *(n for g in _graphs(model.graph.node) for n in g.node))
    dynamic = {zero for node in nodes if node.op_type == "DynamicQuantizeLinear"
               for zero in node.output[2:3]}  # all uint8
    for node in nodes:
        if node.op_type not in PRODUCTS:
            continue
        activations, weights, zero = PRODUCTS[node.op_type]
        names = [*node.input, *("",) * (zero + 1 - len(node.input))]
        types = [stored[name].data_type if name in stored else None for name in names]
        # With activations of int8, ONNX Runtime is exact, and some ops refuse weights of uint8.
        is_uint8 = (node.op_type.endswith("Integer") or types[activations] == uint8
                    or names[activations] in dynamic)
        if is_uint8 and types[weights] == int8 and (types[zero] == int8 or not names[zero]):
            names[weights], names[zero] = moved(names[weights]), moved(names[zero])
            del node.input[:]
            node.input.extend(names)
            is_changed = True
    return is_changed


def _read_by(node: Any) -> list[str]:
    """The tensors that a node and the graphs within it read."""
    names = list(node.input)
    for attribute in node.attribute:
        for inner in attribute.g.node:
            names += _read_by(inner)
        names += [v.name for v in attribute.g.output]  # may come from the outer graph
    return names


def _graphs(nodes: Iterable[Any]) -> Iterator[Any]:
    """The bodies of loops and branches of these nodes, and those within them."""
    for body in (a.g for node in nodes for a in node.attribute if a.HasField("g")):
        yield body
        yield from _graphs(body.node)


def _constants(nodes: list[Any]) -> Iterator[Any]:
    """The tensors that these nodes and the graphs within them hold."""
    graphs = list(_graphs(nodes))
    for graph in graphs:
        yield from graph.initializer
        yield from (sparse.values for sparse in graph.sparse_initializer)
    for node in (*nodes, *(n for graph in graphs for n in graph.node)):
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            elif attribute.HasField("sparse_tensor"):
                yield attribute.sparse_tensor.values


def _nudge_attributes(nodes: list[Any], nudge: Nudge) -> None:
    """Changes the constants that are no tensors: value_float and value_floats."""
    within = (n for graph in _graphs(nodes) for n in graph.node)
    for k, node in enumerate((*nodes, *within)):
        for attribute in node.attribute if node.op_type == "Constant" else ():
            if attribute.name == "value_float" and attribute.HasField("f"):
                attribute.f = float(nudge.of(np.float32(attribute.f), k))
            elif attribute.name == "value_floats":
                attribute.floats[:] = nudge.of(np.float32(attribute.floats), k).tolist()


def _nudge(tensors: list[Any], nudge: Nudge, folder: Path) -> None:
    """Changes the constants of these types; they are stored in the model afterwards."""
    for k, tensor in enumerate(tensors):
        dtype = ELEMENTS.get(tensor.data_type)
        if dtype is None or dtype.kind not in "fiu" or len(tensor.dims) < nudge.min_dims:
            continue
        array = _elements(tensor, dtype, folder)
        moved = nudge.of(array, k)
        if moved is not array:
            for field in ("float_data", "double_data", "int32_data", "external_data",
                          "data_location"):
                tensor.ClearField(field)
            tensor.raw_data = moved.tobytes()


def _elements(tensor: Any, dtype: np.dtype[Any], folder: Path) -> np.ndarray:
    shape = tuple(tensor.dims)
    if tensor.external_data:
        where = {e.key: e.value for e in tensor.external_data}
        count = int(np.prod(shape, dtype=np.int64))
        found = np.fromfile(folder / where["location"], dtype, count,
                            offset=int(where.get("offset", 0)))
    elif tensor.HasField("raw_data"):
        found = np.frombuffer(tensor.raw_data, dtype)
    elif dtype == np.float16:
        found = np.array(tensor.int32_data, np.uint16).view(np.float16)
    else:
        values = (tensor.float_data or tensor.double_data or tensor.int32_data or tensor.int64_data
                  or tensor.uint64_data)
        found = np.array(values, dtype)
    return found.reshape(shape)
