"""The web page of `benchmark`: time by layer, roofline, devices and memory.

SPDX-License-Identifier: Apache-2.0
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mace_tools.analyze import reports
from mace_tools.analyze.check import graph, sections
from mace_tools.analyze.plan.text import amount, duration
from mace_tools.analyze.reports import Html, Tile, chart, palette, table
from mace_tools.analyze.reports.chart import Axis, Point, Series
from mace_tools.support.tables import folded


@dataclass(frozen=True)
class Limits:
    """What the machine can do at most: `gflops` of multiply-adds (two operations each), and
    `gbps` of memory, in 10^9 bytes a second."""

    gflops: float
    gbps: float
    source: str  # how they are known


def measured(machine: Mapping[str, Any]) -> Limits:
    """Those of mace_run --machine."""
    threads = machine["threads"]
    return Limits(machine["gflops"], machine["memory_gbps"],
                  "measured on this CPU right after the benchmark, with "
                  f"{threads} thread{'s' if threads != 1 else ''} (mace_run --machine)")


def derived(ops: Sequence[Mapping[str, Any]]) -> Limits | None:
    """The best that any step of the run reached, where the machine cannot be measured."""
    gflops = max((op["gflops"] for op in ops), default=0.0)
    gbps = max((op["bytes"] / op["avg_us"] / 1000 for op in ops if op["avg_us"] > 0), default=0.0)
    if not gflops or not gbps:
        return None
    return Limits(gflops, gbps, "derived from this run: the most that any step of it reached; the "
                  "device may be able to do more")


def render(
    name: str, device: str, result: Mapping[str, Any], plan: Mapping[str, Any], memory: str,
    limits: Limits | None, net: Any = None,
) -> str:
    """`result` is what mace_run --benchmark says, `plan` and `memory` are of engine.plan, `net` is
    the NetDef."""
    ops = result["ops"]
    total = sum(op["avg_us"] for op in ops) or 1.0
    kinds = _by_kind(ops)
    color = palette.color_of([kind for kind, *_ in kinds])
    parts = [reports.section("Time by layer", _layers(ops, total, color, device),
                               note="The mean of all runs with statistics; steps of several nodes "
                               "are named after the last one."),
             reports.columns(_kinds(kinds, total, color), sections.devices(plan)),
             graph.run_timeline(ops, color), *graph.sections(net, plan, ops)]
    if limits is not None:
        parts.append(_roofline(ops, limits, color))
    parts.append(sections.memory(name, plan, memory))
    where = "On the CPU." if device == "cpu" else (
        "On the GPU, with the CPU for what the GPU cannot do or what does not pay there.")
    return reports.render(f"Benchmark of {name}", where,
                            _tiles(result, plan, total), parts)


def _tiles(result: Mapping[str, Any], plan: Mapping[str, Any], total: float) -> list[Tile]:
    run, macs = result["run"], plan["macs"]
    middle, least = (duration(1000 * run[key]) for key in ("median", "min"))
    tiles = [Tile("Time of a run", duration(1000 * run["avg"]),
                  f"median {middle}, fastest {least}, of {run['count']} runs"),
             Tile("Speed", f"{2 * macs / (run['avg'] or 1) / 1e6:,.1f} GFLOP/s",
                  f"{macs / 1e6:,.1f} million multiply-adds"),
             Tile("Sum of the steps", duration(total),
                  f"{len(result['ops'])} steps, with the clock read at each")]
    if result.get("init_ms") is not None:
        tiles.append(Tile("Creating the engine", duration(1000 * result["init_ms"]), "once"))
    arena = plan["memory"]["arena_bytes"]
    return [*tiles, Tile("Arena", amount(arena), "for all inner tensors")]


def _unit(total: float) -> tuple[str, float]:
    """In which times are shown, and its microseconds."""
    return ("µs", 1.0) if total < 1000 else ("ms", 1000.0)


def _by_kind(ops: Sequence[Mapping[str, Any]]) -> list[tuple[str, float, int, int]]:
    """Kind, microseconds, steps and multiply-adds, the slowest kind first."""
    found: dict[str, list[float]] = defaultdict(lambda: [0.0, 0, 0])
    for op in ops:
        own = found[op["type"]]
        own[0], own[1], own[2] = own[0] + op["avg_us"], own[1] + 1, own[2] + op["macs"]
    rows = [(kind, us, int(count), int(macs)) for kind, (us, count, macs) in found.items()]
    return sorted(rows, key=lambda row: -row[1])


def _layers(
    ops: Sequence[Mapping[str, Any]], total: float, color: Mapping[str, str], device: str
) -> Html:
    most = max((op["avg_us"] for op in ops), default=0) or 1
    several, (unit, scale) = len({op["device"] for op in ops}) > 1, _unit(total)
    columns = (table.Column("step", True, "in the order of execution"), table.Column("op"),
               table.Column("name"), table.Column("device"), table.Column("kernel"),
               table.Column("output"), table.Column(unit, True, "the mean of all runs"),
               table.Column("%", True, "of the sum of all steps"),
               table.Column(f"fastest {unit}", True), table.Column("multiply-adds (million)", True),
               table.Column("GFLOP/s", True))
    rows = [(table.Cell(str(k), k), op["type"], folded(op["type"], op["name"]),
             op["device"] if several or op["device"].lower() != device else "", op["kernel"],
             _shape(op["output_shape"]),
             table.Cell(f"{op['avg_us'] / scale:.3f}", op["avg_us"], op["avg_us"] / most,
                        color[op["type"]]),
             table.Cell(f"{100 * op['avg_us'] / total:.1f}", op["avg_us"]),
             table.Cell(f"{op['min_us'] / scale:.3f}", op["min_us"]),
             table.Cell(sections.millions(op["macs"]), op["macs"]),
             table.Cell(f"{op['gflops']:.1f}" if op["macs"] else "", op["gflops"]))
            for k, op in enumerate(ops)]
    return table.render("Steps in the order of execution", columns, rows)


def _shape(shape: Any) -> str:
    extents = shape[0] if shape and isinstance(shape[0], list) else shape
    return f"[{', '.join(map(str, extents))}]" if extents else ""


def _kinds(
    kinds: Sequence[tuple[str, float, int, int]], total: float, color: Mapping[str, str]
) -> Html:
    unit, scale = _unit(total)
    rows = [(kind, table.Cell(f"{us / scale:.3f}", us, us / (kinds[0][1] or 1), color[kind]),
             table.Cell(f"{100 * us / total:.1f}", us), table.Cell(str(count), count),
             table.Cell(f"{2 * macs / us / 1000:.1f}" if macs and us else "",
                        2 * macs / us if us else 0)) for kind, us, count, macs in kinds]
    return reports.section("Time by kind of step", table.render("Kinds, the slowest first", (
        table.Column("op"), table.Column(unit, True), table.Column("%", True),
        table.Column("steps", True), table.Column("GFLOP/s", True)), rows))


def _roofline(
    ops: Sequence[Mapping[str, Any]], limits: Limits, color: Mapping[str, str]
) -> Html:
    """A dot for each step that multiplies, and the limit for each ratio of work to bytes."""
    own = [op for op in ops if op["macs"] and op["bytes"] and op["gflops"] > 0]
    note = (f"Limits: {limits.gflops:,.0f} GFLOP/s and {limits.gbps:,.1f} GB/s, {limits.source}. A "
            "multiply-add is two operations; Winograd's and Strassen's methods need fewer "
            "than are counted here, and so may be above the line. Bytes are those of a step's "
            "inputs, weights and outputs, which may be in the caches.")
    if not own:
        return reports.section("Roofline", reports.paragraph(
            "No step of this model multiplies."), note=note)
    ratios = [op["macs"] / op["bytes"] for op in own]
    knee = limits.gflops / limits.gbps / 2
    low, high = min(*ratios, knee) / 1.6, max(*ratios, knee) * 1.6
    bottom = min(*(op["gflops"] for op in own), 2 * low * limits.gbps) / 1.6
    top = max(*(op["gflops"] for op in own), limits.gflops) * 1.6
    most = max(op["avg_us"] for op in own)
    dots = tuple(Point(ratio, op["gflops"], f"{folded(op['type'], op['name'])}: "
                       f"{op['gflops']:.1f} GFLOP/s, {ratio:.2f} multiply-adds per byte, "
                       f"{duration(op['avg_us'])}", color[op["type"]],
                       3.5 + 7 * (op["avg_us"] / most) ** 0.5)
                 for ratio, op in sorted(zip(ratios, own), key=lambda pair: -pair[1]["avg_us"]))
    line = (Point(low, 2 * low * limits.gbps), Point(knee, limits.gflops),
            Point(high, limits.gflops))
    used = {op["type"] for op in own}
    legend = [(c, kind) for kind, c in color.items() if kind in used and c != palette.OTHER]
    if any(color[kind] == palette.OTHER for kind in used):
        legend.append((palette.OTHER, "other"))
    drawn = chart.render(
        f"Roofline of {len(own)} steps; the table of layers has their numbers",
        Axis("multiply-adds per byte", low, high, is_log=True),
        Axis("GFLOP/s", bottom, top, is_log=True), [Series("limit", line), Series("dots", dots)],
        "A dot is a step; its area is its share of the time. The dashed line is the limit.", legend)
    return reports.section("Roofline", drawn, note=note)
