"""The error of every layer: within the whole model, and alone, from the reference's own inputs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mace_tools.analyze import validate
from mace_tools.analyze.compare.engine import Engine
from mace_tools.analyze.compare.reference import Reference
from mace_tools.analyze.validate import Comparison
from mace_tools.convert.passes.dequantize_around import dequantized
from mace_tools.graph.extract import Arrays, Part, cut, nodes_between, starts_of
from mace_tools.graph.ir import Graph, Node
from mace_tools.support.exit_codes import RunFailedError

# The limits of one layer that is fed with the reference's inputs, as those of validate.py for whole
# models. Float32 sums in another order differ by 1e-6 of the largest element in the networks of
# test/golden; sixteen bits by 2^-11 or 2^-9 of each product.
_EXACT, _ROUGH = validate.Limits(0.99999, 5e-5), validate.Limits(0.999, 2e-2)
ALONE = {"cpu": _EXACT, "half": _ROUGH, "gpu": _ROUGH, "dsp": _EXACT}


@dataclass(frozen=True)
class Layer:
    """A tensor of the converted graph that the reference has, and the nodes that compute it from
    earlier ones of these."""

    tensor: str
    nodes: tuple[Node, ...]
    starts: tuple[str, ...]

    @property
    def node(self) -> Node:
        return self.nodes[-1]

    @property
    def op(self) -> str:
        return "+".join(dict.fromkeys(n.op for n in self.nodes))


@dataclass
class Measured:
    """A layer's errors; None where it was not computed so."""

    layer: Layer
    whole: Comparison | None = None
    alone: Comparison | None = None
    wrong: str = ""  # the limit that it exceeds alone
    problem: str = ""  # why it could not be computed alone
    largest: float = math.nan  # magnitude in the reference
    odd: tuple[int, int] = (0, 0)  # NaN or infinite elements here and in the reference
    found: np.ndarray | None = field(default=None, repr=False)  # its result, kept if it is wrong
    # Alone, the engine does not run it on the GPU, because that would not pay; then only what it
    # does behind other layers tells.
    left_gpu: bool = False

    @property
    def shown(self) -> Comparison | None:
        """What tells whether the layer is wrong."""
        return self.whole if self.left_gpu else self.alone


@dataclass(frozen=True)
class Limits:
    """Of whole outputs and of layers alone."""

    whole: validate.Limits
    alone: validate.Limits

    @staticmethod
    def of(whole: validate.Limits, device: str, half: bool) -> Limits:
        return Limits(whole, ALONE["half" if half and device == "cpu" else device])


@dataclass(frozen=True)
class Study:
    """Everything that a comparison needs: graph, inputs by the graph's names, both sides."""

    graph: Graph
    inputs: Arrays
    engine: Engine
    reference: Reference
    limits: Limits
    rounds: bool = False  # whether the reference computes quantized values in float32
    # Outputs that are right only if their error is small for what they are (validation.is_bounded).
    small: frozenset[str] = frozenset()
    # The outputs of the reference with changed weights (validate.judge); None if there are none.
    changed: Callable[[], Arrays | None] = lambda: None

    def layers(self) -> list[Layer]:
        """In the order in which the engine computes them."""
        known = {**self.reference.values, **self.inputs}
        found = []
        for node in self.graph.nodes:
            for out in node.outputs:
                if out in self.reference.values:
                    starts = starts_of(self.graph, out, known)
                    nodes = nodes_between(self.graph, dict.fromkeys(starts), [out])
                    found.append(Layer(out, tuple(nodes), tuple(starts)))
        return found

    def part(self, layer: Layer) -> Part:
        """The layer alone, with the reference's inputs."""
        known = {**self.reference.values, **self.inputs}
        return cut(self.graph, {s: known[s] for s in layer.starts}, [layer.tensor])

    def whole(self, tensors: Sequence[str]) -> Arrays:
        """Tensors of the whole model in the engine. Errors: RunFailedError."""
        result = self.engine.run([cut(self.graph, self.inputs, tensors)])[0]
        if result.error:
            raise RunFailedError(f"mace_run cannot run the model: {result.error}")
        return result.outputs

    def against(self, tensor: str, actual: np.ndarray, right: np.ndarray | None = None
                ) -> Comparison:
        """Compares a tensor with the reference's, or with `right`: quantized ones by the numbers
        for which they stand."""
        right, quant = self.reference.values[tensor] if right is None else right, None
        found = self.graph.tensors.get(tensor)
        if found is not None and found.quant is not None and found.quant.axis is None:
            quant = found.quant
        noise = self._noise(tensor)
        if quant is None or actual.dtype.kind not in "iu" or right.dtype != actual.dtype:
            return validate.compare(tensor, actual, right, noise)
        return validate.compare(tensor, dequantized(actual, quant), dequantized(right, quant),
                                noise)

    def _noise(self, tensor: str) -> float:
        """What an error may be at any scale. Where the reference rounds to steps in float32,
        results may be a step away."""
        maker = self.graph.producer(tensor)
        names = [tensor, *(maker.inputs[:1] if maker and maker.op == "Dequantize" else ())]
        quants = [self.graph.tensors[n].quant for n in names if n in self.graph.tensors]
        steps = [float(q.scale.max()) for q in quants if q is not None]
        if not steps:
            return validate.NOISE
        return max(steps) * 1.001 if self.rounds else 0.0

    def judge(self, measured: Measured) -> None:
        """Says whether the layer alone exceeds its limits."""
        if measured.alone is not None:
            measured.wrong = self.failure(measured.alone)

    def failure(self, found: Comparison) -> str:
        """The limit of a layer that it exceeds. Noise is none (validate.NOISE), nor are elements
        that are NaN or infinite on both sides."""
        return "" if found.problem == validate.NOTHING else found.failure(self.limits.alone)


