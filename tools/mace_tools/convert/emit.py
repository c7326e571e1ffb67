"""Writes a graph as a model: <name>.pb (the graph) and <name>.data (the weights).

SPDX-License-Identifier: Apache-2.0

The format is mace/proto/mace.proto. The same graph always gives the same bytes. Files appear
complete or not at all.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from google.protobuf import text_format

from mace_tools.graph import subgraphs
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.ir import Attr, Graph, Node, Quant, Tensor
from mace_tools.graph.quantized_weights import SINCE_VERSION_3, STORED_TYPES
from mace_tools.graph.run_io import own_inputs, own_outputs
from mace_tools.graph.settings import all_settings, of_model
from mace_tools.support import protos
from mace_tools.support.atomic import atomic_files
from mace_tools.support.errors import MaceError

FORMAT_VERSION = 2  # 3 of models with weights that version 2 does not have
ALIGNMENT = 64
CONVERTER_VERSION = "mace-converter 1"

_DATA_TYPES = {
    "f32": "DT_FLOAT", "f16": "DT_HALF", "i32": "DT_INT32", "i64": "DT_INT64",
    "i16": "DT_INT16", "i8": "DT_INT8", "u8": "DT_UINT8", "bool": "DT_BOOL",
    "bf16": "DT_BFLOAT16",
}  # fmt: skip


# The types in which float weights may be stored, with the bits of each value.
STORED = {"f32": "DT_FLOAT", "f16": "DT_HALF", "bf16": "DT_BFLOAT16"}
FP16_MAX = 65504.0
FP16_MIN_NORMAL = 2.0**-14


def write_model(graph: Graph, pb_path: str | Path, data_path: str | Path,
                settings: Mapping[str, Any] | None = None, stored: str = "f32",
                rewrite: Callable[[Any], None] = lambda net: None) -> None:
    """Writes both files or none. Only settings that a model carries are written, those of today's
    results too. `stored` is a key of STORED. `rewrite` may change the NetDef before it is written.

    Errors: MaceError naming the file that cannot be written."""
    today = _results_of_today(graph)
    net, weights = build(graph, stored)
    for name, value in of_model({**today, **(settings or {})}).items():
        _fill_setting(net.settings.add(), name, value)
    rewrite(net)
    write_built(net, weights, Path(pb_path), Path(data_path))


def _results_of_today(graph: Graph) -> dict[str, str]:
    """The settings without which engines compute as files of earlier converters ask for."""
    layers = ((g, n) for g in (graph, *graph.subgraphs.values()) for n in g.nodes
              if n.op == "FullyConnected")
    quantized = any(g.is_quantized(n) and g.tensors[n.inputs[0]].dtype in ("i8", "u8")
                    for g, n in layers)
    return {"fc_rounding": "once"} if quantized else {}


def write_built(net: Any, weights: Sequence[tuple[int, np.ndarray]], pb_path: Path,
                data_path: Path) -> None:
    """Writes what `build` returned: both files or none."""
    with atomic_files(data_path, pb_path) as (data, pb):
        for offset, array in weights:
            data.seek(offset)
            data.write(_bytes(array))
        data.truncate(net.data_bytes)
        pb.write(serialized(net))


def serialized(net: Any) -> bytes:
    """The bytes of a NetDef, of which the last field is the checksum of all others."""
    net.ClearField("graph_xxh3")
    graph: bytes = net.SerializeToString(deterministic=True)
    checksum = type(net)(graph_xxh3=xxhash.xxh3_64_intdigest(graph))
    return graph + bytes(checksum.SerializeToString())


def write_text(graph: Graph, path: str | Path) -> None:
    """Writes the graph as protobuf text, without weights, for people."""
    net, _ = build(graph)
    with atomic_files(Path(path)) as (out,):
        out.write(text_format.MessageToString(net).encode())


def build(graph: Graph, stored: str = "f32") -> tuple[Any, list[tuple[int, np.ndarray]]]:
    """The NetDef and the weights with their offsets. The graph must be sorted and pruned."""
    graph.validate()
    check_inputs(graph)
    proto = protos.mace()
    net = proto.NetDef(name=graph.name, version=CONVERTER_VERSION, format_version=FORMAT_VERSION)
    net.fixed_input_shapes.extend(graph.shape_dependent)
    inputs, outputs = own_inputs(graph), own_outputs(graph)
    for node, name in zip(graph.nodes, node_names(graph)):
        _fill_op(net.op.add(name=name), node, graph)
    firsts = _first_values(graph)
    parts = [graph, *subgraphs.fill(net, graph, _fill_op, _fill_info)]
    weights: list[tuple[int, np.ndarray]] = []
    digest, end = xxhash.xxh3_64(), 0
    for tensor in (*_constants(parts), *firsts.values()):
        offset = -(-end // ALIGNMENT) * ALIGNMENT
        kind = tensor.stored if stored == "f32" or tensor.packed is not None else stored
        array = tensor.packed if tensor.packed is not None else _narrowed(tensor.data, kind)
        raw = _bytes(array)
        digest.update(bytes(offset - end))
        digest.update(raw)
        entry = net.tensors.add(name=tensor.name, dims=tensor.data.shape, offset=offset,
                                data_type=_data_type(tensor), data_size=tensor.data.size)
        if array is not tensor.data:
            entry.stored_type = getattr(proto, {**STORED, **STORED_TYPES}[kind])
            if kind in SINCE_VERSION_3:
                net.format_version = 3
        quant = tensor.quant if tensor.packed is None else tensor.packed_quant
        if quant is not None:
            _fill_quantization(entry.quantization, quant)
        weights.append((offset, array))
        end = offset + len(raw)
    net.data_bytes, net.data_xxh3 = end, digest.intdigest()
    for name in inputs:
        _fill_input(net.input_info.add(), graph.tensors[name], graph.open_dims.get(name))
    for name in outputs:
        _fill_info(net.output_info.add(), graph.tensors[name])
    for name, state in graph.states.items():
        variable = net.variables.add(next=state.next)
        _fill_input(variable.tensor, graph.tensors[name], graph.open_dims.get(name))
        if name in firsts:
            variable.initial = firsts[name].name
    return net, weights


def check_inputs(graph: Graph) -> None:
    """Errors: MaceError for an input or a state of which neither the shape is known nor which
    extents are open."""
    for name in (*own_inputs(graph), *graph.states):
        tensor = graph.tensors[name]
        if tensor.static_shape is None and name not in graph.open_dims:
            raise MaceError(f"the shape of input '{name}' is not known ({tensor.shape}); give its "
                            "input_shapes")


def _fill_input(info: Any, tensor: Tensor, open_dims: OpenDims | None) -> None:
    """An input or a state, whose extents may be open."""
    _fill_info(info, tensor)
    if open_dims is not None:
        info.dim_names.extend(open_dims.names)
        info.max_dims.extend(open_dims.most or ())


def _narrowed(array: np.ndarray, stored: str) -> np.ndarray:
    """The bits of a weight in the type `stored`, rounded to nearest even; or the weight itself.

    Vectors stay float: they are small, and biases and scales affect every element of a channel. So
    do weights that fp16 cannot hold: one becomes infinite, or all lose digits as they are small."""
    if array.dtype != np.float32 or array.ndim < 2 or not array.size:
        return array
    if stored == "f16":
        largest = np.abs(array).max()
        if not largest <= FP16_MAX:
            return array
        rounded = array.astype(np.float16)
        return rounded if largest >= FP16_MIN_NORMAL or (rounded == array).all() else array
    if stored == "bf16":
        bits = array.view(np.uint32)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return rounded if np.isfinite(array).all() else array
    return array


def _first_values(graph: Graph) -> dict[str, Tensor]:
    """The first values of states that do not begin with zeros, as weights."""
    return {name: Tensor(graph.fresh(f"{name}/first"), graph.tensors[name].dtype,
                         state.initial.shape, state.initial, quant=graph.tensors[name].quant)
            for name, state in graph.states.items() if state.initial is not None}


def _constants(graphs: Sequence[Graph]) -> list[Tensor]:
    """The weights in the order in which nodes first read them, so that pages are loaded in
    order."""
    seen: dict[str, Tensor] = {}
    for graph in graphs:
        for name in [*(i for node in graph.nodes for i in node.inputs), *graph.outputs]:
            if name and graph.tensors[name].is_const:
                seen.setdefault(name, graph.tensors[name])
    return list(seen.values())


def node_names(graph: Graph) -> list[str]:
    """The names of the nodes in the file, all of which differ."""
    names: dict[str, None] = {}
    for node in graph.nodes:
        name = node.name
        while name in names:
            name += "_"
        names[name] = None
    return list(names)


def _fill_setting(setting: Any, name: str, value: Any) -> None:
    setting.name, setting.changes_results = name, all_settings()[name].changes_results
    if isinstance(value, int):
        setting.i = value
    elif isinstance(value, str):
        setting.s = value
    else:
        setting.strings.SetInParent()  # an empty list is one, too
        setting.strings.items.extend(value)


def _fill_op(op: Any, node: Node, graph: Graph) -> None:
    op.type = node.op
    op.input.extend(node.inputs)
    op.output.extend(node.outputs)
    for name in sorted(node.attrs):
        _fill_arg(op.arg.add(), name, node.attrs[name])
        if name in subgraphs.ATTRIBUTES.get(node.op, ()):
            op.arg[-1].type = op.arg[-1].SUBGRAPH
    outs = [graph.tensors[o] for o in node.outputs]
    # The app decides about the outputs of a custom op.
    if not node.is_custom and all(t.static_shape is not None for t in outs):
        for t in outs:
            op.output_shape.add(dims=t.static_shape)
            op.output_type.append(_data_type(t))
        if any(t.quant is not None for t in outs):
            for t in outs:
                _fill_quantization(op.output_quantization.add(), t.quant)


def _fill_arg(arg: Any, name: str, value: Attr) -> None:
    arg.name = name
    if isinstance(value, (str, bytes)):
        arg.type, arg.s = arg.STRING, value.encode() if isinstance(value, str) else value
    elif isinstance(value, int):
        arg.type, arg.i = arg.INT, value
    elif isinstance(value, float):
        arg.type, arg.f = arg.FLOAT, value
    elif any(isinstance(v, float) for v in value):
        arg.type = arg.FLOATS
        arg.floats.extend(value)
    else:
        arg.type = arg.INTS
        arg.ints.extend(value)


def _fill_info(info: Any, tensor: Tensor) -> None:
    proto = protos.mace()
    info.name, info.data_type = tensor.name, _data_type(tensor)
    # Of an output, -1 stands for an extent that only a run computes.
    info.dims.extend(-1 if d is None else d for d in tensor.shape or ())
    info.data_format = getattr(proto, f"DF_{tensor.data_format}")
    if tensor.quant is not None:
        _fill_quantization(info.quantization, tensor.quant)


def _fill_quantization(quantization: Any, quant: Quant | None) -> None:
    """Leaves it empty for a tensor that is not quantized."""
    if quant is None:
        return
    quantization.scales.extend(float(s) for s in quant.scale)
    if quant.zero_point.any():
        quantization.zero_points.extend(int(z) for z in quant.zero_point)
    if quant.axis is not None:
        quantization.axis = quant.axis


def _data_type(tensor: Tensor) -> int:
    return getattr(protos.mace(), _DATA_TYPES[tensor.dtype])


def _bytes(array: np.ndarray) -> bytes:
    """The bytes of an array: little-endian, outermost dimension first."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
