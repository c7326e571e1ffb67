"""Loops and conditionals that TensorFlow writes as Enter, Merge, Switch and others, as nodes with
graphs: While and If.

SPDX-License-Identifier: Apache-2.0

    frame "f":  Enter -> Merge -> LoopCond -> Switch -> body -> NextIteration -> Merge
                                              Switch -> Exit
    condition:  Switch -> one side, Switch -> other side -> Merge

Source: Yu et al. 2018, "Dynamic Control Flow in Large-Scale Machine Learning", section 4. Inner
loops and conditionals come first, so that those around them see one node. What is written in
another way stays as it is, and is refused if the model needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from mace_tools.convert.importers.source import SourceGraph, SourceModel, SourceNode
from mace_tools.convert.importers.tensorflow.branches import MERGES, SWITCHES
from mace_tools.support.errors import ModelError

ENTERS, EXITS = ("Enter", "RefEnter"), ("Exit", "RefExit")
NEXT = ("NextIteration", "RefNextIteration")
_OPERANDS = {**dict.fromkeys((*ENTERS, *EXITS, *NEXT, "LoopCond"), 1),
             **dict.fromkeys(SWITCHES, 2)}
_CLOSED = (*ENTERS, *EXITS, *NEXT, *MERGES)  # nodes of loops and conditionals that are not read yet


def check_operands(model: SourceModel) -> None:
    """Errors: ModelError for a node of a loop or a conditional with another number of operands."""
    for node in model.nodes:
        wanted = _OPERANDS.get(node.op)
        if wanted is not None and len(node.inputs) != wanted:
            raise ModelError(f"{node.op} '{node.name}' has {len(node.inputs)} operands, it must "
                             f"have {wanted}; the file is damaged")


def structured(model: SourceModel) -> SourceModel:
    """The model with While and If nodes in the place of what they are written as."""
    if not any(node.op in (*ENTERS, *MERGES) for node in model.nodes):
        return model
    work = _Work(model)
    while work.frames() or work.conditionals():
        pass
    return replace(model, nodes=work.nodes)


@dataclass
class _Region:
    """Nodes that compute something, each after those it reads."""

    nodes: list[SourceNode] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)  # what they read, but do not make
    closed: bool = False  # they need a loop or a conditional that is not read yet


class _Work:
    """The nodes of a model, of which more and more loops and conditionals are single ones."""

    def __init__(self, model: SourceModel) -> None:
        self.model = model
        self.nodes = list(model.nodes)
        self._index()

    def _index(self) -> None:
        self.made = {out: node for node in self.nodes for out in node.outputs if out}
        self.read = {name for node in self.nodes for name in (*node.inputs, *node.captures)}
        self.read.update(self.model.outputs)
        loop_tests = {out for node in self.nodes if node.op == "LoopCond" for out in node.outputs}
        self.loop_switches = [n for n in self.nodes
                              if n.op in SWITCHES and n.inputs[1] in loop_tests]
        self.loop_merges = [n for n in self.nodes if n.op in MERGES and any(
            i in self.made and self.made[i].op in NEXT for i in n.inputs)]
        # Where the graph of a branch ends, as these are made by the loop around it.
        self.edges = {out for n in (*self.loop_switches, *self.loop_merges) for out in n.outputs}

    def _replace(self, gone: Collection[SourceNode], added: Iterable[SourceNode]) -> None:
        self.nodes = [node for node in self.nodes if node not in gone]
        self.nodes += added
        self._index()

    def region(self, ends: Iterable[str], stops: Collection[str]) -> _Region:
        """What computes `ends` from `stops`."""
        found, state = _Region(), {}
        stack = [(end, False) for end in reversed(list(ends))]
        while stack:
            name, done = stack.pop()
            node = self.made.get(name)
            if name in stops or node is None:
                if name not in self.model.constants and name not in found.outside:
                    found.outside.append(name)
                continue
            if done:
                if state[node] == 1:
                    found.nodes.append(node)
                state[node] = 2
                continue
            if node in state:
                continue
            if node.op in _CLOSED or node.op in SWITCHES:
                found.closed = True
                continue
            state[node] = 1
            stack.append((name, True))
            stack += [(i, False) for i in reversed([*node.inputs, *node.captures]) if i]
        return found

    # --- loops ---

    def frames(self) -> bool:
        """Makes a node of each loop with no other one inside; returns whether there was one."""
        by_frame: dict[str, list[SourceNode]] = {}
        for node in self.nodes:
            if node.op in ENTERS:
                by_frame.setdefault(str(node.attr("frame_name")), []).append(node)
        return any([self._frame(name, enters) for name, enters in by_frame.items()])

    def _frame(self, name: str, enters: list[SourceNode]) -> bool:
        entered = {enter.outputs[0]: enter for enter in enters}
        merges = [m for m in self.loop_merges if any(i in entered for i in m.inputs)]
        switches = [self._switch(merge) for merge in merges]
        tests = {s.inputs[1] for s in switches if s is not None}
        if len(tests) != 1 or any(len(m.inputs) != 2 for m in merges) or any(
                m.outputs[1:] and m.outputs[1] in self.read for m in merges):
            return False
        test = self.made[tests.pop()]
        first = [next(i for i in m.inputs if i in entered) for m in merges]
        again = [self.made.get(next((i for i in m.inputs if i not in entered), "")) for m in merges]
        if any(n is None or n.op not in NEXT for n in again):
            return False
        variables = [m.outputs[0] for m in merges]
        inside = [_side(s, 1) for s in switches]
        stops = {*entered, *variables, *filter(None, inside)}
        condition = self.region(test.inputs[:1], stops)
        body = self.region([n.inputs[0] for n in again if n is not None], stops)
        if condition.closed or body.closed or _leak(condition, inside, body, variables):
            return False
        constant = [e for e in enters if e.outputs[0] not in first]
        exits = [self._exit(s) for s in switches]
        outside = [i for i in dict.fromkeys([*condition.outside, *body.outside])
                   if i not in variables and i not in inside]
        whole = SourceNode(
            name, "While", [entered[f].inputs[0] for f in first],
            [e.outputs[0] if e is not None else "" for e in exits],
            {"cond": SourceGraph(condition.nodes, test.inputs[:1], variables),
             "body": SourceGraph(body.nodes, [n.inputs[0] for n in again if n is not None],
                                 inside)},
            captures=outside)
        gone = {*enters, *merges, *filter(None, switches), test, *filter(None, again),
                *filter(None, exits), *condition.nodes, *body.nodes}
        self._replace(gone, [*(_same(e) for e in constant), whole])
        return True

    def _switch(self, merge: SourceNode) -> SourceNode | None:
        return next((s for s in self.loop_switches if s.inputs[0] == merge.outputs[0]), None)

    def _exit(self, switch: SourceNode | None) -> SourceNode | None:
        if switch is None:
            return None
        return next((n for n in self.nodes if n.op in EXITS and n.inputs[0] == switch.outputs[0]),
                    None)

    # --- conditionals ---

    def conditionals(self) -> bool:
        """Makes nodes of the conditionals with no other one inside; returns whether there were
        any. Those with the same condition become one, unless one needs the result of another."""
        self.switches = {out: n for n in self.nodes if n.op in SWITCHES
                         and n not in self.loop_switches for out in n.outputs}
        ready: dict[str, list[_Choice]] = {}
        for merge in self.nodes:
            if merge.op in MERGES and merge not in self.loop_merges and len(merge.inputs) == 2 and (
                    not merge.outputs[1:] or merge.outputs[1] not in self.read):
                found = self._choice(merge)
                if found is not None:
                    ready.setdefault(found.condition, []).append(found)
        for choices in ready.values():
            together: list[_Choice] = []
            for choice in choices:
                if not any(self._needs(choice, other) or self._needs(other, choice)
                           for other in together):
                    together.append(choice)
            self._conditional(together)
        return bool(ready)

    def _choice(self, merge: SourceNode) -> _Choice | None:
        """The condition between whose sides a Merge chooses."""
        sides: list[dict[str, set[int]]] = []  # by condition: on which sides of it an input is
        reached: list[SourceNode] = []
        for name in merge.inputs:
            part = self.region([name], {*self.switches, *self.edges})
            if part.closed:
                return None
            own: dict[str, set[int]] = {}
            for i in (*part.outside, *self._gates(part.nodes)):
                if i in self.switches:
                    switch = self.switches[i]
                    reached.append(switch)
                    own.setdefault(switch.inputs[1], set()).add(switch.outputs.index(i))
            sides.append(own)
        for condition in dict.fromkeys([*sides[0], *sides[1]]):
            one, two = (side.get(condition, set()) for side in sides)
            own_switches = [s for s in dict.fromkeys(reached) if s.inputs[1] == condition]
            if one <= {0} and two <= {1}:
                return _Choice(condition, merge, merge.inputs, own_switches)
            if one <= {1} and two <= {0}:
                return _Choice(condition, merge, merge.inputs[::-1], own_switches)
        return None

    def _needs(self, choice: _Choice, other: _Choice) -> bool:
        """Whether a choice begins with what another one makes."""
        stack = [i for s in choice.switches for i in s.inputs]
        seen = set(stack)
        while stack:
            node = self.made.get(stack.pop())
            if node is other.merge:
                return True
            fresh = [] if node is None else [i for i in (*node.inputs, *node.captures)
                                             if i not in seen]
            seen.update(fresh)
            stack += fresh
        return False

    def _gates(self, nodes: Iterable[SourceNode]) -> list[str]:
        """What constants wait for that belong to one side."""
        by_name = {n.name: n for n in self.nodes}
        found = []
        for node in nodes:
            for name in node.after:
                gate = by_name.get(name)
                while gate is not None and gate.op == "Identity":
                    found.append(gate.inputs[0])
                    gate = self.made.get(gate.inputs[0])
        return found

    def _conditional(self, choices: list[_Choice]) -> None:
        stops = {*self.edges, *self.switches}
        parts, graphs = [], []
        for side in (0, 1):
            ends = [choice.results[side] for choice in choices]
            parts.append(self.region(ends, stops))
            graphs.append(SourceGraph(parts[-1].nodes, ends))
        outside = list(dict.fromkeys([*parts[0].outside, *parts[1].outside]))
        whole = SourceNode(choices[0].merge.name, "If", [choices[0].condition],
                           [choice.merge.outputs[0] for choice in choices],
                           {"else_branch": graphs[0], "then_branch": graphs[1]}, captures=outside)
        passed = [_same(s) for s in dict.fromkeys(s for c in choices for s in c.switches)]
        self._replace({*(s for c in choices for s in c.switches), *(c.merge for c in choices)},
                      [*passed, whole])


@dataclass
class _Choice:
    """A Merge of the two sides of a condition."""

    condition: str
    merge: SourceNode
    results: list[str]  # of the two sides, first where the condition is false
    switches: list[SourceNode]  # that lead into the sides


def _leak(condition: _Region, inside: list[str], body: _Region,
                   variables: list[str]) -> bool:
    """Whether the condition reads what only the body has, or the body what is before its Switch."""
    return any(i in condition.outside for i in inside if i) or any(
        v in body.outside for v in variables)


def _side(switch: SourceNode | None, side: int) -> str:
    """An output of a Switch; "" if nothing reads it."""
    return switch.outputs[side] if switch is not None and side < len(switch.outputs) else ""


def _same(node: SourceNode) -> SourceNode:
    """A node that passes its operand on, on whichever side."""
    return SourceNode(node.name, "IdentityN", [node.inputs[0]] * len(node.outputs), node.outputs)
