"""The side-by-side tables of docs/performance.md, quantization.md, gpu.md and language_models.md.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"


def table(rows: list[dict]) -> str:
    """Markdown: a line for each network and number of threads."""
    engines = list(dict.fromkeys(r["engine"] for r in rows))
    peers = [name for name in engines if name != "mace"]
    lines = [f"| network | threads | {' | '.join(engines)} | ours / best | % of FMA peak | "
             "load + first | peak memory |", "|---" * (len(engines) + 6) + "|"]
    for key in dict.fromkeys((r["model"], r["threads"]) for r in rows):
        here = {r["engine"]: r for r in rows if (r["model"], r["threads"]) == key}
        best = [here[name] for name in peers if name in here]
        if "mace" not in here or not best:
            continue
        ours = here["mace"]
        start, best_start = (
            min(r["load_ms"] + r["first_ms"] for r in some) for some in ([ours], best))
        times = [f"{here[name]['median_ms']:.2f}" if name in here else "-" for name in engines]
        ratio = ours["median_ms"] / min(r["median_ms"] for r in best)
        memory = min(r["peak_mb"] for r in best)
        lines.append(
            f"| {key[0]} | {key[1]} | {' | '.join(times)} | {ratio:.2f} | "
            f"{100 * ours['gflops'] / ours['peak_gflops']:.0f} | "
            f"{start:.1f} / {best_start:.1f} ms | {ours['peak_mb']:.0f} / {memory:.0f} MB |")
    return "\n".join(lines)


def int8_table(rows: list[dict]) -> str:
    """The same for int8, beside our own times in float32."""
    lines = ["| network | threads | mace | xnnpack | onnxruntime | ours / best | mace float32 | "
             "int8 / float32 |", "|---" * 8 + "|"]
    for key in dict.fromkeys((r["model"], r["threads"]) for r in rows):
        here = {r["engine"]: r["median_ms"] for r in rows if (r["model"], r["threads"]) == key}
        best = [here[name] for name in ("xnnpack", "onnxruntime") if name in here]
        if "mace" not in here or "mace_float" not in here or not best:
            continue
        times = [f"{here[name]:.2f}" if name in here else "-"
                 for name in ("mace", "xnnpack", "onnxruntime")]
        lines.append(
            f"| {key[0]} | {key[1]} | {' | '.join(times)} | {here['mace'] / min(best):.2f} | "
            f"{here['mace_float']:.2f} | {here['mace'] / here['mace_float']:.2f} |")
    return "\n".join(lines)


def gpu_table(rows: list[dict]) -> str:
    """The same for the GPU, where few threads of the host have little to do."""
    names = ("mace_gpu", "ncnn_vulkan", "litert_webgpu")
    lines = [f"| network | {' | '.join(names)} | ours / best | mace_gpu_float | "
             "load + first run | peak memory of the host |", "|---" * 8 + "|"]
    for model in dict.fromkeys(r["model"] for r in rows):
        here = {r["engine"]: r for r in rows if r["model"] == model}
        peers = [here[name] for name in names[1:] if name in here]
        if names[0] not in here or not peers:
            continue
        ours = here[names[0]]
        times = [f"{here[name]['median_ms']:.2f}" if name in here else "-"
                 for name in (*names, "mace_gpu_float")]
        best = {key: min(r[key] for r in peers) for key in ("median_ms", "peak_mb")}
        start = min(r["load_ms"] + r["first_ms"] for r in peers)
        lines.append(
            f"| {model} | {' | '.join(times[:3])} | {ours['median_ms'] / best['median_ms']:.2f} | "
            f"{times[3]} | {ours['load_ms'] + ours['first_ms']:.0f} / {start:.0f} ms | "
            f"{ours['peak_mb']:.0f} / {best['peak_mb']:.0f} MB |")
    return "\n".join(lines)


def decoder_table(rows: list[dict]) -> str:
    """Markdown: a line for each figure of a decoder and number of threads."""
    engines = list(dict.fromkeys(r["engine"] for r in rows))
    lines = [f"| decoder | threads | | {' | '.join(engines)} | ours / best | of the limit |",
             "|---" * (len(engines) + 5) + "|"]
    for key in dict.fromkeys((r["model"], r["threads"]) for r in rows):
        here = {r["engine"]: r for r in rows if (r["model"], r["threads"]) == key}
        ours, peers = here.get("mace"), [r for name, r in here.items() if name != "mace"]
        if ours is None or not peers:
            continue
        for figure, (title, best) in _DECODER_FIGURES.items():
            values = [f"{here[name][figure]:.0f}" if name in here else "-" for name in engines]
            ratio = ours[figure] / best(r[figure] for r in peers)
            lines.append(f"| {key[0]} | {key[1]} | {title} | {' | '.join(values)} | {ratio:.2f} | "
                         f"{_of_limit(ours, figure)} |")
    return "\n".join(lines)


# The title of a line, and which of the others' figures is the best.
_DECODER_FIGURES: dict[str, tuple[str, Callable[..., float]]] = {
    "decode_128": ("decode at 128 tokens, tokens/s", max),
    "decode_900": ("decode at 900 tokens, tokens/s", max),
    "prefill_128": ("prefill of 128 tokens, tokens/s", max),
    "prefill_512": ("prefill of 512 tokens, tokens/s", max),
    "first_ms": ("load to first token, ms", min),
    "checked_ms": ("the same, with the checksum of the weights, ms", min),
    "anonymous_mb": ("anonymous memory, MB", min),
}


def _of_limit(row: dict, figure: str) -> str:
    """How much of the bandwidth of reads a step uses, and what an operation a token of a prompt
    costs of the peak."""
    if figure.startswith("decode_"):
        return f"{100 * row[figure] * row['gb_' + figure[7:]] / row['read_gbps']:.0f} % of reads"
    if figure.startswith("prefill_"):
        return f"{100 * row[figure] * row['gops'] / row['int8_gops']:.0f} % of int8"
    return f"KV cache {row['cache_mb']:.0f}" if figure == "anonymous_mb" else ""


def decoder_machine(rows: list[dict]) -> str:
    return machine(rows, lambda r: f"{r['int8_gops']:.0f} int8 GOP/s, {r['read_gbps']:.1f} GB/s "
                                   "read")


def machine(rows: list[dict], limits: Callable[[dict], str] = lambda r: (
        f"{r['peak_gflops']:.0f} GFLOP/s, {r['memory_gbps']:.0f} GB/s")) -> str:
    of_threads = {r["threads"]: r for r in rows}
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    each = "; ".join(f"{threads} thread{'s' if threads > 1 else ''}: {limits(r)}"
                     for threads, r in sorted(of_threads.items()))
    return f"{cpu[1] if cpu else 'unknown CPU'}; measured limits: {each}."


def write(rows: list[dict], path: Path, kept: Path, models: list[str],
          make: Callable[[list[dict]], str] = table, device: str = "", by: str = "threads",
          marks: tuple[str, str] = (BEGIN, END)) -> None:
    """Replaces the text between the marks by what `make` makes, below the device's name, or that
    of the CPU. Rows of other networks, or for another value of `by`, are those of the last run that
    measured them, so that a table can be made in parts; `kept` holds them."""
    old = json.loads(kept.read_text()) if kept.is_file() else []
    measured = {(r["model"], r[by]) for r in rows}
    rows = [r for r in old if (r["model"], r[by]) not in measured] + rows
    kept.write_text(json.dumps(rows))
    rows.sort(key=lambda r: (models.index(r["model"]), r[by]))
    text = path.read_text()
    begin, end = marks
    head, rest = text.split(begin, 1)
    tail = rest.split(end, 1)[1]
    path.write_text(f"{head}{begin}\n{device or machine(rows)}\n\n{make(rows)}\n{end}{tail}")
