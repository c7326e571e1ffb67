"""Compares a model's runs on the CPU and on another device: latencies and outputs.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mace_tools.analyze import validate
from mace_tools.analyze.validate import Limits
from mace_tools.config.schema import Model
from mace_tools.support.console import Console

# Rows of latencies: their titles, and their keys in the report of a run.
LATENCIES = {"init": ("starts", "init_ms"), "first run": ("starts", "warmup_ms"),
             "average": ("latency", "avg_ms"), "fastest": ("latency", "min_ms")}  # fmt: skip
ERRORS = ("similarity", "max abs error", "max rel error")


def compare(
    console: Console, tag: str, model: Model, runs: Mapping[str, dict[str, Any]],
    outputs: Mapping[str, Mapping[str, np.ndarray]],
) -> dict[str, Any]:
    """Prints the table and warns of outputs that differ; returns the report for --json."""
    other = next(device for device in outputs if device != "cpu")
    cpu, found_there = outputs["cpu"], outputs[other]
    found = [validate.compare(name, found_there[name], cpu[name]) for name in cpu]
    for line in table(tag, other, runs, found):
        console.data(line)
    allowed = limits(other, model)
    results, agree, device = [], True, other.upper()
    for one in found:
        ok = not one.failure(allowed)
        agree = agree and ok
        results.append({**one.report(), "passed": ok})
        if not ok:
            console.warn(f"{tag}: the {device}'s '{one.output}' differs from the CPU's: "
                         + (one.problem or f"similarity {one.similarity:.6f} (above "
                            f"{allowed.similarity:g} is expected), relative error "
                            f"{one.max_rel_error:.3g} (at most {allowed.error:g} is)"))
    if _kernels(runs[other]) == 0:
        console.warn(f"{tag}: nothing ran on the {device}, so both runs are the CPU's; "
                     f"`tools/converter.py check --device={other}` says why")
    return {"agree": agree, "min_similarity": allowed.similarity, "max_rel_error": allowed.error,
            f"{other}_kernels": _kernels(runs[other]), "outputs": results}


def limits(other: str, model: Model) -> Limits:
    """How close to the CPU. MACE's executor for DSPs has the bits of its CPU."""
    if other == "dsp":
        return Limits(1.0, 0.0, is_given=True)
    return validate.limits(other, model.validation_threshold)


def table(
    tag: str, other: str, runs: Mapping[str, dict[str, Any]],
    found: Sequence[validate.Comparison],
) -> list[str]:
    """Latencies of each device, then the errors of each output."""
    rows = [(tag, *(f"{device.upper()} (ms)" for device in runs))]
    for title, (part, key) in LATENCIES.items():
        rows.append((title, *(_milliseconds(run[part], key) for run in runs.values())))
    errors = [(f"{other.upper()} against CPU", *ERRORS)]
    errors += [(one.output, f"{one.similarity:.6f}", f"{one.max_abs_error:.3g}",
                f"{one.max_rel_error:.3g}") for one in found]
    widths = [max(len(row[k]) for row in [*rows, *errors] if k < len(row)) for k in range(4)]
    lines = ["  ".join([row[0].ljust(widths[0]),
                        *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:]))])
             for row in [*rows, *errors]]
    rule = "-" * max(map(len, lines))
    return [rule, lines[0], rule, *lines[1 : len(rows)], rule, lines[len(rows)], rule,
            *lines[len(rows) + 1 :], rule]


def _milliseconds(part: Any, key: str) -> str:
    """A cell of a summary, or of the last start."""
    value = (part[-1] if isinstance(part, list) else part).get(key)
    return "" if value is None else f"{value:.3f}"


def _kernels(run: Mapping[str, Any]) -> int | None:
    """The nodes that ran on the other device in the last run; None if mace_run does not say."""
    return run["starts"][-1].get("last_run", {}).get("kernels")
