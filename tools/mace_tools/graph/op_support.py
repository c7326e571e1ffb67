"""Finds the nodes that the engine would refuse, from the schemas of its ops (op_schema.py).

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from mace_tools.graph.ir import Graph, Node
from mace_tools.graph.op_schema import AttrSchema, OpSchema, all_ops
from mace_tools.graph.quantization import as_key
from mace_tools.support.errors import UnsupportedOp, UnsupportedOps

HELP = ("end the model before it (output_tensors in the YAML), or add it to mace/ops "
        "(docs/add_an_op.md)")
DEQUANTIZE = "put a dequantization in front of it and quantize its result in the source model"
ONE_SCALE = "quantize computed tensors with one scale for each tensor in the source model"
# Ops that run subgraphs, for which no device has a kernel.
RUN_BY_ENGINE = ("If", "Loop")
_PYTHON = {"int": (int,), "bool": (int,), "float": (int, float), "string": (str,)}
_LISTS = {"ints": (int,), "floats": (int, float)}


def check(graph: Graph) -> None:
    """Errors: UnsupportedOps with all nodes that the engine would refuse."""
    _raise_for(graph, lambda part, node: chain(_refusals(part, node), _without_kernel(part, node)))


def check_operands(graph: Graph) -> None:
    """Whether nodes that an importer made have the operands of their ops, on which the passes rely.

    Errors: UnsupportedOps with all that have not."""
    _raise_for(graph, _missing_operands)


def _raise_for(graph: Graph, reasons: Callable[[Graph, Node], Iterable[tuple[str, str]]]) -> None:
    found: dict[tuple[str, str], UnsupportedOp] = {}
    for part in (*graph.subgraphs.values(), graph):
        for node in part.nodes:
            for reason, help in reasons(part, node):
                record = found.setdefault((node.op, reason),
                                          UnsupportedOp(node.op, [], reason, help))
                record.nodes.append(node.name)
                break
    if found:
        raise UnsupportedOps("engine", list(found.values()))


def _missing_operands(graph: Graph, node: Node) -> Iterator[tuple[str, str]]:
    op = None if node.is_custom else all_ops().get(node.op)
    reason = "" if op is None else _wrong_operands(node, op)
    if reason:
        yield reason, "the model may be damaged: write it again with its framework"


def refusals(graph: Graph) -> list[str]:
    """Why the engine would refuse nodes on any device."""
    return [reason for node in graph.nodes for reason, _ in _refusals(graph, node)]


def _refusals(graph: Graph, node: Node) -> Iterator[tuple[str, str]]:
    """Reasons and cures, from the schema of the op."""
    if node.is_custom:  # the app's own shape rule decides
        return
    op = all_ops().get(node.op)
    reason = "the engine has no such op" if op is None else _refused(node, op)
    if reason:
        yield reason, HELP
    elif op is not None:
        yield from _wrong_types(graph, node, op)
        yield from _wrong_quantization(graph, node, op)


def _wrong_quantization(graph: Graph, node: Node, op: OpSchema) -> Iterator[tuple[str, str]]:
    """Quantized operands as the op does not take them; see mace/ops/common/quantized.cc."""
    quants = [graph.tensors[name].quant if name else None for name in node.inputs]
    given = [q for q in quants if q is not None]
    if op.on_quantized == "refuses" and given and node.op not in RUN_BY_ENGINE:
        yield "the engine's takes no quantized tensors", DEQUANTIZE
    if op.on_quantized == "computes" and quants and quants[0] is not None \
            and quants[0].axis is not None:
        yield "its input 0 has scales along an axis, the engine's has one scale", ONE_SCALE
    if op.on_quantized == "computes" and any(
            graph.tensors[o].quant is not None and graph.tensors[o].quant.axis is not None
            for o in node.outputs):
        yield "its output has scales along an axis, the engine's has one scale", ONE_SCALE
    if op.on_quantized == "moves" and any(as_key(q) != as_key(given[0]) for q in given):
        yield "its operands are quantized in different ways, the engine's must be alike", DEQUANTIZE


def _refused(node: Node, op: OpSchema) -> str:
    """What is wrong with a node by itself."""
    reason = _wrong_operands(node, op)
    if reason:
        return reason
    if not node.outputs or op.outputs != -1 and len(node.outputs) > op.outputs:
        return f"it has {len(node.outputs)} outputs, the engine's has at most {op.outputs}"
    unknown = sorted(set(node.attrs) - set(op.attrs))
    if unknown:
        return f"the engine's has no attribute {', '.join(unknown)}"
    for name, attr in op.attrs.items():
        value = node.attr(name)
        if not _is_value(attr, value):
            kinds = f"one of {', '.join(attr.choices)}" if attr.choices else f"of type {attr.type}"
            return f"its attribute {name} is {value!r}, the engine's must be {kinds}"
    return ""


def _wrong_operands(node: Node, op: OpSchema) -> str:
    count = len(node.inputs)
    if count < op.min_inputs or op.max_inputs != -1 and count > op.max_inputs:
        return f"it has {count} inputs, the engine's has {_counts(op)}"
    for i, name in enumerate(node.inputs):
        if not name and (i < op.min_inputs or op.max_inputs == -1):
            return f"its input {i} is absent, and the engine requires it"
    return ""


def _is_value(attr: AttrSchema, value: object) -> bool:
    if attr.choices:
        return value in attr.choices.values()
    if attr.type in _LISTS:
        return isinstance(value, list) and all(isinstance(v, _LISTS[attr.type]) for v in value)
    return isinstance(value, _PYTHON[attr.type]) and (attr.type != "bool" or value in (0, 1))


def _wrong_types(graph: Graph, node: Node, op: OpSchema) -> Iterator[tuple[str, str]]:
    """Element types that the op does not take, whatever the device."""
    for i, name in enumerate(node.inputs if op.types else ()):
        rule = op.types[min(i, len(op.types) - 1)]
        if not name:
            continue
        if i and not rule and op.on_quantized == "computes":  # a bias
            first = graph.tensors[node.inputs[0]]
            rule = (first.dtype,) if first.quant is None else ()
        if isinstance(rule, int):
            rule = (graph.tensors[node.inputs[rule]].dtype,)
        what = f"input {i}"
        if i == 0:
            what, rule = _first_types(node, op)
        kind = graph.tensors[name].dtype
        if rule and kind not in rule and graph.tensors[name].quant is None:
            yield _not_in(what, rule, kind)


def _first_types(node: Node, op: OpSchema) -> tuple[str, tuple[str, ...]]:
    """The words for a use of an op in messages, and the types of its first input; (): any."""
    given = op.types_with
    if given is None:
        return "it", op.types[0] if op.types else ()
    value = str(node.attr(given.attr))
    types = given.types if value in given.values else op.types[0]
    return f"{given.attr} {value}", types


def _without_kernel(graph: Graph, node: Node) -> Iterator[tuple[str, str]]:
    """Whether no kernel computes the type of the node's first input."""
    op = all_ops().get(node.op)
    if op is None or node.is_custom or node.op in RUN_BY_ENGINE:
        return
    first = graph.tensors[node.inputs[0] if node.inputs else node.outputs[0]]
    kind = first.dtype
    if first.quant is not None and (op.cpu_quantized or op.on_quantized != "moves"):
        if not takes_quantized(op, kind):
            yield _not_in("it", op.cpu_quantized, f"quantized {kind}")
        return
    if kind not in kernel_types(node):
        yield _not_in(_first_types(node, op)[0], kernel_types(node), kind)


