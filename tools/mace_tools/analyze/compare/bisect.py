"""Finds the first wrong layer without running every layer, by halving the model.

SPDX-License-Identifier: Apache-2.0

The engine's later part is fed with the reference's own tensors at a cut. The tensors at a later cut
tell whether it went wrong in between; halving leads to the first layer after which they are. Alone,
that layer is either wrong itself, or it only passes on errors that accumulated; then the search
goes on behind it.
"""

from collections.abc import Callable, Sequence

from mace_tools.analyze.compare.layers import Layer, Measured, Study, run_alone
from mace_tools.graph.extract import Part, cut, starts_of


def first_wrong(study: Study, layers: Sequence[Layer], tell: Callable[[str], None] = lambda s: None
                ) -> tuple[list[Measured], int]:
    """The layers that were run alone, in their order; the last is the first wrong one if one was
    found. Second: the number of runs of the engine."""
    suspects: list[Measured] = []
    first, runs = 0, 0
    while first < len(layers):
        low, high = first, len(layers) - 1  # the first cut that diverges is in this range, if any
        runs += 1
        if not diverges(study, layers, first, high):
            break
        while low < high:
            middle = (low + high) // 2
            runs += 1
            tell(f"layers {first + 1} to {middle + 1} of {len(layers)}")
            if diverges(study, layers, first, middle):
                high = middle
            else:
                low = middle + 1
        runs += 1
        suspects += run_alone(study, [layers[low]])
        if suspects[-1].left_gpu:
            _judge_behind(study, layers, first, low, suspects[-1])
        if suspects[-1].wrong or suspects[-1].problem:
            break
        first = low + 1
    return suspects, runs


def diverges(study: Study, layers: Sequence[Layer], first: int, last: int) -> bool:
    """Whether the layers from `first` to `last`, computed from the reference's tensors before
    `first`, give something at the cut behind `last` that exceeds the limits of a layer."""
    ends = _live(study, layers, first, last)
    result = study.engine.run([_cut(study, layers, first, ends)])[0]
    if result.error:
        return True
    return any(study.failure(study.against(end, result.outputs[end])) for end in ends)


def _judge_behind(study: Study, layers: Sequence[Layer], first: int, last: int, one: Measured
                  ) -> None:
    """Measures a layer behind those from `first` on, as the first of them that diverges."""
    result = study.engine.run([_cut(study, layers, first, [layers[last].tensor])])[0]
    one.problem = result.error
    if not result.error:
        one.found = result.outputs[layers[last].tensor]
        one.whole = study.against(layers[last].tensor, one.found)
        one.wrong = study.failure(one.whole)


def _cut(study: Study, layers: Sequence[Layer], first: int, ends: Sequence[str]) -> Part:
    """The part from the reference's tensors before the layer `first` to `ends`."""
    given = {**study.inputs, **{one.tensor: study.reference.values[one.tensor]
                                for one in layers[:first]}}
    feeds = {s: given[s] for end in ends for s in starts_of(study.graph, end, given)}
    return cut(study.graph, feeds, ends)


def _live(study: Study, layers: Sequence[Layer], first: int, last: int) -> list[str]:
    """The tensors of these layers that later ones read, or that are outputs of the model."""
    later = {s for one in layers[last + 1 :] for s in one.starts}
    return [one.tensor for one in layers[first : last + 1]
            if one.tensor in later or one.tensor in study.graph.outputs or one is layers[last]]
