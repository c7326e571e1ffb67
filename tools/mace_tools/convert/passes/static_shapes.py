"""Shapes without the extents that a run may choose.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.shape_inference import infer_graph
from mace_tools.graph.ir import Graph, Shape
from mace_tools.support.errors import ModelError


def certain_shapes(graph: Graph) -> dict[str, Shape | None]:
    """By tensor, the shape in which an extent is known only if it is the same in every run; None
    for unknown ones. An input that has an extent of 1 may get any other one in a run, as a batch
    does, so that passes must not take these for fixed."""
    kept = {name: (t.shape, t.dtype, t.quant) for name, t in graph.tensors.items()}
    values, nodes = dict(graph.values), list(graph.nodes)
    try:
        graph.topo_sort()
        for name in graph.inputs:
            shape = graph.tensors[name].shape
            if shape is not None and name not in graph.states:
                graph.tensors[name].shape = tuple(None if d == 1 else d for d in shape)
        infer_graph(graph)
        return {name: t.shape for name, t in graph.tensors.items()}
    except ModelError:  # a model that is right for the extents it has and for no others
        return {}
    finally:
        graph.nodes[:] = nodes
        for name, (shape, dtype, quant) in kept.items():
            tensor = graph.tensors[name]
            tensor.shape, tensor.dtype, tensor.quant = shape, dtype, quant
        graph.values.clear()
        graph.values.update(values)
