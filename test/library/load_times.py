"""Prints how long a model takes to load in each of the ways that apps have, and in how much memory.

SPDX-License-Identifier: Apache-2.0

  PYTHONPATH=tools ~/.cache/mace/venv/bin/python test/library/load_times.py MODEL [--rounds=N]

The ways take turns, so that a machine that slows down slows all of them; the table has the medians
of the rounds. Each turn is a process of its own, whose files the system has in memory.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import consumers
from loading import WAYS, Loaded, Ways

from mace_tools import cli

COLUMNS = (
    ("load", "load_us", 1000), ("create", "create_us", 1000), ("first run", "run_us", 1000),
    ("resident", "rss_loaded", 1024), ("own", "anonymous_loaded", 1024),
    ("resident", "rss_run", 1024), ("own", "anonymous_run", 1024),
)  # fmt: skip


def table(results: dict[str, list[Loaded]]) -> list[str]:
    """Milliseconds, and MiB after loading and after the first run."""
    lines = ["way          " + "".join(title.rjust(11) for title, _, _ in COLUMNS),
             " " * 13 + "".join(unit.rjust(11) for unit in
                                ("ms", "ms", "ms", "MiB loaded", "MiB loaded", "MiB run",
                                 "MiB run"))]
    for way, rounds in results.items():
        cells = [statistics.median(getattr(r, field) for r in rounds) / unit
                 for _, field, unit in COLUMNS]
        lines.append(way.ljust(13) + "".join(f"{cell:11.2f}" for cell in cells))
    return lines


def measure(ways: Ways, rounds: int) -> dict[str, list[Loaded]]:
    results: dict[str, list[Loaded]] = {way: [] for way in WAYS}
    for way in WAYS:
        ways.load(way)  # puts its files into memory
    for k in range(rounds):
        for way in WAYS[k % len(WAYS):] + WAYS[:k % len(WAYS)]:
            results[way].append(ways.load(way))
    return results


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, help="a TensorFlow, ONNX or TFLite model")
    parser.add_argument("--rounds", type=int, default=51)
    args = parser.parse_args(arguments)
    if args.rounds < 1:
        parser.error("--rounds: at least 1")
    with tempfile.TemporaryDirectory(prefix="load_times.") as folder:
        config = Path(folder) / "model.yml"
        drafted = cli.main(["init", str(args.model.resolve()), f"--output={config}",
                            "--model_name=model"])
        if drafted != 0:
            return drafted
        results = measure(Ways(consumers.Place(Path(folder)), config, "model"), args.rounds)
    for line in table(results):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
