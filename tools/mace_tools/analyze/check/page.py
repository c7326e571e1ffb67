"""The web page of `check`.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mace_tools.analyze import reports
from mace_tools.analyze.check import graph, sections
from mace_tools.analyze.check.text import parameters
from mace_tools.analyze.plan.text import amount
from mace_tools.analyze.reports import Html, Tile, table


def render(report: Mapping[str, Any], memory: str, net: Any = None) -> str:
    """`report` is that of --json, `memory` what mace_run says of the plan's memory, `net` the
    NetDef, if the model has been converted."""
    name, plan = Path(report["model"]).name, report["plan"]
    about = [] if report["graph"] is None else _graph(report["graph"])
    parts = [_refused(report), reports.columns(_ends(report), _operators(report), *about),
             *graph.sections(net, plan)]
    if plan is not None:
        parts += [reports.section("What runs where", sections.steps(plan["nodes"])),
                  reports.columns(sections.devices(plan), _library(report)),
                  sections.memory(name, plan, memory)]
    elif report["library"] is not None:
        parts.append(_library(report))
    if report["notes"]:
        parts.append(reports.section("Notes", reports.items(report["notes"])))
    return reports.render(f"Check of {name}", _summary(report), _tiles(report), parts)


def _summary(report: Mapping[str, Any]) -> str:
    source = report["source"]
    made = "A model that MACE converted" if source is None else "A model of " + source[
        "framework"] + (f", opset {source['opset']}" if source["opset"] else "")
    return f"{made}. Nothing ran: this is what the engine would do."


def _tiles(report: Mapping[str, Any]) -> list[Tile]:
    done, graph, plan = report["converts"], report["graph"], report["plan"]
    state = reports.badge("all convert", "good") if done["all"] else reports.badge(
        f"not converted: {done['of'] - done['nodes']}", "bad")
    tiles = [Tile("Nodes that convert", f"{done['nodes']:,} of {done['of']:,}", state)]
    part = " of the part that converts" if done["part"] else ""
    if graph is not None:
        weights = graph["parameters"]
        tiles.append(Tile("Parameters" + part, f"{weights['count']:,}", amount(weights["bytes"])))
    elif report["source"] is not None:
        weights = report["source"]["parameters"]
        tiles.append(Tile("Parameters", f"{weights['count']:,}", amount(weights["bytes"])))
    if plan is not None:
        tiles += [Tile("Multiply-adds" + part, f"{plan['macs'] / 1e6:,.1f} million",
                       f"in {len([n for n in plan['nodes'] if not n['part_of']])} steps"),
                  Tile("Arena", amount(plan["memory"]["arena_bytes"]),
                       f"at least {amount(plan['memory']['lower_bound_bytes'])} are needed")]
    if report["library"] is not None:
        library = report["library"]
        tiles.append(Tile("Library with these ops", amount(library["bytes"]),
                          f"{library['abi']}, {library['how']}"))
    return tiles


def _refused(report: Mapping[str, Any]) -> Html:
    if not report["refused"]:
        return Html("")
    rows = [(one["op"], table.Cell(str(len(one["nodes"])), len(one["nodes"])),
             ", ".join(one["nodes"]), one["reason"], one["cure"]) for one in report["refused"]]
    parts = [table.render("Nodes that cannot be converted", (
        table.Column("operator"), table.Column("nodes", True), table.Column("names"),
        table.Column("why"), table.Column("cure")), rows)]
    part = report["converts"]["part"]
    if part is not None:
        parts += [reports.paragraph(
            f"{part['nodes']} nodes come before these and convert by themselves, with these "
            "output_tensors; what follows is of them."),
            reports.items(part["output_tensors"])]
    return reports.section("Cannot be converted", *parts)


def _ends(report: Mapping[str, Any]) -> Html:
    rows = [(kind, end["name"], end.get("dtype", ""), _shape(end),
             "" if end.get("data_format", "NONE") == "NONE" else end["data_format"],
             end.get("flag", ""))
            for kind, ends in (("input", report["inputs"]), ("output", report["outputs"]))
            for end in ends]
    return reports.section("Inputs and outputs", table.render("Inputs and outputs", (
        table.Column("end"), table.Column("name"), table.Column("type"), table.Column("shape"),
        table.Column("order"), table.Column("flag that fixes it")), rows, has_caption=False))


def _shape(end: Mapping[str, Any]) -> str:
    shape = end.get("stated_shape") if end.get("open") else end.get("shape")
    return "?" if shape is None else "[" + ", ".join(
        "?" if e is None else str(e) for e in shape) + "]"


def _operators(report: Mapping[str, Any]) -> Html:
    source = report["source"]
    if source is None:
        return Html("")
    most = max((n["nodes"] for n in source["ops"].values()), default=1)
    rows = [(op, table.Cell(str(n["nodes"]), n["nodes"], n["nodes"] / most),
             reports.badge(f"{n['refused']} refused", "bad") if n["refused"] else "")
            for op, n in source["ops"].items()]
    return reports.section("Operators of the source", table.render("Operators by count", (
        table.Column("operator"), table.Column("nodes", True), table.Column("state")), rows,
        has_caption=False),
        note=f"Parameters: {parameters(source['parameters'])}")


def _graph(graph: Mapping[str, Any]) -> list[Html]:
    most = max(graph["ops"].values(), default=1)
    ops = table.render(f"Ops of the {graph['nodes']} nodes after conversion", (
        table.Column("op"), table.Column("nodes", True)),
        [(op, table.Cell(str(n), n, n / most)) for op, n in graph["ops"].items()])
    left: Sequence[Mapping[str, Any]] = graph["layout_transposes"]
    parts = [reports.section("Converted graph", ops,
                               note=f"Weights as stored: {parameters(graph['parameters'])}")]
    words = reports.paragraph("None: all nodes work in the order in which their inputs are.")
    if left:
        words = table.render("Transposes between NHWC and NCHW that are left", (
            table.Column("node"), table.Column("to"), table.Column("why")),
            [(one["name"], one["to"], one["why"]) for one in left])
    parts.append(reports.section("Layout transposes", words))
    if graph["custom_ops"]:
        parts.append(reports.section("Custom ops, which the app computes", reports.items(
            [f"{op}: {', '.join(nodes)}" for op, nodes in graph["custom_ops"].items()])))
    return parts


def _library(report: Mapping[str, Any]) -> Html:
    library = report["library"]
    how = {"linked": "The library was built and linked.",
           "estimated": "An estimate from a table of the bytes that each op takes; "
           "--measure_library builds and links the library instead."}[library["how"]]
    quantized = ", with 8-bit kernels" if library["quantized"] else ""
    return reports.section(
        "Library", reports.paragraph(f"{amount(library['bytes'])} for {library['abi']}, stripped"
                                       f"{', with the GPU' if library['gpu'] else ''}"
                                       f"{quantized}."),
        reports.paragraph(f"Ops: {', '.join(library['ops'])}"), note=how)
