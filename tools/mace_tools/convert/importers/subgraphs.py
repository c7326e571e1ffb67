"""Branches and bodies as subgraphs of the model, for the importers of all formats.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Sequence

from mace_tools.convert.importers.builder import Builder, Frame
from mace_tools.convert.importers.source import SourceGraph, SourceNode
from mace_tools.convert.ops.common.branches import common
from mace_tools.graph.ir import Graph, Shape
from mace_tools.graph.quantization import as_key
from mace_tools.support.errors import ModelError


def branches(b: Builder, n: SourceNode, condition: str, then: SourceGraph,
             other: SourceGraph, given: Sequence[str] = ()) -> list[str]:
    """An If of the engine. `given` are tensors for the inputs of the branches.

    Errors: ModelError if the branches make other element types."""
    _check_condition(b, n, condition)
    frames: list[Frame] = []
    for label, branch in (("then", then), ("else", other)):
        with b.inside(f"{n.name}/{label}") as frame:
            for source, tensor in zip(branch.inputs, given):
                b.rename_input(source, b.capture(tensor))
            frame.graph.outputs = b.translate_inside(n, branch)[: len(n.outputs)]
        frames.append(frame)
    outputs = [[f.graph.tensors[name].dtype for name in f.graph.outputs] for f in frames]
    if outputs[0] != outputs[1]:
        raise ModelError(f"{n.op} '{n.name}': its branches make different types: "
                         f"{', '.join(outputs[0])} and {', '.join(outputs[1])}")
    captured = list(dict.fromkeys([*frames[0].captured, *frames[1].captured]))
    names = []
    for frame in frames:
        _set_inputs(b, frame, [], captured)
        names.append(b.add_subgraph(frame.graph))
    made = b.ops("If", [condition, *captured], len(n.outputs), then_branch=names[0],
                 else_branch=names[1])
    for frame in frames:
        _keep_unsigned(frame.graph, frame.graph.outputs, b.graph, made)
    return made


def loop_node(b: Builder, n: SourceNode, body: SourceGraph, count: str, condition: str,
              carried: Sequence[str], begin: Callable[[str], None] = lambda i: None,
              end: Callable[[list[str]], str] | None = None) -> list[str]:
    """A Loop of the engine. `begin` is called with the number of the iteration, before the nodes
    of the body are added. An input of the body may have no name. If the body does not make the
    condition for the next iteration, `end` does, from what the body makes.

    Errors: ModelError for a carried value that changes its element type."""
    _check_condition(b, n, condition)
    types = [(b.graph.tensors[x].dtype, b.graph.tensors[x].shape) for x in carried]
    quants = [b.quant(x) for x in carried]
    while True:
        with b.inside(f"{n.name}/body") as frame:
            formal = _formal(b, body, b.shape_of(condition), types)
            _keep_unsigned(b.frames[-2].graph, carried, b.graph, formal[2:])
            for name, quant in zip(formal[2:], quants):
                b.set_quant(name, quant)
            begin(formal[0])
            made = b.translate_inside(n, body)
            if end is not None:
                made.insert(0, b.op("Identity", end(made)))
            frame.graph.outputs = made
        wider = _wider(n, frame.graph, types)
        if wider == types:
            break
        types = wider
    for k, (quant, name) in enumerate(zip(quants, frame.graph.outputs[1:])):
        if as_key(quant) != as_key(frame.graph.tensors[name].quant):
            raise ModelError(f"{n.op} '{n.name}': carried value {k} has another scale or zero "
                             "point after an iteration; these must stay")
    captured = list(frame.captured)
    _set_inputs(b, frame, formal, captured)
    name = b.add_subgraph(frame.graph)
    made = b.ops("Loop", [count, condition, *carried, *captured],
                 len(frame.graph.outputs) - 1, body=name, carried=len(carried))
    _keep_unsigned(frame.graph, frame.graph.outputs[1:], b.graph, made)
    return made


def _keep_unsigned(source: Graph, names: Sequence[str], graph: Graph, same: Sequence[str]) -> None:
    """Notes of which unsigned types tensors are that stand for others in another graph."""
    for name, tensor in zip(names, same):
        graph.tensors[tensor].unsigned = source.tensors[name].unsigned or \
            graph.tensors[tensor].unsigned


def _check_condition(b: Builder, n: SourceNode, condition: str) -> None:
    if b.dtype(condition) != "bool":
        raise ModelError(f"{n.op} '{n.name}': its condition is {b.dtype(condition)}, and must be "
                         "bool: cast it in the source model")


def unrolled(b: Builder, n: SourceNode, body: SourceGraph, times: int,
             carried: Sequence[str]) -> list[str]:
    """The body so many times, one after the other."""
    values, stacked = list(carried), [[] for _ in body.outputs[len(carried) + 1:]]
    for i in range(times):
        b.rename_input(body.inputs[0], b.add_const(i, "i64"))
        b.rename_input(body.inputs[1], b.add_const(True, "bool"))
        for source, tensor in zip(body.inputs[2:], values):
            b.rename_input(source, tensor)
        made = b.inline(n, body)[1:]
        values = made[: len(carried)]
        for k, y in enumerate(made[len(carried):]):
            stacked[k].append(y)
    return values + [b.op("Stack", *parts, axis=0) for parts in stacked]


Types = list[tuple[str, "Shape | None"]]


def _formal(b: Builder, body: SourceGraph, condition: Shape | None, types: Types) -> list[str]:
    """The inputs of a body, with these types."""
    sources = [source or f"{b.graph.name}/{k}" for k, source in enumerate(body.inputs)]
    return [b.add_input(source, dtype, shape) for source, (dtype, shape)
            in zip(sources, [("i64", ()), ("bool", condition), *types])]


def _wider(n: SourceNode, body: Graph, types: Types) -> Types:
    """The types of carried values that hold before and after an iteration."""
    wider: Types = []
    for k, ((dtype, shape), name) in enumerate(zip(types, body.outputs[1:])):
        made = body.tensors[name]
        if made.dtype != dtype:
            raise ModelError(f"{n.op} '{n.name}': carried value {k} is {dtype}, and {made.dtype} "
                             "after an iteration; its element type must stay")
        wider.append((dtype, common(shape, made.shape)))
    return wider


def _set_inputs(b: Builder, frame: Frame, formal: Sequence[str], captured: Sequence[str]) -> None:
    """Orders the inputs of a subgraph, and adds those that it does not read."""
    graph, names = frame.graph, list(formal)
    for outside in captured:
        name = frame.captured.get(outside)
        if name is None:
            name = graph.fresh(outside)
            tensor = b.graph.tensors[outside]
            graph.add_input(name, tensor.dtype, tensor.shape).quant = tensor.quant
        names.append(name)
    graph.inputs = names
