"""The verdict on a converted model: where it first goes wrong, how much, and probably why.

SPDX-License-Identifier: Apache-2.0
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from mace_tools.analyze import matched_rows, validate
from mace_tools.analyze.compare import bisect, causes, layers
from mace_tools.analyze.compare.causes import Cause
from mace_tools.analyze.compare.engine import Engine
from mace_tools.analyze.compare.layers import Measured, Study
from mace_tools.analyze.validate import Comparison
from mace_tools.graph.extract import Arrays
from mace_tools.graph.run_io import own_outputs


@dataclass
class Finding:
    """What a comparison found. `kind` is agree, wrong layer, accumulated, fused or unknown."""

    outputs: list[tuple[Comparison, str]]  # with the limit that each exceeds
    judged: dict[str, str]  # by what each output was judged
    layers: list[Measured] = field(default_factory=list)  # all, or those that were suspected
    culprit: Measured | None = None
    causes: list[Cause] = field(default_factory=list)
    kind: str = "agree"
    text: str = ""
    notes: list[str] = field(default_factory=list)
    one_sided: list[str] = field(default_factory=list)  # outputs that only one side has
    runs: int = 0  # of the engine, to find the layer

    @property
    def passed(self) -> bool:
        return self.kind == "agree" and not self.one_sided


def examine(study: Study, every_layer: bool, exact: Engine | None = None,
            tell: Callable[[str], None] = lambda text: None) -> Finding:
    """`exact`: the CPU in float32, if the study's engine is another.

    Errors: RunFailedError if the engine cannot run the model."""
    ends = own_outputs(study.graph)
    found = study.whole(ends)
    result = _outputs(study, found)
    result.one_sided = [o for o in ends if o not in study.reference.values]
    failed = any(failure for _, failure in result.outputs)
    if every_layer:
        result.layers = layers.measure(study)
        result.runs = 2 + len(result.layers)
    elif failed:
        result.layers, result.runs = bisect.first_wrong(study, study.layers(), tell)
    result.notes = _odd(study, result, found)
    result.culprit = next((m for m in result.layers if m.wrong or m.problem), None)
    if result.culprit is not None:
        result.kind = "wrong layer"
        if result.culprit.found is not None:
            tell("looking for the cause")
            result.causes = causes.find(study, result.culprit, exact)
    elif failed:
        result.kind = _without_culprit(study)
    result.text = _text(study, result)
    return result


def _outputs(study: Study, found: Arrays) -> Finding:
    """With the outputs judged."""
    ours = {name: array for name, array in found.items() if name in study.reference.values}
    right = {name: study.reference.values[name] for name in ours}
    error = study.limits.whole.error
    ours |= matched_rows.in_order(ours, right, error)

    def changed(name: str) -> Comparison | None:
        others = study.changed()
        if others is None or name not in others:
            return None
        return study.against(name, {**others, **matched_rows.in_order(others, right, error)}[name])

    result = Finding([], {})
    for name, array in ours.items():
        one = study.against(name, array)
        if name in study.small and one.noise == validate.NOISE:
            one = replace(one, noise=0.0)
        verdict = validate.judge(one, study.limits.whole, functools.partial(changed, name))
        result.outputs.append((one, verdict.failure))
        result.judged[name] = verdict.how
    return result


def _without_culprit(study: Study) -> str:
    """Why outputs differ although each layer is right: the engine's fused kernels, or errors that
    add up."""
    everything = study.whole([layer.tensor for layer in study.layers()])
    kept = [o for o in own_outputs(study.graph) if o in everything and o in study.reference.values]
    right = [not study.against(o, everything[o]).failure(study.limits.whole) for o in kept]
    return "fused" if kept and all(right) else "accumulated"


def _odd(study: Study, result: Finding, found: Arrays) -> list[str]:
    """Where NaN and infinity first appear, on each side."""
    reference = study.reference
    order = study.layers()
    there = [(one, n) for one in order if (n := layers.odd(reference.values[one.tensor]))]
    notes = [_first(reference.name, there, study)] if there else []
    outputs = sum(layers.odd(array) for array in found.values())
    here = [(m.layer, m.odd[0]) for m in result.layers if m.odd[0]]
    if outputs and not here:
        everything = study.whole([one.tensor for one in order])
        here = [(one, n) for one in order if (n := layers.odd(everything[one.tensor]))]
    return notes + ([_first("MACE", here, study)] if here else [])


def _first(side: str, found: list[tuple[layers.Layer, int]], study: Study) -> str:
    layer, count = found[0]
    size = study.reference.values[layer.tensor].size
    return (f"in {side}, NaN or infinity first appears in {shown(study, layer)}: {count} of {size} "
            "elements")


def shown(study: Study, layer: layers.Layer) -> str:
    """A layer for messages."""
    name = study.reference.names.get(layer.tensor, layer.tensor)
    where = "" if layer.node.name == name else f", node '{layer.node.name}'"
    return f"'{name}' ({layer.op}{where})"


def _text(study: Study, result: Finding) -> str:
    name, worst = study.reference.name, _worst(result)
    if result.kind == "agree":
        return f"All outputs agree with {name} within the limits.{_layers_agree(study, result)}"
    if result.kind == "accumulated":
        return (f"No layer is wrong alone: the error of the outputs ({worst}) adds up along the "
                "network.")
    if result.kind == "fused":
        return ("Each layer is right, and so are the outputs if the engine keeps every tensor: the "
                "difference comes from kernels that compute several nodes at once; `run "
                "--dump=plan` lists them.")
    culprit = result.culprit
    text = f"The first layer that is wrong is {shown(study, culprit.layer)}."
    if culprit.problem:
        return f"{text} It does not run alone: {culprit.problem}"
    error = culprit.shown.problem or (
        f"relative error {culprit.shown.max_rel_error:.3g}, similarity "
        f"{culprit.shown.similarity:.6f}")
    how = ("Behind other layers, which are right (alone it runs on the CPU)" if culprit.left_gpu
           else f"Alone, with the inputs of {name}")
    text += f" {how}: {error}."
    if culprit.whole is not None and not culprit.whole.problem and not culprit.left_gpu:
        text += f" Within the whole model: relative error {culprit.whole.max_rel_error:.3g}."
    return text if not any(f for _, f in result.outputs) else f"{text} Outputs: {worst}."


def _layers_agree(study: Study, result: Finding) -> str:
    if not result.layers:
        return ""
    ends = set(study.graph.outputs)
    inner = {o for node in study.graph.nodes for o in node.outputs} - ends
    if inner and {m.layer.tensor for m in result.layers} <= ends:
        return (f" Layers were not compared: {study.reference.name} gives none of the tensors "
                "between inputs and outputs.")
    return " Each layer alone does, too."


def _worst(result: Finding) -> str:
    errors = [one.max_rel_error for one, _ in result.outputs if not one.problem]
    problem = next((one.problem for one, _ in result.outputs if one.problem), "")
    return problem or f"relative error up to {max(errors, default=0.0):.3g}"


def report(study: Study, result: Finding) -> dict[str, Any]:
    """For --json."""
    whole, alone = study.limits.whole, study.limits.alone
    culprit = result.culprit
    return {
        "reference": study.reference.name, "device": study.engine.device,
        "passed": result.passed, "verdict": result.kind, "text": result.text,
        "min_similarity": whole.similarity, "max_rel_error": whole.error,
        "alone_min_similarity": alone.similarity, "alone_max_rel_error": alone.error,
        "outputs": [{"output": one.output, **(layers.figures(one) or {}), "passed": not failure,
                     "judged_by": result.judged.get(one.output, "")}
                    for one, failure in result.outputs],
        "first_wrong": layers.report(culprit, study.reference) if culprit else None,
        "causes": [{"cause": c.name, "evidence": c.text} for c in result.causes],
        "layers": [layers.report(m, study.reference) for m in result.layers],
        "notes": result.notes, "only_on_one_side": result.one_sided,
        "not_compared": study.reference.absent, "contained_in": study.reference.gone,
        "engine_runs": result.runs}


def limits_text(study: Study) -> str:
    whole, alone = study.limits.whole, study.limits.alone
    return (f"limits: similarity {whole.similarity:g} and relative error {whole.error:g} of "
            f"outputs, {alone.similarity:g} and {alone.error:g} of a layer alone; an absolute "
            f"error up to {validate.NOISE:.2g} is noise")
