"""Decides conditionals (Switch, Merge) whose condition is constant.

SPDX-License-Identifier: Apache-2.0

Graphs that were made for training and inference hold both, behind a condition such as
`is_training`. What only the other branch computes is dead: TensorFlow does not run it, and it is
not translated.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from mace_tools.convert.importers.source import SourceModel, SourceNode

SWITCHES, MERGES = ("Switch", "RefSwitch"), ("Merge", "RefMerge")
_PASS = ("Identity", "PlaceholderWithDefault", "StopGradient", "ReadVariableOp", "ToBool",
*SWITCHES)


def decided(model: SourceModel, inputs: Iterable[str]) -> SourceModel:
    """The model without conditionals whose condition is constant. `inputs`: tensors that the caller
    feeds, which are not constant."""
    fed = {name.removesuffix(":0") for name in inputs}
    made = model.producers()
    chosen = {node: side for node in model.nodes if node.op in SWITCHES
              and (side := _value(model, made, node.inputs[1], fed)) is not None}
    if not chosen:
        return model
    dead = _dead(model, chosen)
    constants = dict(model.constants)
    nodes = []
    for node in model.nodes:
        live = [k for k, name in enumerate(node.inputs) if name not in dead]
        if node in chosen:
            data = node.inputs[0]
            node = replace(node, op="IdentityN", inputs=[data] * len(node.outputs), attrs={})
        elif node.op in MERGES and len(live) == 1 < len(node.inputs):
            for index in node.outputs[1:]:
                constants[index] = np.array(live[0], np.int32)
            node = replace(node, op="Identity", inputs=[node.inputs[live[0]]],
                           outputs=node.outputs[:1], attrs={})
        nodes.append(node)
    outputs = [name for name in model.outputs if name not in dead]
    return replace(model, nodes=nodes, constants=constants, outputs=outputs)


def _value(
    model: SourceModel, made: dict[str, SourceNode], name: str, fed: Collection[str]
) -> bool | None:
    """The value of a condition; None if it is not constant."""
    negated = False
    for _ in range(len(model.nodes) + 1):
        data = model.constants.get(name)
        if name in fed:
            return None
        if data is not None:
            return None if data.size != 1 else bool(data.reshape(-1)[0]) != negated
        node = made.get(name)
        if node is None or node.op not in (*_PASS, "LogicalNot"):
            return None
        negated = negated != (node.op == "LogicalNot")
        name = node.inputs[0]
    return None


def _dead(model: SourceModel, chosen: dict[SourceNode, bool]) -> set[str]:
    """Tensors that are not computed, because a Switch passes its operand on to the other side."""
    readers: dict[str, list[SourceNode]] = {}
    for node in model.nodes:
        for name in node.inputs:
            readers.setdefault(name, []).append(node)
        for name in node.after:
            readers.setdefault(f"^{name}", []).append(node)
    dead = {name for node, side in chosen.items() for name in node.outputs[int(not side):][:1]}
    stack = list(dead)
    gone: set[SourceNode] = set()
    while stack:
        for node in readers.get(stack.pop(), ()):
            if node in gone or node.op in MERGES and not dead.issuperset(node.inputs):
                continue
            gone.add(node)
            fresh = [name for name in node.outputs if name not in dead]
            dead.update(fresh)
            stack += [*fresh, f"^{node.name}"]
    return dead