def run_alone(study: Study, layers: Sequence[Layer]) -> list[Measured]:
    """Each of these layers from the reference's inputs."""
    results = study.engine.run([study.part(layer) for layer in layers])
    found = []
    for layer, result in zip(layers, results):
        one = Measured(layer, problem=result.error, largest=largest(study, layer.tensor))
        if not result.error:
            one.found = result.outputs[layer.tensor]
            one.alone = study.against(layer.tensor, one.found)
            one.left_gpu = study.engine.device == "gpu" and result.kernels == 0
            if one.left_gpu:
                one.alone, one.found = None, None
            study.judge(one)
            one.found = one.found if one.wrong else None
        found.append(one)
    return found


def measure(study: Study) -> list[Measured]:
    """Every layer, within the whole model and alone."""
    layers = study.layers()
    found = run_alone(study, layers)
    whole = study.whole([layer.tensor for layer in layers])
    diverged: set[str] = set()
    for one in found:
        one.whole = study.against(one.layer.tensor, whole[one.layer.tensor])
        failure = study.failure(one.whole)
        if failure:
            diverged.add(one.layer.tensor)
        if one.left_gpu and failure and not diverged & set(one.layer.starts):
            one.wrong, one.found = failure, whole[one.layer.tensor]
        one.odd = (odd(whole[one.layer.tensor]), odd(study.reference.values[one.layer.tensor]))
    return found


def largest(study: Study, tensor: str) -> float:
    """The largest finite magnitude in the reference."""
    values = study.reference.values[tensor]
    if values.dtype.kind not in "fiu" or not values.size:
        return math.nan
    sizes = np.abs(values.astype(np.float64))
    finite = sizes[np.isfinite(sizes)]
    return float(finite.max()) if finite.size else math.inf


def odd(array: np.ndarray) -> int:
    """How many elements are NaN or infinite."""
    return int(array.size - np.isfinite(array).sum()) if array.dtype.kind == "f" else 0


def report(measured: Measured, reference: Reference) -> dict[str, Any]:
    """For --json. An error that is not finite is null."""
    layer = measured.layer
    return {"tensor": layer.tensor, "nodes": [n.name for n in layer.nodes], "op": layer.op,
            "reference": reference.names.get(layer.tensor, layer.tensor),
            "whole": figures(measured.whole), "alone": figures(measured.alone),
            "alone_on_cpu": measured.left_gpu, "not_finite": list(measured.odd),
            "wrong": measured.wrong, "problem": measured.problem}


def figures(found: Comparison | None) -> dict[str, Any] | None:
    if found is None:
        return None
    values = {"similarity": found.similarity, "max_abs_error": found.max_abs_error,
              "max_rel_error": found.max_rel_error, "sqnr_db": found.sqnr_db}
    return {**{k: v if math.isfinite(v) else None for k, v in values.items()},
            "problem": found.problem}
