"""check: which node of a model would run where, why, and what would move between devices.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from mace_tools import cli_options as options
from mace_tools import runner
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.prepare import jobs, prepared
from mace_tools.exit_codes import ExitCode, RunFailedError

HELP = "say which node of the models would run where and why, without running them"
COLUMNS = ("node", "device", "kernel", "stored as", "MACs(M)", "why not on the first device")


def add_options(p: argparse.ArgumentParser) -> None:
    options.add_running(p)


def command(context: Context) -> Outcome:
    results = {}
    for job in jobs(context):
        plans = {}
        with prepared(context, job) as ready:
            for device in job.devices:
                text = runner.output(ready.mace_run, [*ready.flags[device], "--dump=plan_json"])
                plans[device] = plan = _parsed(text)
                context.console.banner(f"Check model {job.tag} for the {device.upper()}")
                for line in [*table(plan["nodes"]), *summary(plan)]:
                    context.console.data(line)
                if plan["note"]:
                    context.console.warn(f"{job.tag}: {plan['note']}")
        results[job.tag] = job.facts(plans)
    return ExitCode.OK, results


def _parsed(text: str) -> dict[str, Any]:
    try:
        return json.loads(text)
    except ValueError as e:
        raise RunFailedError("mace_run --dump=plan_json printed no plan; it may be of another "
                             "version: leave out --mace_run to have it built") from e


def table(nodes: list[dict[str, Any]]) -> list[str]:
    """A line for each node, in the order of running."""
    rows = [COLUMNS, *(_row(node) for node in nodes)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS) - 1)]
    lines = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[-1]]).rstrip()
             for row in rows]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def _row(node: dict[str, Any]) -> tuple[str, ...]:
    macs = f"{node['macs'] / 1e6:.2f}" if node["macs"] else ""
    label = f"{node['op']} '{node['name']}'"
    return (label, node["device"], node["kernel"], ", ".join(node["outputs"]), macs,
            node["reason"].removeprefix(f"{label}: "))


def summary(plan: dict[str, Any]) -> list[str]:
    """What each device does, and what that costs in memory and moves."""
    lines = [""]
    for device in dict.fromkeys(n["device"] for n in plan["nodes"]):
        own = [n for n in plan["nodes"] if n["device"] == device]
        macs = sum(n["macs"] for n in own) / 1e6
        lines.append(f"{device}: {len(own)} of {len(plan['nodes'])} nodes, {macs:.2f} million "
                     "multiply-adds")
    moves = plan["moves"]
    if moves:
        moved = sum(m["bytes"] for m in moves)
        lines.append(f"between devices: {len(moves)} tensors, {moved} bytes in each run")
        lines += [f"  '{m['tensor']}' to the {m['to']}: {m['bytes']} bytes" for m in moves]
    if plan["num_images"]:
        lines.append(f"images: {plan['num_images']}, {plan['image_bytes']} bytes")
    lines.append(f"arena on the CPU: {plan['arena_bytes']} bytes")
    return lines
