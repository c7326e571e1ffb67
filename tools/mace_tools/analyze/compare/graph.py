"""The compared graph on the page of `compare`, with the error of each layer.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Sequence

from mace_tools.analyze import reports
from mace_tools.analyze.compare import text
from mace_tools.analyze.compare.layers import Measured, Study
from mace_tools.analyze.reports import Html, graph_view, palette
from mace_tools.analyze.reports.graph_view import Amounts, Graph, Kinds, Node
from mace_tools.analyze.validate import Comparison
from mace_tools.graph.ir import Tensor

_VERDICTS = (("agrees", "#44aa99"), ("wrong", "#cc6677"))


def section(study: Study, layers: Sequence[Measured]) -> Html:
    """Colours by error, if any layer was measured, by verdict, op and data type."""
    by_node = {node.name: one for one in layers for node in one.layer.nodes}
    graph, tensors = study.graph, study.graph.tensors
    types = {name: _type(tensor) for name, tensor in tensors.items()}
    nodes = [Node(name, "input", (), ((name, types[name]),), is_end=True) for name in graph.inputs]
    found: list[Measured | None] = [None] * len(nodes)
    for node in graph.nodes:
        one = by_node.get(node.name)
        nodes.append(Node(node.name, node.op, [(n, types[n]) for n in node.inputs if n],
                          [(n, types[n]) for n in node.outputs], _details(study, one)))
        found.append(one)
    ops = [*[""] * len(graph.inputs), *(n.op for n in graph.nodes), *[""] * len(graph.outputs)]
    elements = [types[n.writes[0][0]].split("[")[0] if n.writes else "" for n in nodes]
    for name in graph.outputs:
        nodes.append(Node(name, "output", ((name, types[name]),), is_end=True))
        found.append(None)
        elements.append("")
    colors = [*_colors(found), palette.by_kind("op", ops), palette.by_kind("data type", elements)]
    return reports.section(
        "Graph", graph_view.render("The compared graph", Graph(nodes, colors)),
        note="A layer that several nodes compute has one error. Constants are not drawn.")


def _colors(found: Sequence[Measured | None]) -> list[Amounts | Kinds]:
    shown = [None if one is None else one.shown for one in found]
    errors = [None if c is None or not math.isfinite(c.max_rel_error) else c.max_rel_error
              for c in shown]
    known = [e for e in errors if e]
    verdicts = [None if one is None else int(bool(one.wrong or one.problem)) for one in found]
    if not any(one is not None for one in found):
        return []
    parts: list[Amounts | Kinds] = [Kinds("verdict", _VERDICTS, verdicts)]
    if known:
        low, high = math.log10(min(known)), math.log10(max(known))
        span = (high - low) or 1.0
        parts.insert(0, Amounts("error of the layer", f"{min(known):.1g}", f"{max(known):.1g}", [
            # What is not finite is as bad as it gets.
            (1.0 if c is not None and not math.isfinite(c.max_rel_error) else
             None if e is None else (math.log10(e) - low) / span if e else 0.0)
            for c, e in zip(shown, errors)]))
    return parts


def _details(study: Study, one: Measured | None) -> list[tuple[str, str]]:
    if one is None:
        return []
    rows = [("verdict", text.word(one)), ("limit exceeded", one.wrong), ("problem", one.problem),
            ("tensor of the reference", study.reference.names.get(one.layer.tensor, "")),
            ("computed by", ", ".join(n.name for n in one.layer.nodes))]
    for label, found in (("alone", one.alone), ("in the model", one.whole)):
        rows += _errors(label, found)
    return [(label, value) for label, value in rows if value]


def _errors(label: str, found: Comparison | None) -> list[tuple[str, str]]:
    if found is None:
        return []
    return [(f"relative error {label}", f"{found.max_rel_error:.3g}"),
            (f"absolute error {label}", f"{found.max_abs_error:.3g}"),
            (f"SQNR {label}", f"{found.sqnr_db:.1f} dB")]


def _type(tensor: Tensor) -> str:
    shape = "?" if tensor.shape is None else ", ".join("?" if d is None else str(d)
                                                       for d in tensor.shape)
    return f"{tensor.dtype}[{shape}]"
