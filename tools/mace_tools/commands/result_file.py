"""Result files.

SPDX-License-Identifier: Apache-2.0
"""

import json
import math
import numbers
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mace_tools.support.atomic import atomic_files
from mace_tools.support.errors import MaceError
from mace_tools.support.os_errors import explain


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


def write_json(path: Path, report: dict[str, Any]) -> None:
    """Writes a complete file or nothing. NaN and infinity become null, because JSON has neither."""
    text = json.dumps(_plain(report), indent=1, allow_nan=False) + "\n"
    with atomic_files(path) as (out,):
        out.write(text.encode())


def latency_summary(runs_ms: Sequence[float]) -> dict[str, float]:
    """The figures of --json for a series of runs."""
    ordered = sorted(runs_ms)
    if not ordered:
        return {}
    return {
        "runs": len(ordered),
        "avg_ms": math.fsum(ordered) / len(ordered),
        "min_ms": ordered[0],
        "max_ms": ordered[-1],
        "p50_ms": (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2,
        "p90_ms": ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, numbers.Integral):  # NumPy's too, which costs nothing where it is not used
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value
