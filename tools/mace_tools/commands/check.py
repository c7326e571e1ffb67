"""check: where each node of a model would run, why, and what would move between devices.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import json
import re
from typing import Any

from mace_tools import cli_options as options
from mace_tools import runner, tables
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.prepare import Job, jobs, prepared
from mace_tools.exit_codes import ExitCode, RunFailedError
from mace_tools.importers.request import some

HELP = "say which node of the models would run where and why, without running them"
COLUMNS = (tables.Column("op", least=14), tables.Column("name", least=30),
           tables.Column("device"), tables.Column("kernel", rank=3, least=12),
           tables.Column("stored as", rank=4), tables.Column("MACs(M)", rank=2, right=True),
           tables.Column("why not on the first device", rank=1, least=27))


def add_options(p: argparse.ArgumentParser) -> None:
    options.add_running(p)


def command(context: Context) -> Outcome:
    results = {}
    for job in jobs(context):
        plans: dict[str, Any] = {}
        if job.converted.custom_ops:
            _print_custom_ops(context, job)
            results[job.tag] = job.converted.facts()
            continue
        with prepared(context, job) as ready:
            for device in job.devices:
                text = runner.output(ready.mace_run, [*ready.flags[device], "--dump=plan_json"])
                plans[device] = plan = _parsed(text)
                context.console.banner(f"Check model {job.tag} for the {device.upper()}")
                fitter = tables.Fitter(tables.output_width(context.args.wide))
                for line in [*table(plan["nodes"], fitter), *summary(plan), *fitter.note()]:
                    context.console.data(line)
                if plan["note"]:
                    context.console.warn(f"{job.tag}: {plan['note']}")
        results[job.tag] = job.facts(plans)
    return ExitCode.OK, results


def _print_custom_ops(context: Context, job: Job) -> None:
    """In place of a plan, which needs the shape rules of the app's ops."""
    context.console.banner(f"Check model {job.tag}")
    context.console.data("ops that the app must register before it creates an engine "
                         "(docs/custom_ops.md); they run on the CPU:")
    for op, nodes in job.converted.custom_ops.items():
        context.console.data(f"  {op}: {some(nodes)}")
    context.console.data("where the other nodes run depends on the shapes that these compute: the "
                         "engine of the app shows it with Dump(\"plan\", ...)")


def _parsed(text: str) -> dict[str, Any]:
    try:
        return json.loads(text)
    except ValueError as e:
        raise RunFailedError("mace_run --dump=plan_json printed no plan; it may be of another "
                             "version: leave out --mace_run to have it built") from e


def table(nodes: list[dict[str, Any]], fitter: tables.Fitter) -> list[str]:
    """One line for each step, in the order of execution; fused nodes are one step.
    If the width is limited, names are shortened and lack the path that most of them share."""
    steps = [node for node in nodes if not node.get("part_of")]
    path = tables.common_path([n["name"] for n in steps]) if fitter.width else ""
    lines = fitter.lines(COLUMNS, [_row(n, path, fold=bool(fitter.width)) for n in steps])
    note = [f"(names are those below '{path}')"] if path else []
    if fitter.width and any("+" in n["op"] for n in steps):
        note.append("([n] name: a step of n nodes that ends with that one)")
    return [lines[0], "-" * max(map(len, lines)), *lines[1:], *note]


def _row(node: dict[str, Any], path: str, fold: bool) -> tuple[str, ...]:
    macs = f"{node['macs'] / 1e6:.2f}" if node["macs"] else ""
    name = tables.folded(node["op"], node["name"], path) if fold else node["name"]
    reason = re.sub(r"^[\w+]+ '.*?': ", "", node["reason"], flags=re.DOTALL)
    return (node["op"], name, node["device"], node["kernel"], ", ".join(node["outputs"]), macs,
            reason)


def product_types(nodes: list[dict[str, Any]]) -> list[str]:
    """The types in which the CPU multiplies, if some products have 16 bits, by the names of the
    micro- kernels, as in "gemm_bf16_14x32__avx512bf16 packing rows"."""
    found: dict[str, list[dict[str, Any]]] = {}
    for node in nodes:
        match = re.search(r"\bgemm_(bf16|f16|f32)_", node["kernel"])
        if match:
            found.setdefault(match[1], []).append(node)
    stored = {n["stored"] for n in nodes if n["stored"]}
    if stored and set(found) == {"f32"}:
        return [f"weights are stored as {' and '.join(sorted(stored))}; products are of float32, "
                "which this CPU multiplies at least as fast"]
    if set(found) <= {"f32"}:
        return []
    counts = [f"{len(own)} steps in {name}, {sum(n['macs'] for n in own) / 1e6:.2f} million "
              "multiply-adds" for name, own in sorted(found.items())]
    return ["products by the cheapest type on this CPU: " + "; ".join(counts)]


def summary(plan: dict[str, Any]) -> list[str]:
    """The work of each device, and its cost in memory and transfers."""
    lines = [""]
    for device in dict.fromkeys(n["device"] for n in plan["nodes"]):
        own = [n for n in plan["nodes"] if n["device"] == device]
        macs = sum(n["macs"] for n in own) / 1e6
        lines.append(f"{device}: {len(own)} of {len(plan['nodes'])} nodes, {macs:.2f} million "
                     "multiply-adds")
    lines += product_types(plan["nodes"])
    moves = plan["moves"]
    if moves:
        moved = sum(m["bytes"] for m in moves)
        lines.append(f"between devices: {len(moves)} tensors, {moved} bytes in each run")
        lines += [f"  '{m['tensor']}' to the {m['to']}: {m['bytes']} bytes" for m in moves]
    if plan["num_images"]:
        lines.append(f"images: {plan['num_images']}, {plan['image_bytes']} bytes")
    lines.append(f"arena on the CPU: {plan['arena_bytes']} bytes")
    return lines
