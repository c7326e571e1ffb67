"""Names the usual causes of a wrong layer: those that make its error vanish, or that values show.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mace_tools.analyze.compare import values, variants
from mace_tools.analyze.compare.engine import Engine
from mace_tools.analyze.compare.layers import Measured, Study
from mace_tools.analyze.validate import Comparison
from mace_tools.graph.extract import Part, fitted

_AT_ONCE = 12  # variants in one run of mace_run: each is a file with its weights
_MAX = 3  # causes that are named


@dataclass(frozen=True)
class Cause:
    """`name` is a word or two for programs, `text` a sentence with the evidence."""

    name: str
    text: str


def find(study: Study, measured: Measured, exact: Engine | None = None) -> list[Cause]:
    """The causes for which there is evidence, the likeliest first. `exact`: the CPU in float32, if
    the study's engine is another.

    REQUIRES: the layer is wrong, and its result was kept."""
    actual, layer = measured.found, measured.layer
    reference = study.reference.values[layer.tensor]
    causes = [] if exact is None else [*_precision(study, measured, exact)]
    if causes:
        return causes
    def passes(array: np.ndarray) -> bool:
        return _better(study, measured, study.against(layer.tensor, array))
    shown = [*values.layout(actual, reference, passes),
             *values.affine(layer, actual, reference, study.reference)]
    causes = [Cause(name, text) for name, text in shown]
    known = any(c.name in ("layout", "epsilon", "bias") for c in causes)
    tried = [] if known or measured.left_gpu else _tried(study, measured)
    if tried:  # "a factor for each channel" says less than what makes the error vanish
        causes = tried
    return causes[:_MAX]


def _better(study: Study, measured: Measured, found: Comparison) -> bool:
    """Whether the error vanishes: within the limits, and a tenth of what it was."""
    before = measured.shown
    if study.failure(found):
        return False
    return bool(before.problem) or not found.max_rel_error > 0.1 * before.max_rel_error


def _precision(study: Study, measured: Measured, exact: Engine) -> Iterator[Cause]:
    """Whether the CPU in float32 computes the layer correctly."""
    name = measured.layer.tensor
    result = exact.run([study.part(measured.layer)])[0]
    if result.error or study.failure(study.against(name, result.outputs[name])):
        return
    sizes = [measured.largest] + [float(np.abs(study.reference.values[s]).max(initial=0.0))
                                  for s in measured.layer.starts if s in study.reference.values]
    for cause, text in values.overflow(measured.found, max(sizes)):
        yield Cause(cause, f"{text}; in float32 the layer is right")
        return
    where = "16-bit weights" if study.engine.device == "cpu" else "the GPU's kernel or its fp16"
    error = study.against(name, result.outputs[name]).max_rel_error
    yield Cause("precision", f"on the CPU in float32 the layer is right (relative error "
                             f"{error:.2g}): {where} cause the difference")


def _tried(study: Study, measured: Measured) -> list[Cause]:
    """Variants of the layer, a group at a time, until some make the error vanish."""
    part = study.part(measured.layer)
    found = _inputs(study, measured, part)
    sources = values.source_nodes(measured.layer, study.reference)
    epsilons = [float(v) for node in sources for k, v in node.attrs.items() if "epsilon" in k]
    constants = study.reference.model.constants if study.reference.model else {}
    vectors = {i: constants[i] for node in sources for i in node.inputs
               if i in constants and constants[i].ndim and constants[i].size > 1}
    for group in variants.groups(part, epsilons, vectors):
        for k in range(0, len(group), _AT_ONCE):
            found += _run(study, measured, part, group[k : k + _AT_ONCE])
        if found:
            break
    kept: dict[str, Cause] = {}
    for cause in found:
        kept.setdefault(cause.name, cause)
    return list(kept.values())


def _run(study: Study, measured: Measured, part: Part, group: list[variants.Variant]
         ) -> list[Cause]:
    name = measured.layer.tensor
    shape = study.reference.values[name].shape
    causes = []
    for variant, result in zip(group, study.engine.run([v.made(part, shape) for v in group])):
        if result.error:
            continue  # the change does not fit the layer
        found = study.against(name, result.outputs[name])
        if _better(study, measured, found):
            causes.append(Cause(variant.cause, f"with {variant.words} in {variant.node} "
                                               f"{_fall(measured, found)}"))
    return causes


def _inputs(study: Study, measured: Measured, part: Part) -> list[Cause]:
    """Inputs of the model as another preprocessing would give them."""
    name, causes = measured.layer.tensor, []
    starts = [s for s in measured.layer.starts if s in study.inputs]
    changes = [change for s in starts[:1] for change in _preprocessed(study.inputs[s])]
    if len(starts) != 1 or len(part.feeds) != 1 or not changes:
        return []
    (fed, old), = part.feeds.items()
    dtype = part.graph.tensors[fed].dtype
    parts = [replace(part, feeds={fed: fitted(array, dtype)}) for _, array in changes]
    for (words, _), result in zip(changes, study.engine.run(parts)):
        if result.error:
            continue
        found = study.against(name, result.outputs[name])
        if _better(study, measured, found):
            cause = "channel order" if "channel" in words else "preprocessing"
            causes.append(Cause(cause, f"if the engine's input '{starts[0]}' is {words}, "
                                       f"{_fall(measured, found)}"))
    return causes


def _preprocessed(x: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if x.dtype.kind != "f" or x.ndim < 2:
        return
    for axis in {1, x.ndim - 1}:
        if x.shape[axis] == 3:
            yield "given with its channels in reverse (RGB and BGR)", np.flip(x, axis)
    for words, scale, shift in (
            ("divided by 255", 1 / 255, 0.0), ("multiplied by 255", 255.0, 0.0),
            ("x / 127.5 - 1", 1 / 127.5, -1.0), ("127.5 x + 127.5", 127.5, 127.5),
            ("2 x - 1", 2.0, -1.0), ("(x + 1) / 2", 0.5, 0.5)):
        yield words, (x.astype(np.float64) * scale + shift)


def _fall(measured: Measured, found: Comparison) -> str:
    before = measured.shown
    if before.problem:
        return f"the result matches (relative error {found.max_rel_error:.2g})"
    return f"its relative error falls from {before.max_rel_error:.2g} to {found.max_rel_error:.2g}"
