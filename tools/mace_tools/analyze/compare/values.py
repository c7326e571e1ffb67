"""Causes that the values of a wrong layer show, without running it again.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from mace_tools.analyze.compare.layers import Layer
from mace_tools.analyze.compare.reference import Reference
from mace_tools.convert.importers.source import SourceNode

FP16_MAX = 65504.0
_MAX_AXES = 5
Found = tuple[str, str]  # the cause, and what shows it
_ENOUGH = 4  # elements of a channel, to tell a constant or a factor
_CLOSE = 1e-3  # of the largest difference: how constant a difference must be


def layout(actual: np.ndarray, reference: np.ndarray,
           passes: Callable[[np.ndarray], bool]) -> Iterator[Found]:
    """The same elements in another order. `passes` compares with the reference."""
    rank = reference.ndim
    if not 2 <= rank <= _MAX_AXES or actual.size != reference.size:
        return
    for order in itertools.permutations(range(rank)):
        if list(order) == sorted(order):
            continue
        if actual.ndim == rank and tuple(actual.shape[k] for k in order) == reference.shape:
            if passes(actual.transpose(order)):
                yield "layout", f"its result matches when transposed by {list(order)}"
                return
        moved = tuple(reference.shape[k] for k in order)
        if passes(actual.reshape(moved).transpose(np.argsort(order))):
            yield ("layout", f"its elements are those of the reference transposed by "
                             f"{list(order)}")
            return
    for axis in range(rank if actual.shape == reference.shape else 0):
        if actual.shape[axis] > 1 and passes(np.flip(actual, axis)):
            yield "channel order", f"its result matches with axis {axis} in reverse"
            return


def affine(layer: Layer, actual: np.ndarray, reference: np.ndarray, right: Reference
           ) -> Iterator[Found]:
    """A constant that is added, or a factor, for each channel: a bias, a batch normalization."""
    if actual.shape != reference.shape or actual.ndim < 2 or actual.dtype.kind != "f":
        return
    a, r = (x.astype(np.float64).reshape(-1, x.shape[-1]) for x in (actual, reference))
    limit = float(layer.node.attrs.get("max_limit") or np.inf)
    a, r = (_before(x, layer.node.attrs.get("activation", "NOOP"), limit) for x in (a, r))
    usable = np.isfinite(a) & np.isfinite(r)
    enough = [c for c in range(a.shape[1]) if usable[:, c].sum() >= _ENOUGH]
    if not enough:
        return
    scale = max(float(np.abs(r[usable]).max()), 1e-30)
    parts = [(a[usable[:, c], c], r[usable[:, c], c]) for c in enough]
    shifts = np.array([np.median(y - x) for x, y in parts])
    spread = max(float(np.abs(y - x - s).max()) for (x, y), s in zip(parts, shifts))
    if spread < _CLOSE * np.abs(shifts).max() and np.abs(shifts).max() > 1e-5 * scale:
        yield ("bias", f"it differs by a constant for each of {len(enough)} channels, up to "
                       f"{np.abs(shifts).max():.3g}")
        return
    fits = [np.polyfit(x, y, 1) if np.ptp(x) > 1e-6 * scale else None for x, y in parts]
    errors = [float(np.abs(np.polyval(f, x) - y).max()) for f, (x, y) in zip(fits, parts)
              if f is not None]
    if errors and max(errors) < 1e-5 * scale:
        factors = {c: float(f[0]) for c, f in zip(enough, fits) if f is not None}
        found = list(_epsilon(layer, factors, right))
        yield from found
        if found:
            return
        yield ("scale", "it differs by a factor and a constant for each channel (factors "
                        f"{min(factors.values()):.5g} to {max(factors.values()):.5g}): look at "
                        "batch normalizations, biases and scales in it")


def _before(x: np.ndarray, activation: str, limit: float) -> np.ndarray:
    """What the activation was applied to, and NaN where that cannot be told."""
    inside = {"NOOP": np.ones(x.shape, bool), "RELU": x > 0, "RELUX": (x > 0) & (x < limit),
              "TANH": np.abs(x) < 0.99, "SIGMOID": np.abs(x - 0.5) < 0.49}.get(activation)
    if inside is None:
        return np.full(x.shape, np.nan)
    x = np.where(inside, x, np.nan)
    with np.errstate(all="ignore"):
        inverse = {"TANH": np.arctanh, "SIGMOID": lambda v: np.log(v / (1 - v))}.get(activation)
        return x if inverse is None else inverse(x)


def _epsilon(layer: Layer, factors: dict[int, float], right: Reference) -> Iterator[Found]:
    """Whether another epsilon in a batch normalization of the source explains the factors."""
    for node in source_nodes(layer, right):
        name = next((i for i in node.inputs[4:5] if right.model and i in right.model.constants), "")
        if not name or "Norm" not in node.op:
            continue
        variance = right.model.constants[name].astype(np.float64).ravel()
        given = float(node.attrs.get("epsilon", 1e-5 if right.model.framework == "onnx" else 1e-4))
        used = {c: (variance[c] + given) * f**2 - variance[c] for c, f in factors.items()
                if c < variance.size}
        # The smaller the variance, the more exactly a channel tells.
        best = sorted(used, key=lambda c: variance[c])[: max(1, len(used) // 2)]
        guess = float(np.median([used[c] for c in best])) if best else -1.0
        again = {c: np.sqrt((variance[c] + max(guess, 0)) / (variance[c] + given)) for c in used}
        change = max((abs(f - 1) for f in factors.values()), default=0.0)
        if guess >= 0 and all(abs(again[c] - factors[c]) < 0.02 * change for c in again):
            yield ("epsilon", f"its factors are those of an epsilon of {guess:.2g} in '{node.name}'"
                              f" ({node.op}), which has {given:.2g}")
            return


def source_nodes(layer: Layer, right: Reference) -> list[SourceNode]:
    """The nodes of the source model that a layer does the work of."""
    if right.model is None:
        return []
    made = right.model.producers()
    ends = {right.names[s] for s in layer.starts if s in right.names}
    stack, found = [right.names.get(layer.tensor, "")], []
    while stack:
        node = made.get(stack.pop())
        if node is None or node in found or len(found) > 64:
            continue
        found.append(node)
        stack.extend(i for i in node.inputs if i and i not in ends)
    return found


def overflow(actual: np.ndarray, largest: float) -> Iterator[Found]:
    """Values that fp16 cannot hold."""
    if largest > FP16_MAX:
        bad = int(np.size(actual) - np.isfinite(actual).sum())
        shown = f", and {bad} of its elements are NaN or infinite here" if bad else ""
        yield ("fp16 range", f"the reference has values up to {largest:.4g}, and fp16 ends at "
                             f"{FP16_MAX:.0f}{shown}")
