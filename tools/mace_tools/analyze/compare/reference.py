"""What the layers of a converted graph are compared with.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.passes.dequantize_around import dequantized
from mace_tools.graph.extract import Arrays
from mace_tools.graph.ir import NUMPY, Graph, Quant, Tensor


@dataclass(frozen=True)
class Reference:
    """The values of tensors of the converted graph, in its dimension orders, by its names."""

    name: str  # for people: "ONNX Runtime", "the CPU"
    values: Arrays
    # The names of these tensors there; of a run of the engine the graph's own.
    names: dict[str, str] = field(default_factory=dict)
    # Computed tensors of the graph without a counterpart, and why.
    absent: dict[str, str] = field(default_factory=dict)
    # Tensors of the source that the converted graph does not compute, and what contains them.
    gone: dict[str, str] = field(default_factory=dict)
    model: SourceModel | None = None


def wanted(graph: Graph) -> list[str]:
    """The tensors of the source that the converted graph computes."""
    computed = {o for node in graph.nodes for o in node.outputs}
    return list(dict.fromkeys(graph.origins[t][0] for t in computed if t in graph.origins))


def of_source(graph: Graph, model: SourceModel, name: str, found: Mapping[str, np.ndarray]
              ) -> Reference:
    """`found`: the source's tensors by its names, in its dimension orders."""
    values, names, absent = {}, {}, {}
    for tensor in (*graph.inputs, *(o for node in graph.nodes for o in node.outputs)):
        origin = graph.origins.get(tensor)
        if origin is None:
            absent[tensor] = "the converter made it; the source model has no such tensor"
            continue
        source, order = origin
        if source not in found:
            absent[tensor] = f"{name} does not give '{source}'"
        elif found[source].ndim != len(order):
            absent[tensor] = (f"'{source}' has the shape {list(found[source].shape)} in {name}, "
                              f"the converter expected {len(order)} dimensions")
        else:
            array = np.ascontiguousarray(found[source].transpose(order)).reshape(
                tuple(found[source].shape[k] for k in order))
            info = model.info.get(source)
            values[tensor] = as_stored(array, graph.tensors[tensor], info.quant if info else None)
            names[tensor] = source
    return Reference(name, values, names, absent, _gone(graph, model), model)


def as_stored(array: np.ndarray, tensor: Tensor, quant: Quant | None) -> np.ndarray:
    """A tensor of the source, which is quantized by `quant`, as the converted graph has it: uint8
    as int8, for example."""
    wanted, kinds = tensor.quant, (np.dtype(np.int8), np.dtype(np.uint8))
    if wanted is None:
        if tensor.dtype == "f32" and quant is not None and array.dtype.kind in "iu":
            return dequantized(array, quant)
        return array
    target = NUMPY[tensor.dtype]
    if array.dtype == target:
        return array
    if array.dtype in kinds and target in kinds:  # with a zero point that is as far away
        shift = -128 if target == np.int8 else 128
        return (array.astype(np.int16) + shift).astype(target)
    if array.dtype.kind == "f" and wanted.axis is None:
        ends = np.iinfo(target)
        steps = np.rint(array / wanted.scale[0]) + wanted.zero_point[0]
        return np.clip(steps, ends.min, ends.max).astype(target)
    return array


def _gone(graph: Graph, model: SourceModel) -> dict[str, str]:
    """The source's tensors that are only computed as a part of others, by name, with these."""
    here = set(wanted(graph))
    readers: dict[str, list[str]] = {}
    for node in model.nodes:
        for i in node.inputs:
            readers.setdefault(i, []).extend(node.outputs)
    gone, fixed = {}, set(model.constants)
    for node in model.nodes:  # what depends on constants only is a constant of the converted model
        if node.inputs and all(i in fixed or not i for i in node.inputs):
            fixed.update(node.outputs)
    for name in (o for node in model.nodes for o in node.outputs):
        if name in here or name in fixed or not name:
            continue
        near, seen, end = [name], {name}, ""
        while near and not end:
            following = [o for n in near for o in readers.get(n, ()) if o and o not in seen]
            end = next((o for o in following if o in here), "")
            seen.update(following)
            near = following
        if end:
            gone[name] = end
    return gone
