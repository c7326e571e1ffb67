"""What `check MODEL` prints.

SPDX-License-Identifier: Apache-2.0
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from mace_tools.analyze.check import plan_text
from mace_tools.analyze.plan.text import amount
from mace_tools.support import tables
from mace_tools.support.tables import printable, shortened

SHOWN_NODES = 4  # of each kind of node that cannot be converted
NAME = 48  # the most characters of a node's name where the width is limited


def lines(report: Mapping[str, Any], width: int) -> list[str]:
    """The report; 0: lines of any length."""
    found = [*_head(report), "", *_ends("input", report["inputs"]),
             *_ends("output", report["outputs"])]
    source = report["source"]
    if source is not None:
        found += ["", f"parameters of the source: {parameters(source['parameters'])}"]
        found += _wrapped("operators: ", counts({op: n["nodes"] for op, n in
                                                 source["ops"].items()}), width)
    found += _refused(report, width)
    if report["graph"] is not None:
        found += _graph(report["graph"], width)
    if report["plan"] is not None:
        found += _plan(report["plan"], width)
    return [*found, *_library(report["library"])]


def _head(report: Mapping[str, Any]) -> list[str]:
    done, source = report["converts"], report["source"]
    made = "a model that MACE converted" if source is None else source["framework"] + (
        f" opset {source['opset']}" if source["opset"] else "")
    if done["all"]:
        return [printable(f"{report['model']}: {made}, {done['of']} nodes, all convert")]
    out = [printable(f"{report['model']}: {made}, {done['of']} nodes, of which "
                     f"{done['of'] - done['nodes']} cannot be converted")]
    if done["part"] is not None:
        out.append(f"{done['part']['nodes']} nodes come before these and convert by themselves, "
                   "with these output_tensors; what is reported of")
        out.append("the converted graph is of them:")
        out += [f"  {printable(name)}" for name in done["part"]["output_tensors"]]
    return out


def _ends(kind: str, ends: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    for end in ends:
        shape = end.get("stated_shape") if end.get("open") else end.get("shape")
        extents = "?" if shape is None else ",".join("?" if e is None else str(e) for e in shape)
        order = end.get("data_format", "NONE")
        words = [kind, printable(end["name"]), end.get("dtype", ""),
                 "" if "shape" not in end else f"[{extents}]", "" if order == "NONE" else order]
        found.append("  ".join(w for w in words if w))
        if end.get("open"):
            found.append(f"  its shape is open: fix it by {printable(end['flag'])}, with a number "
                         "for each ?")
    return found


def parameters(found: Mapping[str, Any]) -> str:
    """The number of weights, and their bytes by type."""
    types = ", ".join(f"{name} {amount(own['bytes'])}" for name, own in found["by_type"].items())
    return f"{found['count']:,}" + (f" ({types})" if types else "")


def counts(ops: Mapping[str, int]) -> str:
    return ", ".join(f"{printable(op)} {count}" for op, count in ops.items()) or "none"


def _refused(report: Mapping[str, Any], width: int) -> list[str]:
    if not report["refused"]:
        return []
    found = ["", "cannot be converted:"]
    for one in report["refused"]:
        names = ", ".join(f"'{_short(n, width)}'" for n in one["nodes"][:SHOWN_NODES])
        more = len(one["nodes"]) - SHOWN_NODES
        found += _wrapped(f"  {printable(one['op'])} x{len(one['nodes'])}: ",
                          names + (f", ... {more} more" if more > 0 else ""), width)
        found += _wrapped("    why:  ", printable(one["reason"]), width)
        found += _wrapped("    help: ", printable(one["cure"]), width) if one["cure"] else []
    return found


def _graph(graph: Mapping[str, Any], width: int) -> list[str]:
    found = ["", *_wrapped(f"converted: {graph['nodes']} nodes: ", counts(graph["ops"]), width),
             f"weights as stored: {parameters(graph['parameters'])}"]
    for op, nodes in graph["custom_ops"].items():
        found.append(f"custom op {printable(op)}: {len(nodes)} nodes; the app computes it")
    left = graph["layout_transposes"]
    found.append(f"layout transposes left: {len(left) or 'none'}")
    for one in left:
        found += _wrapped(f"  '{printable(one['name'])}' to {one['to']}: ", printable(one["why"]),
                          width)
    return found


def _plan(plan: Mapping[str, Any], width: int) -> list[str]:
    fitter, memory = tables.Fitter(width), plan["memory"]
    flat = {**plan, **{key: memory[key] for key in ("arena_bytes", "num_images", "image_bytes")}}
    found = ["", *plan_text.table(plan["nodes"], fitter), *plan_text.summary(flat), *fitter.note()]
    found.append(f"multiply-adds: {plan['macs']:,}")
    found.append(f"anonymous memory: {amount(memory['anonymous_bytes'])}, mapped from files: "
                 f"{amount(memory['mapped_bytes'])}")
    if memory["peak_holders"]:
        found.append(f"most is live at {printable(memory['peak_node'])}: "
                     f"{amount(memory['peak_bytes'])}")
        found += [f"  {amount(h['bytes'])}  {printable(h['name'])}"
                  for h in memory["peak_holders"]]
    return found + ([plan["note"]] if plan["note"] else [])


def _library(library: Mapping[str, Any] | None) -> list[str]:
    if library is None:
        return []
    about = {"linked": "measured: built and linked",
             "estimated": "an estimate from the bytes of each op; --measure_library links it"}
    return ["", f"library with these {len(library['ops'])} ops: {amount(library['bytes'])} for "
            f"{library['abi']} ({about[library['how']]})"]


def _short(name: str, width: int) -> str:
    """TFLite joins the names of all nodes from which one was made."""
    return shortened(printable(name.split(";")[0]), NAME) if width else printable(name)


def _wrapped(head: str, words: str, width: int) -> list[str]:
    """Lines of limited length, of which the later ones are indented as the head is long."""
    if not width:
        return [head + words]
    indent = " " * min(len(head), 12)
    return textwrap.wrap(head + words, max(width, 40), subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)
