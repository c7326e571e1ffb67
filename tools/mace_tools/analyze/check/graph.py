"""The graph of a converted model and the timeline of a run, for the pages of check and benchmark.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mace_tools.analyze import reports
from mace_tools.analyze.check.engine import type_name
from mace_tools.analyze.check.plan_text import reason
from mace_tools.analyze.plan.text import duration
from mace_tools.analyze.reports import Html, graph_view, palette, timeline
from mace_tools.analyze.reports.graph_view import Amounts, Graph, Node
from mace_tools.support.tables import folded

_NOTE = ("Constants are not drawn. Nodes that one kernel runs are a step; the time of a step is "
         "that of each of its nodes.")


@dataclass(frozen=True)
class Run:
    """What the engine does with each node, and how long the steps took, as far as it is known."""

    steps: Mapping[str, Mapping[str, Any]]  # of the plan, by node
    times: Mapping[str, float]  # microseconds, by step

    @staticmethod
    def of(plan: Mapping[str, Any] | None, ops: Sequence[Mapping[str, Any]] = ()) -> Run:
        """`ops` are those of mace_run --benchmark."""
        steps = {} if plan is None else {step["name"]: step for step in plan["nodes"]}
        return Run(steps, {op["name"]: op["avg_us"] for op in ops})

    def step_of(self, name: str) -> Mapping[str, Any] | None:
        own = self.steps.get(name)
        return None if own is None else self.steps.get(own["part_of"], own)

    def time_of(self, name: str) -> float | None:
        step = self.step_of(name)
        return None if step is None else self.times.get(step["name"])


def sections(net: Any, plan: Mapping[str, Any] | None,
             ops: Sequence[Mapping[str, Any]] = ()) -> list[Html]:
    """The graph, and those of branches and loops below it; nothing if there is no NetDef."""
    if net is None:
        return []
    run = Run.of(plan, ops)
    constants = {t.name: f"{type_name(t.stored_type if t.HasField('stored_type') else t.data_type)}"
                         f"{list(t.dims)}" for t in net.tensors}
    parts = [reports.section("Graph", graph_view.render("The converted graph",
                                                        _graph(net, constants, run)), note=_NOTE)]
    return parts + [reports.folded(f"Graph of subgraph {part.name}", graph_view.render(
        f"Subgraph {part.name}", _graph(part, constants, run))) for part in net.subgraphs]


def _graph(net: Any, constants: Mapping[str, str], run: Run) -> Graph:
    types = {info.name: _type(info.data_type, info.dims)
             for info in (*net.input_info, *net.output_info)}
    for op in net.op:
        for name, kind, shape in zip(op.output, op.output_type, op.output_shape):
            types.setdefault(name, _type(kind, shape.dims))
    nodes = [Node(i.name, "input", (), ((i.name, types[i.name]),), is_end=True)
             for i in net.input_info]
    kinds, devices = [""] * len(nodes), [""] * len(nodes)
    elements, times = [types[i.name].split("[")[0] for i in net.input_info], [None] * len(nodes)
    for op in net.op:
        step = run.steps.get(op.name)
        nodes.append(Node(op.name, op.type, [(n, types.get(n) or constants.get(n, ""))
                                             for n in op.input if n],
                          [(n, types.get(n, "")) for n in op.output], _details(op, run)))
        kinds.append(op.type)
        devices.append("" if step is None else step["device"])
        elements.append(types.get(op.output[0], "").split("[")[0] if op.output else "")
        times.append(run.time_of(op.name))
    for info in net.output_info:
        nodes.append(Node(info.name, "output", ((info.name, types[info.name]),), is_end=True))
        for of_node in (kinds, devices, times, elements):
            of_node.append(None if of_node is times else "")
    return Graph(nodes, _colors(kinds, devices, elements, times))


def _colors(kinds: Sequence[str], devices: Sequence[str], elements: Sequence[str],
            times: Sequence[float | None]) -> list[graph_view.Kinds | Amounts]:
    found: list[graph_view.Kinds | Amounts] = [palette.by_kind("op", kinds)]
    if any(devices):
        found.append(palette.by_kind("device", devices))
    found.append(palette.by_kind("data type", elements))
    most = max((t for t in times if t is not None), default=0.0)
    if most > 0:
        found.insert(0, Amounts("time", "0", duration(most),
                                [None if t is None else t / most for t in times]))
    return found


def _type(kind: int, dims: Sequence[int]) -> str:
    return f"{type_name(kind)}[{', '.join('?' if d < 0 else str(d) for d in dims)}]"


def _details(op: Any, run: Run) -> list[tuple[str, str]]:
    own, step = run.steps.get(op.name), run.step_of(op.name)
    found: list[tuple[str, str]] = []
    if own is not None and step is not None:
        found = [("device", own["device"]), ("kernel", step["kernel"]),
                 ("why here", reason(dict(own))), ("part of step", own["part_of"]),
                 ("stored as", ", ".join(own["outputs"])), ("weights stored as", own["stored"]),
                 ("multiply-adds", f"{own['macs']:,}" if own["macs"] else "")]
        time = run.time_of(op.name)
        if time is not None:
            found.insert(0, ("time of the step" if own["part_of"] else "time", duration(time)))
    found += [(arg.name, _value(arg)) for arg in op.arg]
    return [(label, value) for label, value in found if value]


def _value(arg: Any) -> str:
    if arg.type in (arg.FLOATS, arg.INTS):
        values = list(arg.floats if arg.type == arg.FLOATS else arg.ints)
        return ", ".join(f"{v:g}" if arg.type == arg.FLOATS else str(v) for v in values[:32]) + (
            f" and {len(values) - 32} more" if len(values) > 32 else "")
    if arg.type == arg.FLOAT:
        return f"{arg.f:g}"
    return str(arg.i) if arg.type == arg.INT else arg.s.decode(errors="replace")


def run_timeline(ops: Sequence[Mapping[str, Any]], color: Mapping[str, str]) -> Html:
    """When each step of a run began and how long it took, by device."""
    bars = [timeline.Bar(op["device"], folded(op["type"], op["name"]), op["start_us"],
                         op["avg_us"], color[op["type"]],
                         f"{op['type']}, kernel {op['kernel'] or 'without a name'}")
            for op in ops]
    return reports.section(
        "Timeline", timeline.render("Steps of a run over time", "µs", bars),
        note="The means of all runs with statistics, from the start of the first step on.")
