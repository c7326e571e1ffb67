"""Random nodes of every op of the engine, drawn from the schemas of the ops.

SPDX-License-Identifier: Apache-2.0

A draw uses the schema of an op (how many operands, of which types, which attributes with
which values), not the checks of its inference: many draws are refused, which is tested as well.
Where an op's operands would hardly fit together by chance, its file in mace_tools/convert/ops has
RANDOM_SHAPES, functions of the shape that is drawn for x to the shape of each operand, and where x
itself would hardly be drawn, random_shape, which draws it.
"""

import copy
import random
from typing import Any

import numpy as np

from mace_tools.convert import ops
from mace_tools.convert.shape_inference import infer_node
from mace_tools.graph.ir import NUMPY, Graph, Node
from mace_tools.graph.op_schema import AttrSchema, OpSchema, all_ops
from mace_tools.graph.op_support import refusals, waiting
from mace_tools.support.errors import ModelError

_TYPES = tuple(NUMPY)
_RANKS = (0, 1, 2, 3, 4, 4, 4, 4, 5)
_EXTENTS = (1, 1, 2, 2, 3, 4, 4, 6, 8, 9)
_TRIES = 500


def refused(graph: Graph) -> str:
    """Why the check of schemas or our inference refuses the node of a graph, or the engine's plan
    would wait for it; "" otherwise."""
    reasons = refusals(graph) + waiting(graph)
    try:
        if not reasons:
            infer_node(graph, graph.nodes[0])
    except ModelError as e:
        return str(e)
    return "; ".join(reasons)


def sound_node(op: str, dice: random.Random) -> Graph:
    """A graph with one node that is not refused, if one is found."""
    for _ in range(_TRIES):
        graph = any_node(op, dice)
        if not refused(graph):
            break
    return graph


def changed(graph: Graph, dice: random.Random) -> Graph:
    """The same node with one attribute or one operand drawn again."""
    graph = copy.deepcopy(graph)
    node, other = graph.nodes[0], any_node(graph.nodes[0].op, dice)
    attrs = {name: value for name, value in other.nodes[0].attrs.items()
             if node.attrs.get(name) != value}
    if attrs and dice.random() < 0.5:
        name = dice.choice(sorted(attrs))
        node.attrs[name] = attrs[name]
    elif graph.inputs:
        tensor = graph.tensors[dice.choice(graph.inputs)]
        if dice.random() < 0.3:
            tensor.dtype = dice.choice(_TYPES)
        else:
            tensor.shape = _changed_shape(list(tensor.shape or ()), dice)
    return graph


def _changed_shape(shape: list[int], dice: random.Random) -> tuple[int, ...]:
    if shape and dice.random() < 0.7:
        shape[dice.randrange(len(shape))] = dice.choice((0, *_EXTENTS))
    else:
        shape.insert(dice.randint(0, len(shape)), 1)
    return tuple(shape)


def any_node(op: str, dice: random.Random) -> Graph:
    """A graph with one node, drawn from the schema only."""
    graph, schema = Graph("random"), all_ops()[op]
    x = getattr(ops.find(op), "random_shape", _shape)(dice)
    most = schema.min_inputs + 2 if schema.max_inputs == -1 else schema.max_inputs
    names = [_operand(graph, op, i, x, dice) for i in range(dice.randint(schema.min_inputs, most))]
    attrs, unit = {}, dice.choice((1, 2, 2, 2, len(x)))  # of the lengths of lists
    for name, attr in schema.attrs.items():
        required = attr.choices and attr.default not in attr.choices.values()
        often = 0.98 if required else 0.75 if attr.default in ([], 0) else 0.4
        if dice.random() < often:
            attrs[name] = _value(attr, x, unit, dice)
    count = dice.randint(1, 4 if schema.outputs == -1 else schema.outputs)
    graph.add(op, names, [f"y{k}" for k in range(count)], "node", **attrs)
    graph.outputs = list(graph.nodes[0].outputs)
    return graph


def _shape(dice: random.Random) -> tuple[int, ...]:
    extents = [dice.choice(_EXTENTS) for _ in range(dice.choice(_RANKS))]
    if extents and dice.random() < 0.05:
        extents[dice.randrange(len(extents))] = 0
    return tuple(extents)


def _operand(graph: Graph, op: str, i: int, x: tuple[int, ...], dice: random.Random) -> str:
    schema = all_ops()[op]
    if dice.random() < (0.1 if i >= schema.min_inputs else 0.01):
        return ""
    dtype = _dtype(graph, schema, i, dice)
    if i in schema.known and dice.random() < 0.95:
        return graph.add_const(f"x{i}", _known(x, dtype, dice), dtype)
    shape = x if i == 0 else _other_shape(x, dice)
    fitting = getattr(ops.find(op), "RANDOM_SHAPES", ())
    if fitting and dice.random() < 0.8:
        shape = fitting[i](x)
    return graph.add_input(f"x{i}", dtype, shape).name


