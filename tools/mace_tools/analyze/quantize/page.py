"""A quantization as one self-contained HTML page: the error along the network, the values of the
worst layers with the ranges that were chosen, and what stays in float32.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Sequence

import numpy as np

from mace_tools.analyze import reports
from mace_tools.analyze.quantize.post_training import Made
from mace_tools.analyze.quantize.text import shown_range
from mace_tools.analyze.reports import Html, Tile, chart, table
from mace_tools.config.sections import Quantize

Quantized = tuple[str, Quantize, Made]  # the name of a model, how, and what became of it
_WORST = 4  # layers whose values are shown
_BARS = 200
_FROM, _TO = -10.0, 90.0  # dB of the chart
_COLUMNS = (
    table.Column("#", True, "the order of computation"), table.Column("layer"),
    table.Column("op"), table.Column("SQNR (dB)", True, "signal to noise"),
    table.Column("similarity", True, "cosine"), table.Column("max abs error", True),
    table.Column("values", hint="the least and the largest that the samples have"),
    table.Column("range", hint="what the quantized values stand for"))


def render(models: Sequence[Quantized]) -> str:
    names = ", ".join(tag for tag, _, _ in models)
    summary = f"ranges by {', '.join(dict.fromkeys(asked.method for _, asked, _ in models))}"
    tiles = [t for one in models for t in _tiles(*one, several=len(models) > 1)]
    sections = [part for one in models for part in _sections(*one)]
    return reports.render(f"Quantization of {names}", summary, tiles, sections)


def _tiles(tag: str, asked: Quantize, made: Made, several: bool) -> list[Tile]:
    before = f"{tag}: " if several else ""
    worst = min((e.similarity for e in made.outputs.values()), default=1.0)
    budget = (f"the budget asks for {1 - asked.accuracy_budget:g}"
              if asked.accuracy_budget is not None else "cosine, on the samples")
    return [Tile(f"{before}similarity of the outputs", f"{worst:.6f}", budget),
            Tile(f"{before}nodes in float32", str(len(made.left_out)),
                 f"of {len(made.floats.nodes)}"),
            Tile(f"{before}layers equalized", str(made.equalized), "pairs")]


def _sections(tag: str, asked: Quantize, made: Made) -> list[Html]:
    found = [reports.section(f"{tag}: error along the network", _chart(made),
                               note="signal to noise of each layer within the quantized model, "
                                    "on some of the samples")]
    shown = [_values(made, name) for name in _worst(made)]
    if shown:
        found.append(reports.section(
            f"{tag}: values of the worst layers", *shown,
            note="dashed: the ends of the chosen range, beyond which values are clipped"))
    rows = [_row(made, k, name) for k, name in enumerate(made.errors, 1)]
    found.append(reports.section(f"{tag}: layers", table.render(
        "layers in the order of computation", _COLUMNS, rows)))
    if made.left_out:
        found.append(reports.section(f"{tag}: in float32", table.render(
            "nodes that compute floats", (table.Column("node"), table.Column("why")),
            list(made.left_out.items()))))
    return found


def _worst(made: Made) -> list[str]:
    """Of quantized tensors, those with the least signal to noise."""
    known = [n for n in made.errors if n in made.assigned.quantized and n in made.found.observed
             and made.found.observed[n].histogram.counts.size]
    return sorted(known, key=lambda n: made.errors[n].sqnr_db)[:_WORST]


def _chart(made: Made) -> Html:
    count = max(2, len(made.errors))
    points = [chart.Point(k, min(_TO, max(_FROM, e.sqnr_db)), f"{k} {name}: {e.sqnr_db:.1f} dB")
              for k, (name, e) in enumerate(made.errors.items(), 1)]
    return chart.render(
        "signal to noise of each layer", chart.Axis("layer", 1, count, shown=lambda v: f"{v:.0f}"),
        chart.Axis("SQNR (dB)", _FROM, _TO),
        [chart.Series("line", tuple(points)), chart.Series("dots", tuple(points))])


def _values(made: Made, name: str) -> Html:
    """A histogram, and the range."""
    seen = made.found.observed[name].histogram
    joined = max(1, -(-seen.counts.size // _BARS))
    counts = np.pad(seen.counts, (0, -seen.counts.size % joined)).reshape(-1, joined).sum(1)
    starts = (np.arange(counts.size) * joined + seen.first) * seen.width
    high = max(10.0, float(10 ** math.ceil(math.log10(max(1, counts.max())))))
    low_x, high_x = float(starts[0]), float(starts[-1] + joined * seen.width)
    bars = tuple(chart.Point(float(x), max(1.0, float(c))) for x, c in zip(starts, counts))
    ends = [chart.Series("limit", (chart.Point(end, 1.0), chart.Point(end, high)))
            for end in made.found.chosen.get(name, ()) if low_x <= end <= high_x]
    error = made.errors[name]
    return chart.render(
        f"values of {name}", chart.Axis(f"{name}", low_x, high_x),
        chart.Axis("values", 1.0, high, is_log=True),
        [chart.Series("area", bars), *ends],
        f"{error.sqnr_db:.1f} dB; values from {seen.low:.4g} to {seen.high:.4g}, and {seen.zeros} "
        f"that are 0 and not drawn; range {shown_range(made, name)}")


def _row(made: Made, k: int, name: str) -> table.Row:
    error, node = made.errors[name], made.floats.producer(name)
    seen = made.found.observed.get(name)
    values = "" if seen is None else f"{seen.histogram.low:.4g} to {seen.histogram.high:.4g}"
    return (table.Cell(str(k), k), name, "" if node is None else node.op,
            table.Cell(f"{error.sqnr_db:.1f}", max(-1e9, min(1e9, error.sqnr_db))),
            table.Cell(f"{error.similarity:.6f}", error.similarity),
            table.Cell(f"{error.largest:.3g}", error.largest), values, shown_range(made, name))
