"""Puts the bodies of functions that a file defines in place of their calls.

SPDX-License-Identifier: Apache-2.0

The tensors of a body get the name of the call before their own. A function may be of another
operator set version than the model: its nodes keep theirs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mace_tools.support.errors import ModelError

MAX_NODES = 1 << 20
DEEPEST = 100
_Key = tuple[str, str, str]


def inlined(model: Any, path: Path) -> Any:
    """The graph of a model without calls of its functions.

    Errors: ModelError for a function that calls itself, or that the call does not fit."""
    if not model.functions:
        return model.graph
    graph = type(model.graph)()
    graph.CopyFrom(model.graph)
    _Inliner(model, path).expand(graph)
    return graph


def placed(call: Any, function: Any) -> list[Any]:
    """The nodes of a function in place of a call, whose name is unlike that of any other.

    Errors: ModelError for a call that does not fit."""
    return _Inliner(None, Path(call.name)).body(call, function)


class _Inliner:
    def __init__(self, model: Any, path: Path) -> None:
        self.path = path
        self._functions: dict[_Key, Any] = {
            (f.domain, f.name, f.overload): f for f in (model.functions if model else ())}
        self._count = 0
        self._taken: set[str] = set()

    def expand(self, graph: Any, callers: tuple[_Key, ...] = ()) -> None:
        """Replaces the calls among the nodes of a graph, and of graphs in it."""
        nodes = [n for node in graph.node for n in self._expanded(node, callers)]
        del graph.node[:]
        graph.node.extend(nodes)

    def _expanded(self, node: Any, callers: tuple[_Key, ...]) -> list[Any]:
        self._count += 1
        if self._count > MAX_NODES:
            raise ModelError(f"{self.path}: its functions make more than {MAX_NODES} nodes; "
                             "export the model with fewer calls")
        for attribute in node.attribute:
            if attribute.HasField("g"):
                self.expand(attribute.g, callers)
        key = node.domain, node.op_type, node.overload
        if key not in self._functions:
            return [node]
        if key in callers:
            ring = " -> ".join(name for _, name, _ in [*callers[callers.index(key):], key])
            raise ModelError(f"{self.path}: the function '{node.op_type}' calls itself ({ring}); "
                             "the file is damaged")
        if len(callers) >= DEEPEST:
            raise ModelError(f"{self.path}: calls of functions are nested more than {DEEPEST} deep")
        body = self.body(node, self._functions[key])
        return [n for inner in body for n in self._expanded(inner, (*callers, key))]

    def body(self, call: Any, function: Any) -> list[Any]:
        if len(call.input) > len(function.input) or len(call.output) > len(function.output):
            raise ModelError(f"{self.path}: {call.op_type} '{call.name}' has {len(call.input)} "
                             f"inputs and {len(call.output)} outputs, its function at most "
                             f"{len(function.input)} and {len(function.output)}; the file is "
                             "damaged")
        prefix = self._prefix(call)
        names = {"": "", **dict.fromkeys(function.input, ""),
                 **dict(zip(function.input, call.input))}
        given = {a.name: a for a in (*function.attribute_proto, *call.attribute)}
        opset = max((o.version for o in function.opset_import if o.domain in ("", "ai.onnx")),
                    default=0)
        made = {o for n in function.node for o in n.output if o}
        ends = {inner: outer for inner, outer in zip(function.output, call.output)
                if outer and inner in made}
        names.update((name, ends.get(name, prefix + name)) for name in made)
        nodes = []
        for node in function.node:
            copy = type(node)()
            copy.CopyFrom(node)
            copy.name = prefix + (node.name or node.op_type)
            self._rename(copy, lambda name: names.get(name, prefix + name), given, opset)
            nodes.append(copy)
        # Results that a node does not make, or that are the same tensor twice.
        for inner, outer in zip(function.output, call.output):
            if outer and names.get(inner, "") != outer:
                source = names.get(inner, prefix + inner)
                nodes.append(type(call)(op_type="Identity", name=prefix + inner, input=[source],
                                        output=[outer]))
        return nodes

    def _prefix(self, call: Any) -> str:
        base = call.name or next(filter(None, call.output), call.op_type)
        prefix, k = f"{base}/", 0
        while prefix in self._taken:
            prefix, k = f"{base}/{k}/", k + 1
        self._taken.add(prefix)
        return prefix

    def _rename(self, node: Any, name_of: Callable[[str], str], given: dict[str, Any],
                opset: int) -> None:
        """Gives the tensors and attributes of a node of a body their meaning in the call."""
        node.mace_opset = opset
        node.input[:] = [name_of(name) for name in node.input]
        node.output[:] = [name_of(name) for name in node.output]
        kept = []
        for attribute in node.attribute:
            if attribute.ref_attr_name:
                value = given.get(attribute.ref_attr_name)
                if value is None:
                    continue  # the call leaves it out, so the node has its default
                name = attribute.name
                attribute = type(attribute)()
                attribute.CopyFrom(value)
                attribute.name = name
            elif attribute.HasField("g"):
                self._rename_graph(attribute.g, name_of, given, opset)
            kept.append(attribute)
        kept = [type(a).FromString(a.SerializeToString()) for a in kept]
        del node.attribute[:]
        node.attribute.extend(kept)

    def _rename_graph(self, graph: Any, name_of: Callable[[str], str],
                      given: dict[str, Any], opset: int) -> None:
        """The same for a graph in it."""
        for node in graph.node:
            self._rename(node, name_of, given, opset)
        sparse = (t.values for t in graph.sparse_initializer)
        for tensor in (*graph.input, *graph.initializer, *sparse, *graph.output):
            tensor.name = name_of(tensor.name)
