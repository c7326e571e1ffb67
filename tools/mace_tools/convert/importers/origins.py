"""Says which tensor of the source model each tensor of a translated graph has the value of.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping

from mace_tools.graph.ir import Graph
from mace_tools.graph.permute import inverse


def find_origins(graph: Graph, tensors: Mapping[str, str]) -> None:
    """`tensors`: by the source's name, the tensor with that value. Transposes pass an origin on, to
    their output and to what they read."""
    names = {**dict(zip(graph.inputs, graph.inputs)), **tensors}
    for source, name in names.items():
        tensor = graph.tensors.get(name)
        if source and tensor is not None and not tensor.is_const and tensor.rank is not None:
            own = graph.origins.get(name)
            if own is None or source == name:
                graph.origins[name] = (source, list(range(tensor.rank)))
    transposes = [n for n in graph.nodes if n.op == "Transpose" and "dims" in n.attrs]
    for backward in (False, True, False):
        for node in reversed(transposes) if backward else transposes:
            known, new = node.inputs[0], node.outputs[0]
            dims = node.attrs["dims"]
            if backward:
                known, new, dims = new, known, inverse(dims)
            if new not in graph.origins:
                graph.set_origin(new, known, dims)
