"""Gives 4-D inputs and outputs of the model the order of dimensions that the user wants.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping

from mace_tools.convert.shape_inference import infer_graph
from mace_tools.graph.ir import Graph, Tensor
from mace_tools.support.errors import MaceError

_FROM_TO = {("NCHW", "NHWC"): [0, 2, 3, 1], ("NHWC", "NCHW"): [0, 3, 1, 2]}


def set_order(graph: Graph, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """Errors: MaceError for a name or an order that does not fit."""
    _check_shared(graph, inputs, outputs)
    for name, order in inputs.items():
        dims = _dims(graph, graph.inputs, name, order, "input")
        if dims:
            _reorder_input(graph, name, dims, order)
    for name, order in outputs.items():
        dims = _dims(graph, graph.outputs, name, order, "output")
        if dims and name not in graph.inputs:
            _reorder_output(graph, name, dims, order)
    graph.topo_sort()
    infer_graph(graph)


def _check_shared(graph: Graph, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """Errors: MaceError for a tensor that is an input and an output, in two orders."""
    for name in set(graph.inputs) & set(graph.outputs):
        own = graph.tensors[name].data_format
        one, other = inputs.get(name, own), outputs.get(name, own)
        if own != "NONE" and one != other:
            raise MaceError(f"'{name}' is an input and an output, one tensor with one order of "
                            f"dimensions, which is {one} by input_data_formats and {other} by "
                            "output_data_formats; write the same in both")


def _dims(graph: Graph, names: list[str], name: str, order: str, what: str) -> list[int] | None:
    """The transpose from the current order to the wanted one; None if they are equal."""
    if name not in names:
        raise MaceError(f"{what}_data_formats: the model has no {what} '{name}'; it has "
                        + ", ".join(f"'{n}'" for n in names))
    tensor = graph.tensors[name]
    if order == "NONE" or tensor.data_format in ("NONE", order):
        return None
    return _FROM_TO[tensor.data_format, order]


def _reorder_input(graph: Graph, name: str, dims: list[int], order: str) -> None:
    tensor = graph.tensors[name]
    inner = graph.fresh(f"{name}/{tensor.data_format}")
    graph.add_tensor(Tensor(inner, tensor.dtype, tensor.shape))
    graph.move_origin(name, inner)
    graph.set_origin(name, inner, dims)
    graph.replace_uses(name, inner)
    back = [dims.index(k) for k in range(4)]
    graph.add("Transpose", [name], [inner], dims=back)
    tensor.shape = None if tensor.shape is None else tuple(tensor.shape[d] for d in dims)
    tensor.data_format = order


def _reorder_output(graph: Graph, name: str, dims: list[int], order: str) -> None:
    tensor, maker = graph.tensors[name], graph.producer(name)
    inner = graph.fresh(f"{name}/{tensor.data_format}")
    graph.add_tensor(Tensor(inner, tensor.dtype, tensor.shape))
    graph.move_origin(name, inner)
    graph.set_origin(name, inner, dims)
    graph.set_output(maker, maker.outputs.index(name), inner)
    graph.replace_uses(name, inner)
    graph.add("Transpose", [inner], [name], dims=dims)
    tensor.data_format = order
