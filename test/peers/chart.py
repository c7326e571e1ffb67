"""Draws a benchmark: each engine's time beside that of the fastest peer.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
from pathlib import Path


def draw(rows: list[dict], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    threads = sorted({r["threads"] for r in rows})
    models = list(dict.fromkeys(r["model"] for r in rows))
    engines = list(dict.fromkeys(r["engine"] for r in rows))
    figure, axes = pyplot.subplots(len(threads), 1, squeeze=False, layout="constrained",
                                   figsize=(1.5 + 1.1 * len(models), 3.2 * len(threads)))
    for axis, count in zip(axes[:, 0], threads, strict=True):
        for i, engine in enumerate(engines):
            values = [_relative(rows, model, count, engine) for model in models]
            width = 0.8 / len(engines)
            axis.bar([x + (i - (len(engines) - 1) / 2) * width for x in range(len(models))],
                     values, width, label=engine)
        axis.axhline(1, color="black", linewidth=0.8)
        axis.axhline(0.9, color="black", linewidth=0.8, linestyle=":")
        axis.set_xticks(range(len(models)), models, rotation=20, ha="right")
        axis.set_ylim(0, 2.5)
        axis.set_ylabel(f"time / best peer\n{count} thread{'s' if count > 1 else ''}")
    axes[0, 0].legend(ncols=len(engines), fontsize="small", loc="upper center")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def _relative(rows: list[dict], model: str, threads: int, engine: str) -> float:
    times = {r["engine"]: r["median_ms"] for r in rows
             if (r["model"], r["threads"]) == (model, threads)}
    peers = [t for name, t in times.items() if name != "mace"]
    return times.get(engine, float("nan")) / min(peers) if peers else float("nan")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("json", type=Path, help="as bench.py writes it")
    parser.add_argument("chart", type=Path, help="a .png or .svg")
    given = parser.parse_args()
    draw(json.loads(given.json.read_text()), given.chart)
