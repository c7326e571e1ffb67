"""Result files, and tables for people.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.emit import atomic_files
from mace_tools.errors import MaceError
from mace_tools.os_errors import explain
from mace_tools.tables import shortened

TOP = 5


def check_writable(path: Path, flag: str) -> None:
    """Checks that a file can be written, before the work is done. Errors: MaceError."""
    folder = path.parent
    if path.is_dir():
        raise MaceError(f"{flag}={path} is a folder; name a file in it")
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        state = "cannot be written" if folder.is_dir() else "does not exist"
        raise MaceError(f"{flag}={path}: the folder {folder} {state}")


def make_folder(path: Path, flag: str) -> None:
    """The same for an output folder. Errors: MaceError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise MaceError(f"{flag}={path}: {explain(e, path, writing=True)}") from e
    if not os.access(path, os.W_OK | os.X_OK):
        raise MaceError(f"{flag}={path}: the folder cannot be written")


def write_json(path: Path, facts: dict[str, Any]) -> None:
    """Writes a complete file or nothing. NaN and infinity become null, because JSON has neither."""
    text = json.dumps(_plain(facts), indent=1, allow_nan=False) + "\n"
    with atomic_files(path) as (out,):
        out.write(text.encode())


def latency_summary(runs_ms: Sequence[float]) -> dict[str, float]:
    """The figures of --json for a series of runs."""
    ordered = sorted(runs_ms)
    if not ordered:
        return {}
    return {
        "runs": len(ordered),
        "avg_ms": statistics.fmean(ordered),
        "min_ms": ordered[0],
        "max_ms": ordered[-1],
        "p50_ms": statistics.median(ordered),
        "p90_ms": ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))],
    }


def top_labels(scores: np.ndarray, labels: Sequence[str]) -> list[list[dict[str, Any]]]:
    """The best labels for each row of `scores`, which has a column for each label."""
    rows = scores.reshape(-1, len(labels))
    order = np.argsort(-rows.astype(np.float64), axis=1, kind="stable")[:, :TOP]
    return [[{"label": labels[i], "index": int(i), "score": float(row[i])} for i in best]
            for row, best in zip(rows, order)]


def top_table(name: str, rows: Sequence[Sequence[dict[str, Any]]], most: int = 0) -> str:
    """The same for people, in lines of limited length (0: no limit)."""
    lines = []
    for k, row in enumerate(rows):
        lines.append(f"Top {len(row)} of {name}" + (f", row {k}" if len(rows) > 1 else ""))
        scores = [f"{entry['score']:.6f}" for entry in row]
        room = max(8, most - len("  1    ") - max(map(len, scores))) if most else 0
        labels = [shortened(e["label"], room) if room else e["label"] for e in row]
        width = max(map(len, labels))
        lines += [f"  {place}  {label:<{width}}  {score}"
                  for place, (label, score) in enumerate(zip(labels, scores), 1)]
    return "\n".join(lines)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return str(value) if isinstance(value, Path) else value
