"""Times MACE and its peers on the same networks, taking turns in one run.

SPDX-License-Identifier: Apache-2.0

Each engine is a process of its own on the same cores. Every round gives each engine one turn, in
an order that rotates, so that a machine that slows down slows all of them. A turn is two runs, of
which the second counts: the first finds the caches full of another engine's data. Between its
turns a process is stopped, because threads that wait for the next run keep the other cores busy.
A ratio is ours / best peer, below 1 is faster.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pace
import report
from chart import draw
from engines import (
    ENGINES,
    GPU_ENGINES,
    INT8_ENGINES,
    OURS,
    EngineError,
    Process,
    gpu_name,
    is_installed,
    machine_limits,
)
from files import ROOT, ConversionError, Files, cache_dir
from networks import NETWORKS

# The rows that --json writes.
FIELDS = ("model", "threads", "engine", "median_ms", "min_ms", "load_ms", "first_ms", "peak_mb",
          "max_abs_diff")
# Largest difference of outputs, relative to the largest magnitude. On GPUs most engines round to
# fp16. Engines do not round int8 alike: ours are compared with those of LiteRT's
# reference kernels, which round the sums of fully connected layers once where others do it twice.
AGREEMENT, GPU_AGREEMENT = 1e-4, 0.05
INT8_STEPS = 1


def converted(files: Files, names: list[str], engines: dict) -> dict[str, Path]:
    """The model for each engine that can run the network; prints the names of the others."""
    models = {}
    for name in names:
        try:
            model = engines[name][1](files)
            engine = Process(name, 1, model, files)
            engine.run()
            engine.close()
            models[name] = model
        except (ConversionError, EngineError) as error:
            print(f"MISSING: {name} cannot run {files.net.name}: {error}", file=sys.stderr)
    return models


def differences(outputs: dict[str, list[np.ndarray]]) -> tuple[dict[str, float], dict[str, float]]:
    """The largest difference of each engine from the median of all, over the largest magnitude.

    Outputs are sorted by size, because not every converter keeps their order."""
    sorted_outputs = {name: sorted(ys, key=lambda y: y.size) for name, ys in outputs.items()}
    absolute, relative = dict.fromkeys(outputs, 0.0), dict.fromkeys(outputs, 0.0)
    for ys in zip(*sorted_outputs.values(), strict=True):
        middle = np.median(np.stack(ys), axis=0)
        scale = max(float(np.abs(middle).max()), 1e-30)
        for name, y in zip(outputs, ys, strict=True):
            difference = float(np.abs(y - middle).max())
            absolute[name] = max(absolute[name], difference)
            relative[name] = max(relative[name], difference / scale)
    return absolute, relative


def measure(files: Files, models: dict[str, Path], threads: int, rounds: int,
            compared: Iterable[str]) -> list[dict]:
    names = list(models)
    empty = {name: Process(name, threads, None, files) for name in names}
    base = {name: process.peak_mb() for name, process in empty.items()}
    for process in empty.values():
        process.close()
    limits = machine_limits(threads)
    with ExitStack() as ended:
        engines: dict[str, Process] = {}
        first: dict[str, float] = {}
        for name in names:
            engines[name] = Process(name, threads, models[name], files)
            ended.callback(engines[name].kill)
            first[name] = engines[name].run()
            engines[name].pause()
        peak = {name: engine.peak_mb() - base[name] for name, engine in engines.items()}
        times: dict[str, list[float]] = {name: [] for name in names}
        for i in range(rounds):
            for name in names[i % len(names):] + names[:i % len(names)]:
                times[name].append(engines[name].turn())
        outputs = {name: engine.outputs() for name, engine in engines.items()}
    absolute, relative = differences({name: outputs[name] for name in compared if name in outputs})
    return [{
        "model": files.net.name, "threads": threads, "engine": name,
        "median_ms": float(np.median(times[name])), "min_ms": min(times[name]),
        "load_ms": engine.load_ms, "first_ms": first[name], "peak_mb": peak[name],
        "max_abs_diff": absolute.get(name, float("nan")),
        "relative_diff": relative.get(name, float("nan")),
        "spread": float(np.subtract(*np.percentile(times[name], [75, 25]))
                        / np.median(times[name])),
        "gflops": 2 * files.net.macs / float(np.median(times[name])) / 1e6,
        "peak_gflops": limits["gflops"], "memory_gbps": limits["memory_gbps"],
    } for name, engine in engines.items()]


def steps_from_reference(files: Files) -> float:
    """By how many steps our quantized values before the Softmax differ from those of LiteRT's
    reference kernels at most."""
    theirs, ours, steps = files.before_softmax()
    found = {}
    for name, model in (("litert_reference", theirs), ("mace", ours)):
        process = Process(name, 1, model, files)
        process.run()
        found[name] = process.outputs()
    return max(float(np.abs(a - b).max()) / steps[name] for name, a, b in zip(
        files.net.outputs, found["mace"], found["litert_reference"], strict=True))


def show(rows: list[dict]) -> None:
    for r in rows:
        share = 100 * r["gflops"] / r["peak_gflops"]
        print(f"{r['model']:19}{r['threads']:2} {r['engine']:12}{r['median_ms']:8.2f} ms "
              f"±{100 * r['spread']:3.0f} %  min {r['min_ms']:8.2f}  {r['gflops']:6.1f} GFLOP/s "
              f"{share:4.0f} %  load {r['load_ms']:6.1f}  first {r['first_ms']:6.1f}  "
              f"peak {r['peak_mb']:6.1f} MB"
              + ("" if np.isnan(r["relative_diff"]) else f"  diff {r['relative_diff']:.1e}"))
    ours = [r for r in rows if r["engine"] in ("mace", "mace_gpu")]
    peers = [r for r in rows if r["engine"] not in OURS]
    floats = [r for r in rows if r["engine"] in ("mace_float", "mace_gpu_float")]
    if ours and floats:
        print(f"{'':23}ours / ours in float32: median "
              f"{ours[0]['median_ms'] / floats[0]['median_ms']:.2f}")
    if ours and peers:
        def ratio(key: str) -> float:
            return ours[0][key] / min(r[key] for r in peers)

        start = (ours[0]["load_ms"] + ours[0]["first_ms"]) / min(
            r["load_ms"] + r["first_ms"] for r in peers)
        print(f"{'':23}ours / best of {len(peers)}: median {ratio('median_ms'):.2f}, min "
              f"{ratio('min_ms'):.2f}, load + first {start:.2f}, peak {ratio('peak_mb'):.2f}",
              flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--models", default=",".join(NETWORKS), help="comma list")
    parser.add_argument("--threads", help="comma list; default: 1,2, and 4 beside a GPU")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--int8", action="store_true", help="networks in int8")
    kind.add_argument("--gpu", action="store_true", help="on the GPU")
    parser.add_argument("--engines", help="comma list; default: all")
    parser.add_argument("--rounds", type=int, help="default: 30, or 5 with --pace")
    parser.add_argument("--pace", type=float, metavar="MS",
                        help="frames with pauses: a run every MS milliseconds")
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument("--write", action="store_true",
                        help="rewrite the table of performance.md, quantization.md or gpu.md")
    parser.add_argument("--chart", type=Path, help="draw the ratios here, a .png or .svg")
    args = parser.parse_args()
    args.known = INT8_ENGINES if args.int8 else GPU_ENGINES if args.gpu else ENGINES
    args.threads = args.threads or ("4" if args.gpu else "1,2")
    args.engines = args.engines or ",".join(args.known)
    args.rounds = args.rounds or (5 if args.pace else 30)
    if args.pace and (args.write or args.chart):
        parser.error("--pace has no table and no chart")
    for what, given, known in (("model", args.models, NETWORKS),
                               ("engine", args.engines, args.known)):
        unknown = set(given.split(",")) - set(known)
        if unknown:
            parser.error(f"no such {what}: {', '.join(sorted(unknown))}; "
                         f"there are {', '.join(known)}")
    return args


def main() -> int:
    args = parse()
    wanted = args.engines.split(",")
    names = [name for name in wanted if is_installed(name)]
    for name in wanted:
        if name not in names:
            print(f"MISSING: {name} is not installed; test/peers/run.sh installs it",
                  file=sys.stderr)
    rows: list[dict] = []
    wrong: list[str] = []
    device = ""
    for model in args.models.split(","):
        files = Files.of(NETWORKS[model]())
        models = converted(files, names, args.known)
        if "mace_gpu" in models and not device:
            try:
                device = gpu_name(models["mace_gpu"])
            except EngineError as error:
                print(f"ERROR: {error}", file=sys.stderr)
                return 1
        if args.int8 and "mace" in models:
            steps = steps_from_reference(files)
            print(f"{model:19} at most {steps:.0f} LSB from LiteRT's reference kernels")
            wrong += [f"mace disagrees on {model}"] * (steps > INT8_STEPS + 0.01)
        for threads in map(int, args.threads.split(",")):
            if args.pace:  # the cores of a process are not as few as its threads
                rows += pace.measure(files, models, threads, args.rounds, args.pace)
                pace.show(*[[r for r in rows if (r["model"], r["threads"]) == (model, count)]
                            for count in (threads, 1)])
                continue
            os.sched_setaffinity(0, set(range(min(threads, os.cpu_count() or 1))))
            rows += measure(files, models, threads, args.rounds,
                            () if args.int8 else models)
            show([r for r in rows if (r["model"], r["threads"]) == (model, threads)])
    if args.json:
        fields = pace.FIELDS if args.pace else FIELDS
        kept = [{field: r[field] for field in fields} for r in rows]
        args.json.write_text(json.dumps(kept, indent=1) + "\n")
    if args.write:
        page, kept, table = (
            ("quantization.md", "int8", report.int8_table) if args.int8 else
            ("gpu.md", "gpu", report.gpu_table) if args.gpu else
            ("performance.md", "peer", report.table))
        report.write(rows, ROOT / "docs" / page, cache_dir() / f"{kept}_rows.json",
                     list(NETWORKS), table, device)
    if args.chart:
        draw(rows, args.chart)
    if args.pace:
        rows = []  # whose outputs were not compared
    most = GPU_AGREEMENT if args.gpu else AGREEMENT
    wrong += [f"{r['engine']} disagrees on {r['model']}" for r in rows if r["relative_diff"] > most]
    for line in wrong:
        print(f"ERROR: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
