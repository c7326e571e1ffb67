"""Inputs and outputs of a model that a deployment file turns into states, which the engine keeps
from run to run.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping

import numpy as np

from mace_tools.convert.importers.request import RequestError, listed, some, stated
from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.ops.common.checks import fits
from mace_tools.convert.shape_inference import infer_node
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.ir import NUMPY, Graph, Shape
from mace_tools.graph.run_io import own_inputs, own_outputs
from mace_tools.graph.states import Pair, State

KEY = "states"


def shapes(model: SourceModel, pairs: Mapping[str, Pair]) -> dict[str, Shape]:
    """The shapes of the states, by the names of the inputs.

    Errors: RequestError for an input or an output that the model does not have, and for a shape
    that is open or another than the file states."""
    return {name: _shape(model, name, pair) for name, pair in pairs.items()}


def _shape(model: SourceModel, name: str, pair: Pair) -> Shape:
    if _own(model, name) not in model.inputs:
        raise RequestError(f"the model has no input '{name}'; its inputs: "
                           f"{some(list(model.inputs))}", KEY, name)
    if _own(model, pair.next) not in model.producers():
        raise RequestError(f"the model has no output '{pair.next}', which is to be the next value "
                           f"of the state '{name}'; its outputs: {some(model.outputs)}", KEY, name)
    own = model.own_shape(name)
    if pair.shape is None:
        if own is None or None in own:
            known = "states no shape" if own is None else f"states {stated(own)}"
            raise RequestError(f"the file {known} for '{name}', and a state has a shape that is "
                               "fixed, or -1 where each run adds to it", KEY, name,
                               f"{{{name}: {{next: {pair.next}, shape: "
                               f"{listed(tuple(d or 1 for d in own or (1,)))}}}}}")
        return own
    if own is not None and not (fits(own, pair.shape) and _grows_where_open(own, pair.shape)):
        raise RequestError(f"{listed(pair.shape)} does not fit the model's input '{name}', of "
                           f"which the file states {stated(own)}", KEY, name)
    return pair.shape


def _grows_where_open(own: Shape, shape: Shape) -> bool:
    return all(d is not None or o is None for o, d in zip(own, shape))


def _own(model: SourceModel, name: str) -> str:
    """The model's name of a tensor; users of TensorFlow write 'node:0' for 'node'."""
    own = model.named(name)
    known = own in model.inputs or own in model.producers()
    return own if known else own.removesuffix(":0")


def zeros(model: SourceModel, pairs: Mapping[str, Pair]) -> dict[str, np.ndarray]:
    """The first values of the states, for the source model, which takes them as inputs."""
    return {_own(model, name): np.zeros([int(d or 0) for d in shape],
                                        NUMPY[model.inputs[_own(model, name)].dtype])
            for name, shape in shapes(model, pairs).items()}


def outputs(given: list[str], pairs: Mapping[str, Pair]) -> list[str]:
    """The outputs of a graph that makes the next values of the states, too."""
    return list(dict.fromkeys([*given, *(pair.next for pair in pairs.values())]))


def keep(graph: Graph, given: list[str], pairs: Mapping[str, Pair]) -> None:
    """Makes states of these inputs of a translated graph, of whose outputs only `given` stay.

    Errors: RequestError for a next value of another type or shape."""
    own = [name for name in own_inputs(graph) if name not in pairs]
    variables = list(graph.states)
    results = [name for name in own_outputs(graph) if name in given]
    nexts = [state.next for state in graph.states.values()]
    for name, pair in pairs.items():
        tensor, after = graph.tensors[name], graph.tensors[pair.next]
        if tensor.dtype != after.dtype or not fits(tensor.shape, after.shape):
            raise RequestError(
                f"the state '{name}' is {tensor.dtype} {listed(tensor.shape or ())}, and "
                f"'{pair.next}', its next value, {after.dtype} {stated(after.shape or ())}",
                KEY, name)
        out = graph.fresh(f"{name}/next")
        infer_node(graph, graph.add("Identity", [pair.next], [out], out))
        tensor.data_format = "NONE"
        if None in (tensor.shape or ()):
            graph.open_dims[name] = OpenDims(("",) * len(tensor.shape or ()), pair.most)
        graph.states[name] = State(out)
        nexts.append(out)
    graph.inputs = [*own, *variables, *pairs]
    graph.outputs = [*results, *nexts]
