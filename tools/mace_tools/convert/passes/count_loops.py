"""Finds how often loops run, and takes out of what they carry what does not change, and lists.

SPDX-License-Identifier: Apache-2.0

    for (i = 0; i < n; ++i) list[i] = f(...)     a Loop of n iterations, which stacks f(...)

TensorFlow and TFLite write a loop as a condition on counters, and its results into lists that it
carries. The engine knows a number of iterations before it begins, and stacks results.
"""

from dataclasses import dataclass

import numpy as np

from mace_tools.convert.passes.fold_constants import fold_constants
from mace_tools.convert.passes.list_writes import written
from mace_tools.convert.passes.match import is_op, number, through, with_number
from mace_tools.graph.ir import Graph, Node
from mace_tools.graph.subgraphs import used_by

_FEWEST_FOREVER = 1 << 62


def count_loops(graph: Graph) -> None:
    for name in [node.name for node in graph.nodes if node.op == "Loop"]:
        node = next(n for n in graph.nodes if n.name == name)
        if _uses(graph, str(node.attrs["body"])) != 1:
            continue
        loop = LoopParts(graph, node)
        loop.capture_invariants()
        _count(loop)
        _stack_lists(loop)


def _uses(graph: Graph, body: str) -> int:
    graphs = {id(g): g for g in (graph, *graph.subgraphs.values())}
    return sum(list(used_by(g)).count(body) for g in graphs.values())


