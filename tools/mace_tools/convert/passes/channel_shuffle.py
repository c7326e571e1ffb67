"""Finds channel shuffles that exporters wrote as reshape, transpose, reshape.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.passes.match import only_producer
from mace_tools.graph.ir import Graph, Node, Shape


def channel_shuffle(graph: Graph) -> None:
    for last in list(graph.nodes):
        if last.op != "Reshape":
            continue
        swap = only_producer(graph, last.inputs[0])
        if swap is None or swap.op != "Transpose":
            continue
        first = only_producer(graph, swap.inputs[0])
        if first is None or first.op != "Reshape":
            continue
        x = first.inputs[0]
        axis = _channel_axis(graph.shape(x), graph.shape(first.outputs[0]),
                             graph.shape(last.outputs[0]), swap.attr("dims"))
        if axis is not None:
            group = graph.shape(first.outputs[0])[axis]
            _rewrite(graph, last, x, axis, group)


def _channel_axis(
    x: Shape | None, split: Shape | None, y: Shape | None, dims: list[int] | None
) -> int | None:
    """The axis that is split in two, transposed and joined again; None for other nodes."""
    if x is None or split is None or x != y or None in x or len(x) < 3:
        return None
    if len(split) != len(x) + 1:
        return None
    for axis in (1, len(x) - 1):
        swapped = list(range(len(split)))
        swapped[axis], swapped[axis + 1] = axis + 1, axis
        joined = (*x[:axis], split[axis], split[axis + 1], *x[axis + 1 :])
        if list(dims or ()) == swapped and split == joined and (
                split[axis] * split[axis + 1] == x[axis]):
            return axis
    return None


def _rewrite(graph: Graph, last: Node, x: str, axis: int, group: int) -> None:
    rank = graph.rank(x)
    if axis == rank - 1:
        graph.set_inputs(last, [x])
        last.op, last.attrs = "ChannelShuffle", {"group": group}
        return
    shape = graph.shape(x)
    names = [graph.fresh(f"{last.name}/{part}") for part in ("nhwc", "shuffled")]
    graph.add("Transpose", [x], [names[0]], dims=[0, *range(2, rank), 1])
    graph.add("ChannelShuffle", [names[0]], [names[1]], group=group)
    for name in names:
        graph.tensors[name].shape = (shape[0], *shape[2:], shape[1])
        graph.tensors[name].dtype = graph.tensors[x].dtype
    graph.set_inputs(last, [names[1]])
    last.op, last.attrs = "Transpose", {"dims": [0, rank - 1, *range(1, rank - 1)]}
