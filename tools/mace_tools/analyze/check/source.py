"""What a source model contains: its inputs, operators and constants, and what of it converts.

SPDX-License-Identifier: Apache-2.0
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.config.names import ELEMENTS
from mace_tools.convert import importers
from mace_tools.convert.importers.onnx.reader import PROTO as ONNX_PROTO
from mace_tools.convert.importers.request import listed, needed_inputs
from mace_tools.convert.importers.source import SourceGraph, SourceModel, SourceNode, cut
from mace_tools.convert.passes import pipeline as passes
from mace_tools.graph.ir import Graph, Shape
from mace_tools.support.errors import UnsupportedOp, UnsupportedOps
from mace_tools.support.protos import load

TYPES = {short: name for name, short in ELEMENTS.items()}
# As people write them.
FRAMEWORKS = {"tensorflow": "TensorFlow", "tflite": "TFLite"}
MAX_PARTS = 8  # attempts to convert a part: each finds at least one node that the last did not


@dataclass
class Conversion:
    """What converts: the whole model, or a part of it that ends before nodes that do not."""

    graph: Graph | None = None
    refused: list[UnsupportedOp] = field(default_factory=list)
    refused_nodes: set[SourceNode] = field(default_factory=set)
    part: tuple[str, ...] = ()  # the outputs of the part; (): the whole model, or nothing
    part_nodes: int = 0  # nodes of the source in the graph

    @property
    def is_whole(self) -> bool:
        return not self.refused


def is_open(shape: Shape | None) -> bool:
    return shape is None or None in shape


def convert(platform: str, model: SourceModel, shapes: dict[str, Shape | None]) -> Conversion:
    """Converts the model, or the largest part of it before nodes that cannot be converted.

    Errors: MaceError for a model that is at fault itself."""
    found, outputs = Conversion(), list(model.outputs)
    needed = cut(model, None, None).nodes
    for _ in range(MAX_PARTS):
        try:
            found.graph = _converted(platform, model, shapes, outputs)
            break
        except UnsupportedOps as e:
            found.refused += e.ops
            more = set(_nodes_of(e.ops, needed)) - found.refused_nodes
            found.refused_nodes |= more
            outputs = _ends_before(model, needed, found.refused_nodes) if more else []
            if not outputs:
                break
    if found.refused and found.graph is not None:
        found.part = tuple(outputs)
    if found.graph is not None:
        found.part_nodes = len(cut(model, None, outputs).nodes)
    return found


def _converted(
    platform: str, model: SourceModel, shapes: Mapping[str, Shape | None], outputs: list[str]
) -> Graph:
    wanted = {name: shapes[name] for name in needed_inputs(model, outputs)}
    return passes.convert(importers.translate(platform, model, wanted, outputs))


def _nodes_of(refused: Iterable[UnsupportedOp], nodes: list[SourceNode]) -> Iterator[SourceNode]:
    """The nodes of these names. Nodes of the engine are called after those that they come from, or
    after an output, and nodes of an inner graph belong to the one that has it."""
    by_name: dict[str, list[SourceNode]] = {}
    for node in nodes:
        for name in dict.fromkeys((node.name, *node.outputs, *_inner_names(node))):
            by_name.setdefault(name, []).append(node)
    for name in (name for record in refused for name in record.nodes):
        while name not in by_name and "/" in name:
            name = name.rpartition("/")[0]
        yield from by_name.get(name, [])


def _inner_names(node: SourceNode) -> Iterator[str]:
    for value in node.attrs.values():
        if isinstance(value, SourceGraph):
            for inner in value.nodes:
                yield inner.name
                yield from _inner_names(inner)


def _ends_before(
    model: SourceModel, nodes: list[SourceNode], refused: set[SourceNode]
) -> list[str]:
    """The tensors at which the model has to end so that none of these nodes is needed: those that
    the rest reads, and outputs of the model, as far as they depend on its inputs."""
    if not refused:
        return []
    without, moving = set(), set(model.inputs)
    for node in nodes:
        read = {*node.inputs, *node.captures}
        if node in refused or read & without:
            without.update(out for out in node.outputs if out)
        elif read & moving:
            moving.update(out for out in node.outputs if out)
    moving -= set(model.inputs)
    ends = dict.fromkeys(out for out in model.outputs if out in moving)
    for node in nodes:
        if set(node.outputs) & without:
            ends.update(dict.fromkeys(i for i in (*node.inputs, *node.captures) if i in moving))
    return list(ends)


def parameters(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The number and the bytes of elements, by type."""
    by_type: dict[str, dict[str, int]] = {}
    for array in arrays.values():
        own = by_type.setdefault(np.asarray(array).dtype.name, {"count": 0, "bytes": 0})
        own["count"] += int(np.asarray(array).size)
        own["bytes"] += int(np.asarray(array).nbytes)
    return summed(by_type)


def summed(by_type: dict[str, dict[str, int]]) -> dict[str, Any]:
    return {"count": sum(t["count"] for t in by_type.values()),
            "bytes": sum(t["bytes"] for t in by_type.values()), "by_type": by_type}


def report(model: SourceModel, done: Conversion) -> dict[str, Any]:
    """The operators and constants that the outputs need."""
    nodes = cut(model, None, None).nodes
    counts = Counter(node.op for node in nodes)
    refused = Counter(node.op for node in done.refused_nodes)
    read = {name for node in nodes for name in (*node.inputs, *node.captures)} | set(model.outputs)
    constants = {n: a for n, a in model.constants.items() if n in read}
    return {"framework": FRAMEWORKS.get(model.framework, model.framework),
            "opset": model.opset or None, "nodes": len(nodes),
            "ops": {op: {"nodes": n, "refused": refused.get(op, 0)}
                    for op, n in counts.most_common()},
            "parameters": parameters(constants)}


def ends(
    model: SourceModel, path: Path, platform: str, shapes: Mapping[str, Shape | None]
) -> list[dict[str, Any]]:
    """The inputs, with the names of open extents and the flag that fixes them."""
    names = _extent_names(path) if platform == "onnx" else {}
    found = []
    for name, shape in shapes.items():
        stated = model.inputs[name].shape
        own = None if stated is None else [
            names.get((name, k), "?") if extent is None else extent
            for k, extent in enumerate(stated)]
        order = model.data_format if shape is not None and len(shape) == 4 else "NONE"
        kind = model.inputs[name].dtype
        other = model.unusable.get(name, ("",))[0].removeprefix("a tensor of ")
        found.append({"name": name,
                      "dtype": other or model.retyped.get(name) or TYPES.get(kind, kind),
                      "stated_shape": own, "shape": None if shape is None else list(shape),
                      "data_format": order, "open": is_open(shape),
                      **({"flag": flag(name, shape)} if is_open(shape) else {})})
    return found


def flag(name: str, shape: Shape | None) -> str:
    return f"--input_shape={name}={'1,224,224,3' if shape is None else listed(shape)}"


def _extent_names(path: Path) -> dict[tuple[str, int], str]:
    """What an ONNX file calls the extents that it leaves open."""
    graph = load(ONNX_PROTO).ModelProto.FromString(path.read_bytes()).graph
    return {(v.name, k): d.dim_param for v in graph.input
            for k, d in enumerate(v.type.tensor_type.shape.dim) if d.dim_param}
