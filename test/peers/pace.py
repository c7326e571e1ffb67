"""Times of frames with pauses between them, as cameras give them, beside runs back to back.

SPDX-License-Identifier: Apache-2.0

Threads that wait for the next run sleep in the pauses, and to wake them takes time. Each engine is
a process that has the cores for itself in its turns; the others are stopped meanwhile.
"""

import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from engines import Process
from files import Files

FRAMES = 30  # of a turn
UNTIMED = 3  # at its beginning: what it finds in the caches is another engine's
BACK_TO_BACK = 12
# A row of --json.
FIELDS = ("model", "threads", "engine", "pace_ms", "p50_ms", "p90_ms", "p99_ms",
          "back_to_back_ms")


def _turn(engine: Process, pace_ms: float) -> tuple[list[float], list[float]]:
    engine.go_on()
    at_once = [engine.run() for _ in range(BACK_TO_BACK)]
    frames = []
    begin = time.perf_counter()
    for i in range(FRAMES):
        time.sleep(max(0.0, begin + 1e-3 * pace_ms * i - time.perf_counter()))
        frames.append(engine.run())
    engine.pause()
    return frames[UNTIMED:], at_once[UNTIMED:]


def measure(files: Files, models: dict[str, Path], threads: int, rounds: int,
            pace_ms: float) -> list[dict]:
    names = list(models)
    frames: dict[str, list[float]] = {name: [] for name in names}
    at_once: dict[str, list[float]] = {name: [] for name in names}
    with ExitStack() as ended:
        engines: dict[str, Process] = {}
        for name in names:
            engines[name] = Process(name, threads, models[name], files)
            ended.callback(engines[name].kill)
            engines[name].run()
            engines[name].pause()
        for i in range(rounds):
            for name in names[i % len(names):] + names[:i % len(names)]:
                paced, others = _turn(engines[name], pace_ms)
                frames[name] += paced
                at_once[name] += others
    return [{"model": files.net.name, "threads": threads, "engine": name, "pace_ms": pace_ms,
             "p50_ms": float(np.percentile(frames[name], 50)),
             "p90_ms": float(np.percentile(frames[name], 90)),
             "p99_ms": float(np.percentile(frames[name], 99)),
             "back_to_back_ms": float(np.median(at_once[name]))} for name in names]


def show(rows: list[dict], one_thread: list[dict]) -> None:
    """`one_thread`: rows of the same engines, or none."""
    alone = {r["engine"]: r["p50_ms"] for r in one_thread}
    for r in rows:
        beside = alone.get(r["engine"]) if r["threads"] > 1 else None
        print(f"{r['model']:19}{r['threads']:2} {r['engine']:12} every {r['pace_ms']:g} ms: p50 "
              f"{r['p50_ms']:8.2f} ms, p90 {r['p90_ms']:8.2f}, p99 {r['p99_ms']:8.2f}; back to "
              f"back {r['back_to_back_ms']:8.2f}, ratio {r['p50_ms'] / r['back_to_back_ms']:.2f}"
              + (f"; of one thread {r['p50_ms'] / beside:.2f}" if beside else ""), flush=True)
