"""What an engine would do with the steps of a plan, as tables for people.

SPDX-License-Identifier: Apache-2.0
"""

import re
from typing import Any

from mace_tools.support import tables

COLUMNS = (tables.Column("op", least=14), tables.Column("name", least=30),
           tables.Column("device"), tables.Column("kernel", rank=3, least=12),
           tables.Column("stored as", rank=4), tables.Column("MACs(M)", rank=2, right=True),
           tables.Column("why not on the first device", rank=1, least=27))


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
    return (node["op"], name, node["device"], node["kernel"], ", ".join(node["outputs"]), macs,
            reason(node))


def reason(node: dict[str, Any]) -> str:
    """Why it is not on the first device, without the node's name."""
    return re.sub(r"^[\w+]+ '.*?': ", "", node["reason"], flags=re.DOTALL)


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
