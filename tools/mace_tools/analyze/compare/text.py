"""A comparison as text: tables of outputs and layers, the verdict, its causes.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Sequence

from mace_tools.analyze.compare.layers import Measured, Study
from mace_tools.analyze.compare.verdict import Finding, limits_text
from mace_tools.analyze.validate import Comparison
from mace_tools.support import tables
from mace_tools.support.tables import Column

_ERRORS = ("similarity", "max abs error", "max rel error", "SQNR (dB)")
_OUTPUTS = (Column("output", least=16), *(Column(t, right=True) for t in _ERRORS),
            Column("verdict"))
_LAYERS = (
    Column("#", right=True), Column("layer", least=16), Column("op", rank=4, least=8),
    Column("similarity", rank=3, right=True), Column("max abs", rank=2, right=True),
    Column("max rel", right=True), Column("SQNR", rank=1, right=True),
    Column("alone: rel", right=True), Column("SQNR alone", rank=5, right=True), Column("verdict"))


def lines(study: Study, finding: Finding, wide: bool) -> list[str]:
    """Everything that is to be printed."""
    fitter = tables.Fitter(tables.output_width(wide))
    rows = [(one.output, *_cells(one), "differs" if failure else "ok")
            for one, failure in finding.outputs]
    found = [*_ruled(fitter.lines(_OUTPUTS, rows)), *_problems(finding)]
    fixed = {one.output for one, failure in finding.outputs if not failure
             and one.failure(study.limits.whole)}
    found += [f"'{name}' is judged by {how}" for name, how in finding.judged.items()
              if name in fixed]
    if finding.layers:
        found += ["", *_ruled(fitter.lines(_LAYERS, layer_rows(study, finding)))]
    found += [limits_text(study), *_gone(study, finding), ""]
    found += [f"only on one side: output '{name}' ({study.reference.absent.get(name, '')})"
              for name in finding.one_sided]
    found += [*finding.notes, finding.text]
    found += [f"  probable cause: {c.name}: {c.text}" for c in finding.causes]
    if finding.culprit is not None and not finding.causes:
        found.append("  none of the usual causes explains it")
    return found


def layer_rows(study: Study, finding: Finding) -> list[tuple[str, ...]]:
    """One row for each layer, in the order of computation."""
    rows = []
    place = {layer.tensor: k for k, layer in enumerate(study.layers(), 1)}
    for one in finding.layers:
        layer = one.layer
        name = study.reference.names.get(layer.tensor, layer.tensor)
        whole = _cells(one.whole) if one.whole else ("",) * 4
        alone = _cells(one.alone) if one.alone else ("",) * 4
        rows.append((str(place[layer.tensor]), name, layer.op, *whole, alone[2], alone[3],
                     word(one)))
    return rows


def word(one: Measured) -> str:
    """The verdict on a layer."""
    return "not run" if one.problem else "WRONG" if one.wrong else "ok"


def _cells(found: Comparison) -> tuple[str, str, str, str]:
    if math.isnan(found.similarity):
        return "", "", "differs", ""
    return (f"{found.similarity:.6f}", f"{found.max_abs_error:.3g}", f"{found.max_rel_error:.3g}",
            f"{found.sqnr_db:.1f}")


def _ruled(table: Sequence[str]) -> list[str]:
    return [table[0], "-" * max(map(len, table)), *table[1:]]


def _problems(finding: Finding) -> list[str]:
    return [f"'{one.output}': {one.problem}" for one, _ in finding.outputs if one.problem]


def _gone(study: Study, finding: Finding) -> list[str]:
    """What the table of layers does not have."""
    if not finding.layers:
        return []
    reference, found = study.reference, []
    if reference.gone:
        some = "; ".join(f"'{a}' in '{b}'" for a, b in list(reference.gone.items())[:2])
        found.append(f"{len(reference.gone)} tensors of the source no longer exist: they are "
                     f"computed within others ({some}{'; ...' if len(reference.gone) > 2 else ''})")
    computed = {o for node in study.graph.nodes for o in node.outputs}
    absent = [name for name in reference.absent if name in computed]
    if absent:
        found.append(f"{len(absent)} tensors of the converted model have no counterpart and count "
                     f"to the next layer: {', '.join(absent[:3])}"
                     f"{', ...' if len(absent) > 3 else ''}")
    return found
