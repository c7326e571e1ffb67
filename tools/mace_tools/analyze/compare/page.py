"""A comparison as one self-contained HTML page: the error along the network.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Sequence

from mace_tools.analyze import reports
from mace_tools.analyze.compare import graph, text
from mace_tools.analyze.compare.layers import Measured, Study
from mace_tools.analyze.compare.verdict import Finding, limits_text
from mace_tools.analyze.reports import Html, Tile, chart, table
from mace_tools.analyze.validate import Comparison
from mace_tools.support.tables import shortened

_GOOD, _BAD, _WHOLE = "var(--good)", "var(--bad)", "var(--accent)"
_COLUMNS = (
    table.Column("#", True, "the order of computation"),
    table.Column("layer", hint="the tensor of the reference that it computes"),
    table.Column("op"), table.Column("shape"),
    table.Column("similarity", True, "cosine, within the whole model"),
    table.Column("max abs error", True, "within the whole model"),
    table.Column("max rel error", True, "relative to the largest magnitude of the reference"),
    table.Column("SQNR (dB)", True, "signal to noise, within the whole model"),
    table.Column("rel error alone", True, "fed with the reference's own inputs"),
    table.Column("SQNR alone", True), table.Column("verdict"))
Compared = tuple[str, Study, Finding]  # the heading of a comparison


def render(title: str, compared: Sequence[Compared]) -> str:
    """The page. `compared` are the comparisons of models and devices."""
    wrong = sum(not finding.passed for _, _, finding in compared)
    summary = (f"{len(compared)} comparisons, {wrong} of which differ" if len(compared) > 1
               else f"{compared[0][0]}: {'agrees' if not wrong else 'differs'}")
    tiles = [tile for heading, study, finding in compared
             for tile in _tiles(heading if len(compared) > 1 else "", study, finding)]
    sections = [part for one in compared for part in _sections(*one)]
    return reports.render(f"Comparison of {title}", summary, tiles, sections)


def _tiles(heading: str, study: Study, finding: Finding) -> list[Tile]:
    before = f"{heading}: " if heading else ""
    errors = [one.max_rel_error for one, _ in finding.outputs if not one.problem]
    worst = f"{max(errors):.2g}" if errors and len(errors) == len(finding.outputs) else "not equal"
    verdict = reports.badge("agrees", "good") if finding.passed else reports.badge(
        finding.kind if finding.kind != "agree" else "outputs missing", "bad")
    culprit = finding.culprit
    tiles = [Tile(f"{before}error of the outputs", worst, verdict)]
    if finding.layers:
        wrong = sum(bool(m.wrong or m.problem) for m in finding.layers)
        tiles.append(Tile(f"{before}layers run alone", str(len(finding.layers)),
                          f"{wrong} of them wrong"))
    if culprit is not None:
        name = study.reference.names.get(culprit.layer.tensor, culprit.layer.tensor)
        tiles.append(Tile(f"{before}first wrong layer", culprit.layer.op, shortened(name, 60)))
    if finding.causes:
        tiles.append(Tile(f"{before}probable cause", finding.causes[0].name))
    return tiles


def _sections(heading: str, study: Study, finding: Finding) -> list[Html]:
    parts = [reports.paragraph(finding.text)]
    parts += [reports.items([f"{c.name}: {c.text}" for c in finding.causes])
              ] if finding.causes else []
    parts += [reports.items(finding.notes)] if finding.notes else []
    parts.append(_outputs(study, finding))
    sections = [reports.section(heading, *parts, note=limits_text(study))]
    if any(m.whole is not None for m in finding.layers):
        sections.append(reports.section(
            "Error along the network", _chart(study, finding),
            note="the largest error of each layer, relative to the largest magnitude of the "
                 "reference; a layer alone has the reference's own inputs"))
    sections.append(graph.section(study, finding.layers))
    if finding.layers:
        sections.append(reports.section("Layers", _table(study, finding)))
    if study.reference.gone:
        rows = [(a, b) for a, b in study.reference.gone.items()]
        sections.append(reports.folded(
            f"{len(rows)} tensors of the source that are computed within others",
            table.render("tensors that no longer exist", (
                table.Column("tensor"), table.Column("computed within")), rows)))
    return sections


def _outputs(study: Study, finding: Finding) -> Html:
    rows = [(one.output, *_numbers(one), one.problem or failure or "ok")
            for one, failure in finding.outputs]
    rows += [(name, "", "", "", "", study.reference.absent.get(name, "only on one side"))
             for name in finding.one_sided]
    return table.render("outputs", (table.Column("output"), *_COLUMNS[4:8],
                                    table.Column("verdict")), rows)


def _table(study: Study, finding: Finding) -> Html:
    place = {layer.tensor: k for k, layer in enumerate(study.layers(), 1)}
    rows = []
    for one in finding.layers:
        layer, name = one.layer, one.layer.tensor
        alone = _numbers(one.alone)
        bad = one.wrong or one.problem
        verdict = reports.join([reports.badge(text.word(one), "bad" if bad else "good"),
                                  f" {bad}" if bad else ""])
        rows.append((
            table.Cell(str(place[name]), place[name]), study.reference.names.get(name, name),
            layer.op, "×".join(map(str, study.reference.values[name].shape)),
            *_numbers(one.whole), alone[2], alone[3], verdict))
    return table.render("layers in the order of computation", _COLUMNS, rows)


def _numbers(found: Comparison | None) -> tuple[table.Cell | str, ...]:
    if found is None or math.isnan(found.similarity):
        return "", "", "", ""
    sqnr = table.Cell(f"{found.sqnr_db:.1f}", _finite(found.sqnr_db))
    return (table.Cell(f"{found.similarity:.6f}", found.similarity),
            table.Cell(f"{found.max_abs_error:.3g}", found.max_abs_error),
            table.Cell(f"{found.max_rel_error:.3g}", _finite(found.max_rel_error)), sqnr)


def _finite(value: float) -> float:
    return max(-1e9, min(1e9, value))


def _chart(study: Study, finding: Finding) -> Html:
    errors = [c.max_rel_error for m in finding.layers for c in (m.whole, m.alone)
              if c is not None and 0 < c.max_rel_error < math.inf]
    limit_whole, limit_alone = study.limits.whole.error, study.limits.alone.error
    low = 10.0 ** math.floor(math.log10(min([*errors, limit_alone, 1e-7])))
    high = 10.0 ** math.ceil(math.log10(max([*errors, limit_whole])))
    count = max(2, len(finding.layers))
    x = chart.Axis("layer", 1, count, shown=lambda v: f"{v:.0f}")
    y = chart.Axis("relative error", low, high, is_log=True, shown=lambda v: f"{v:.0e}")
    whole = [_point(study, k, m, m.whole, low, high) for k, m in enumerate(finding.layers, 1)]
    alone = [_point(study, k, m, m.alone, low, high) for k, m in enumerate(finding.layers, 1)]
    limits = [chart.Series("limit", (chart.Point(1, v), chart.Point(count, v)))
              for v in (limit_whole, limit_alone)]
    return chart.render(
        "relative error of each layer", x, y,
        [*limits, chart.Series("line", tuple(p for p in whole if p)),
         chart.Series("dots", tuple(p for p in alone if p))],
        f"dashed: the limits of outputs ({limit_whole:g}) and of layers alone ({limit_alone:g}); "
        "an error of 0 is drawn at the bottom, one that is not finite at the top",
        [(_WHOLE, "within the whole model"), (_GOOD, "alone"), (_BAD, "alone, wrong")])


def _point(study: Study, place: int, one: Measured, found: Comparison | None, low: float,
           high: float) -> chart.Point | None:
    if found is None:
        return None
    error = high if not math.isfinite(found.max_rel_error) else found.max_rel_error
    alone = found is one.alone
    name = study.reference.names.get(one.layer.tensor, one.layer.tensor)
    words = found.problem or f"{found.max_rel_error:.3g}"
    title = f"{place} {name} ({one.layer.op}){' alone' if alone else ''}: {words}"
    color = (_BAD if one.wrong else _GOOD) if alone else _WHOLE
    return chart.Point(place, min(high, max(low, error)), title, color, 6.0 if one.wrong else 3.2)