def _dtype(graph: Graph, schema: OpSchema, i: int, dice: random.Random) -> str:
    """A type, mostly one that the schema allows."""
    rule: Any = schema.types[min(i, len(schema.types) - 1)] if schema.types else ()
    if i == 0 and schema.types_with is not None and dice.random() < 0.4:
        rule = schema.types_with.types
    if isinstance(rule, int):
        like = graph.tensors.get(f"x{rule}")
        rule = (like.dtype,) if like is not None else ()
    if not rule and dice.random() < 0.5:
        return "f32"
    return dice.choice(rule) if rule and dice.random() < 0.97 else dice.choice(_TYPES)


def _known(x: tuple[int, ...], dtype: str, dice: random.Random) -> np.ndarray:
    """Integers that decide shapes: a shape, axes, starts, paddings, repeats."""
    count = dice.choice((len(x), len(x), 2 * len(x), 1, 1, 2, dice.randint(0, 4)))
    values = _ints(x, count, dice)
    array = np.array(values, np.int64).astype(NUMPY[dtype])
    return array.reshape(()) if count == 1 and dice.random() < 0.5 else array


def _ints(x: tuple[int, ...], count: int, dice: random.Random) -> list[int]:
    kind = dice.random()
    if kind < 0.3:
        values = [*x, 1, 1, 1, 1][:count]
        dice.shuffle(values)
        return [-1 if dice.random() < 0.15 else v for v in (values * 4)[:count]]
    if kind < 0.45:
        return list(range(count))
    low, high = dice.choice(((0, 1), (1, 2), (0, 3), (-2, 4), (-9, 9)))
    return [dice.randint(low, high) for _ in range(count)]


def _other_shape(x: tuple[int, ...], dice: random.Random) -> tuple[int, ...]:
    """A shape that some op may need in addition to an x of this shape."""
    channels, out, kernel = x[-1] if x else 1, dice.choice(_EXTENTS), dice.randint(1, 3)
    group = dice.choice([g for g in (1, 1, 2, 3) if channels % g == 0])
    return dice.choice((
        x, x, x[-1:], x[-1:], x[-2:], x[1:], (), (1,), (out,), (out, channels), (channels, out),
        (out * group, channels // group, kernel, kernel), (out, channels, kernel, 1),
        tuple(d if dice.random() < 0.7 else dice.choice((1, d, out)) for d in x),
        (*x[:-1], channels * dice.choice((1, 2))), (*x[:-2], channels, out), (3,),
        (*x[:1], dice.randint(1, 3)), (out, 5), _shape(dice)))


def _value(attr: AttrSchema, x: tuple[int, ...], unit: int, dice: random.Random) -> Any:
    rank, wild = max(len(x), 1), dice.random() < 0.04
    if attr.choices and not wild:
        return dice.choice(sorted(attr.choices.values()))
    if attr.type == "string":
        return "NO_SUCH"
    if attr.type == "bool":
        return 2 if wild else dice.randint(0, 1)
    if attr.type == "float":
        return dice.choice((-1.0, 0.0, 0.25, 0.5, 1.0, 2.5))
    if attr.type == "floats":
        return [dice.choice((0.3, 0.5, 1.0, 1.7, 2.0)) for _ in range(2 + (dice.random() < 0.1))]
    if attr.names_axes:
        axes = [a - dice.choice((0, rank)) for a in dice.sample(range(rank), dice.randint(1, rank))]
        axes = axes if not wild else [dice.randint(-rank - 1, rank)]
        return axes[0] if attr.type == "int" else axes
    if attr.type == "int":
        return dice.randint(-9, 9) if wild else dice.randint(0, 3)
    count = dice.choice((unit, unit, unit, 2 * unit, 2 * unit, len(x), dice.randint(0, 5)))
    return _ints(x, count, dice)


def blurred(graph: Graph, dice: random.Random) -> Graph:
    """The same with some extents, ranks and contents of the operands unknown."""
    graph = copy.deepcopy(graph)
    node: Node = graph.nodes[0]
    for name in graph.inputs:
        tensor = graph.tensors[name]
        if dice.random() < 0.15:
            tensor.shape = None
        elif tensor.shape is not None:
            tensor.shape = tuple(None if dice.random() < 0.4 else d for d in tensor.shape)
    for name in node.inputs:
        if name and graph.tensors[name].is_const and dice.random() < 0.3:
            graph.tensors[name].data = None
    return graph