class LoopParts:
    """A Loop with its body, whose operands and results have the same order."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph, self.node = graph, node
        self.body = graph.subgraphs[str(node.attrs["body"])]

    @property
    def carried(self) -> int:
        return int(self.node.attrs["carried"])

    def first(self, k: int) -> str:
        """The tensor that is carried value k in the first iteration."""
        return self.node.inputs[2 + k]

    def formal(self, k: int) -> str:
        return self.body.inputs[2 + k]

    def next(self, k: int) -> str:
        return self.body.outputs[1 + k]

    def outside(self, formal: str) -> str:
        """The tensor around the loop that an input of the body always is; "" for another tensor."""
        if formal not in self.body.inputs[2 + self.carried:]:
            return ""
        return self.node.inputs[self.body.inputs.index(formal)]

    def rebuild(self, inputs: list[str], outputs: list[str], carried: int) -> None:
        self.graph.remove(self.node)
        self.node = self.graph.add("Loop", inputs, outputs, self.node.name,
                                   **{**self.node.attrs, "carried": carried})

    def capture_invariants(self) -> None:
        """What the body hands on as it is becomes an operand of the body only."""
        k = 0
        while k < self.carried:
            if through(self.body, self.next(k)) == self.formal(k):
                self._capture(k)
            else:
                k += 1
        fold_constants(self.body)

    def _capture(self, k: int) -> None:
        graph, body, first, formal = self.graph, self.body, self.first(k), self.formal(k)
        out, inputs = self.node.outputs[k], list(self.node.inputs)
        value = graph.tensors[first]
        del inputs[2 + k], body.inputs[2 + k], body.outputs[1 + k]
        if value.is_const:
            body.replace_uses(formal, body.add_const(formal, value.data, value.dtype))
        else:
            inputs.append(first)
            body.inputs.append(formal)
        self.rebuild(inputs, [o for o in self.node.outputs if o != out], self.carried - 1)
        if out in graph.outputs:
            graph.add("Identity", [first], [out], out)
        else:
            graph.replace_uses(out, first)

    def drop(self, k: int, stacked: str) -> None:
        """Makes what the loop carries as value k the stack of a tensor of the body."""
        body, out = self.body, self.node.outputs[k]
        inputs = list(self.node.inputs)
        del inputs[2 + k], body.inputs[2 + k], body.outputs[1 + k]
        if body.producer(stacked) is None or stacked in body.outputs:
            stacked = body.add("Identity", [stacked]).outputs[0]
        body.outputs.append(stacked)
        outputs = [o for o in self.node.outputs if o != out]
        self.rebuild(inputs, [*outputs, out], self.carried - 1)


# --- the number of iterations ---


@dataclass(frozen=True)
class Counter:
    """A carried number: start + step * iterations."""

    start: int
    step: int


def counter(loop: LoopParts, k: int) -> Counter | None:
    start, node = loop.graph.const(loop.first(k)), loop.body.producer(loop.next(k))
    if start is None or start.size != 1 or start.dtype.kind != "i" or node is None:
        return None
    if not is_op(node, "Eltwise", type="SUM"):
        return None
    found = with_number(loop.body, node)
    if found is None or found[0] != loop.formal(k) or found[1] <= 0:
        return None
    return Counter(int(start.item()), int(found[1]))


def iterations(loop: LoopParts) -> int | str | None:
    """How often a loop runs whose condition is always true: a number, or the tensor that holds it;
    None if a condition decides."""
    made = loop.graph.const(through(loop.graph, loop.node.inputs[1]))
    again = loop.body.const(through(loop.body, loop.body.outputs[0]))
    if made is None or again is None or not made.all() or not again.all():
        return None
    count = loop.graph.const(loop.node.inputs[0])
    return loop.node.inputs[0] if count is None else int(count.reshape(-1)[0])


def _count(loop: LoopParts) -> None:
    most = loop.graph.const(loop.node.inputs[0])
    tests = _tests(loop.body, loop.body.outputs[0])
    if most is None or not tests:
        return
    limits: list[tuple[Counter, int | str]] = []
    for less, more in tests:
        k = next((k for k in range(loop.carried) if less == through(loop.body, loop.next(k))), -1)
        found = counter(loop, k) if k >= 0 else None
        value, outside = loop.body.const(more), loop.outside(more)
        if found is None or value is None and not outside:
            return
        limits.append((found, outside if value is None else int(value.reshape(-1)[0])))
    count: str | None
    if all(isinstance(limit, int) for _, limit in limits):
        count = _known(loop, [(c, int(limit)) for c, limit in limits], int(most.reshape(-1)[0]))
    else:
        count = _computed(loop, limits) if int(most.reshape(-1)[0]) >= _FEWEST_FOREVER else None
    if count is None:
        return
    true = loop.graph.add_const(f"{loop.node.name}/true", np.array(True))
    loop.graph.set_inputs(loop.node, [count, true, *loop.node.inputs[2:]])
    again = loop.body.add_const(f"{loop.node.name}/again", np.array(True))
    loop.body.outputs[0] = loop.body.add("Identity", [again]).outputs[0]


def _tests(graph: Graph, name: str) -> list[tuple[str, str]]:
    """a < b, ... for a condition that is true if all of these are; [] for any other."""
    found, stack, seen = [], [name], set()
    while stack:
        test = through(graph, stack.pop())
        if test in seen:
            continue
        seen.add(test)
        node = graph.producer(test)
        if is_op(node, "Logical", type="AND"):
            stack += reversed(node.inputs)
        elif is_op(node, "Compare", type="LESS"):
            found.append((through(graph, node.inputs[0]), through(graph, node.inputs[1])))
        elif is_op(node, "Compare", type="GREATER"):
            found.append((through(graph, node.inputs[1]), through(graph, node.inputs[0])))
        else:
            return []
    return found


def _known(loop: LoopParts, limits: list[tuple[Counter, int]], most: int) -> str | None:
    begins = loop.graph.const(through(loop.graph, loop.node.inputs[1]))
    if begins is None:
        return None
    count = min(max(1, -((c.start - limit) // c.step)) for c, limit in limits)
    count = min(count, most) if begins.all() else 0
    return loop.graph.add_const(f"{loop.node.name}/count", np.int64(count))


def _computed(loop: LoopParts, limits: list[tuple[Counter, int | str]]) -> str | None:
    """The least limit, if the loop counts from 0 and begins if 0 is below all limits."""
    graph, names = loop.graph, []
    begins = {(number(graph, a), _key(graph, b)) for a, b in
              _tests(graph, loop.node.inputs[1])}
    for c, limit in limits:
        if c != Counter(0, 1):
            return None
        name = limit if isinstance(limit, str) else graph.add_const(
            f"{loop.node.name}/limit", np.int32(limit))
        if (0, _key(graph, name)) not in begins or graph.rank(name) != 0:
            return None
        names.append(name)
    if len(begins) != len({_key(graph, name) for name in names}):
        return None
    least = names[0]
    for name in dict.fromkeys(names[1:]):
        if name != least:
            least = graph.add("Eltwise", [least, name], type="MIN").outputs[0]
    dtype = graph.tensors[names[0]].dtype
    zero = graph.add_const(f"{loop.node.name}/zero", np.array(0), dtype)
    least = graph.add("Eltwise", [least, zero], type="MAX").outputs[0]
    return graph.add("Cast", [least], to="i64").outputs[0] if dtype != "i64" else least


def _key(graph: Graph, name: str) -> int | str:
    value = number(graph, name)
    return through(graph, name) if value is None else value


# --- lists ---


def _stack_lists(loop: LoopParts) -> None:
    count = iterations(loop)
    if count is None:
        return
    counters = {loop.formal(k) for k in range(loop.carried) if counter(loop, k) == Counter(0, 1)}
    k = 0
    while k < loop.carried:
        found = written(loop.body, loop.formal(k), loop.next(k), counters)
        if found is None or not _fills(loop, k, found.size, 1 if found.always_first else count):
            k += 1
        elif found.always_first:
            loop.body.outputs[1 + k] = _alone(loop.body, found.item)
            k += 1
        else:
            loop.drop(k, found.item)


def _alone(body: Graph, item: str) -> str:
    """An element as a list of one."""
    return body.add("ExpandDims", [item], axis=[0]).outputs[0]


def _fills(loop: LoopParts, k: int, size: str, count: int | str) -> bool:
    """Whether a list has so many elements: as the loop has iterations. `size`: the tensor of the
    body with the number of elements, if it is not the first extent of the list."""
    shape = loop.graph.shape(loop.first(k))
    known = number(loop.body, size) if size else shape[0] if shape else None
    if known is not None or isinstance(count, int):
        return known == count
    return bool(size) and _limit(loop.graph, count) == through(loop.graph, loop.outside(size))


def _limit(graph: Graph, count: str) -> str:
    """The tensor of which a count, as _computed makes it, is the maximum with 0."""
    node = graph.producer(count)
    if is_op(node, "Cast"):
        count = node.inputs[0]
        node = graph.producer(count)
    if is_op(node, "Eltwise", type="MAX"):
        return through(graph, node.inputs[0])
    return through(graph, count)
