"""Times MACE and its peers on the same networks, taking turns in one run.

SPDX-License-Identifier: Apache-2.0

Every round runs each engine once, in an order that rotates, so that a machine that slows down
slows all of them. Quoted are medians; a ratio is ours / best peer, below 1 is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from engines import ENGINES, Engine, Files, is_installed
from networks import NETWORKS

# Largest difference of two engines' outputs, relative to the largest magnitude.
AGREEMENT = 1e-4


def measure(files: Files, threads: int, rounds: int, names: list[str]) -> list[dict]:
    engines: dict[str, Engine] = {name: ENGINES[name][0](files, threads) for name in names}
    first = {name: engine.run() for name, engine in engines.items()}
    wanted = engines[names[-1]].outputs()
    times: dict[str, list[float]] = {name: [] for name in names}
    for i in range(rounds):
        for name in names[i % len(names):] + names[:i % len(names)]:
            times[name].append(engines[name].run())
    rows = []
    for name, engine in engines.items():
        difference = 0.0
        for got, want in zip(engine.outputs(), wanted, strict=True):
            scale = max(float(np.abs(want).max()), 1e-30)
            error = np.abs(got.reshape(want.shape) - want).max()
            difference = max(difference, float(error) / scale)
        engine.close()
        rows.append({
            "model": files.net.name, "threads": threads, "engine": name,
            "median_ms": float(np.median(times[name])), "min_ms": min(times[name]),
            "load_ms": engine.load_ms, "first_ms": first[name], "max_rel_diff": difference,
            "gflops": 2 * files.net.macs / float(np.median(times[name])) / 1e6})
    return rows


def show(rows: list[dict]) -> None:
    ours = next((r for r in rows if r["engine"] == "mace"), None)
    peers = [r["median_ms"] for r in rows if r["engine"] != "mace"]
    for r in rows:
        print(f"{r['model']:20}{r['threads']:3}  {r['engine']:12}{r['median_ms']:9.2f} ms"
              f"  min {r['min_ms']:8.2f}  {r['gflops']:7.1f} GFLOP/s  load {r['load_ms']:7.1f}"
              f"  first {r['first_ms']:7.1f}  diff {r['max_rel_diff']:.1e}")
    if ours and peers:
        print(f"{'':23}  ours / best peer: {ours['median_ms'] / min(peers):.2f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--models", default=",".join(NETWORKS), help="comma list")
    parser.add_argument("--threads", default="1,2", help="comma list")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", help="write all figures here")
    args = parser.parse_args()
    unknown = set(args.models.split(",")) - set(NETWORKS)
    if unknown:
        parser.error(f"no such model: {', '.join(sorted(unknown))}; "
                     f"there are {', '.join(NETWORKS)}")
    names = [name for name in ENGINES if is_installed(name)]
    for name in ENGINES:
        if name not in names:
            print(f"{name} is not installed: tools/setup.sh --for validate", file=sys.stderr)
    rows: list[dict] = []
    with tempfile.TemporaryDirectory() as folder:
        for model in args.models.split(","):
            files = Files.write(NETWORKS[model](), Path(folder))
            for threads in map(int, args.threads.split(",")):
                os.sched_setaffinity(0, set(range(min(threads, os.cpu_count() or 1))))
                measured = measure(files, threads, args.rounds, names)
                show(measured)
                rows += measured
    if args.json:
        Path(args.json).write_text(json.dumps(rows, indent=1) + "\n")
    disagreeing = [r for r in rows if r["max_rel_diff"] > AGREEMENT]
    for r in disagreeing:
        print(f"ERROR: {r['engine']} disagrees on {r['model']}", file=sys.stderr)
    return 1 if disagreeing else 0


if __name__ == "__main__":
    sys.exit(main())