def kernel_types(node: Node) -> tuple[str, ...]:
    """The types of a first input that is not quantized for which there is a kernel."""
    op = all_ops().get(node.op)
    types = _first_types(node, op)[1] if op is not None else ()
    return () if op is None else tuple(t for t in op.cpu if not types or t in types)


def takes_quantized(op: OpSchema, kind: str) -> bool:
    """Whether a kernel takes a quantized first input of this type. Some that move elements are
    those of plain integers."""
    own = op.cpu_quantized or op.on_quantized != "moves"
    return kind in (op.cpu_quantized if own else op.cpu)


def _not_in(what: str, types: tuple[str, ...], kind: str) -> tuple[str, str]:
    return (f"the engine computes {what} in {', '.join(types)}, not in {kind}",
            f"cast its operands to one of these types in the source model, or {HELP}")


def waiting(graph: Graph) -> list[str]:
    """Where the engine's plan waits for data: nodes, each with the operand that it must know."""
    found = []
    for part in (graph, *graph.subgraphs.values()):
        computed = _computed(part)
        for node in part.nodes:
            op = None if node.is_custom else all_ops().get(node.op)
            for i, name in op.known.items() if op is not None else ():
                if (node.has_input(i) and node.inputs[i] in computed
                        and 0 not in (part.shape(node.inputs[i]) or ())):
                    found.append(f"{node} for its {name}")
                    break
    return found


def _computed(graph: Graph) -> set[str]:
    """The tensors that are not known before the model runs: those that are not constant and do not
    follow from constants and shapes."""
    computed = set(graph.inputs)
    for node in graph.nodes:
        op = all_ops().get(node.op)
        if computed & set(node.inputs) and not (op is not None and op.reads_types_only):
            computed.update(node.outputs)
    return computed


def _counts(op: OpSchema) -> str:
    if op.min_inputs == op.max_inputs:
        return str(op.min_inputs)
    return f"{op.min_inputs} {'or more' if op.max_inputs == -1 else f'to {op.max_inputs}'}"
