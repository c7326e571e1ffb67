"""Searches the fewest layers that must stay in float32 to keep an accuracy.

SPDX-License-Identifier: Apache-2.0

Layers are ordered by what each one costs alone; a bisection finds how many of the worst must stay
in float32; then each of these is tried quantized again, the least harmful first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mace_tools.analyze.quantize.candidates import HEAVY
from mace_tools.graph.ir import Graph, Node
from mace_tools.support.errors import MaceError

# The least cosine similarity of the outputs with these nodes in float32.
Trial = Callable[[Sequence[str]], float]


@dataclass(frozen=True)
class Kept:
    """The nodes to leave in float32, with what each costs alone (1 - similarity)."""

    costs: dict[str, float]
    all_quantized: float  # the similarity
    trials: int


def units(graph: Graph, nodes: Sequence[Node]) -> list[list[str]]:
    """The layers, each with the nodes that follow it up to the next layers: what lies between two
    layers in float32 stays in float32."""
    owner: dict[Node, int] = {}
    found: list[list[str]] = []
    chosen = set(nodes)
    for node in nodes:
        above = [graph.producer(i) for i in node.inputs if i]
        owners = {owner[n] for n in above if n is not None and n in chosen}
        if node.op in HEAVY or len(owners) != 1:
            found.append([])
            owner[node] = len(found) - 1
        else:
            owner[node] = owners.pop()
        found[owner[node]].append(node.name)
    return found


def search(layers: Sequence[Sequence[str]], trial: Trial, alone: Callable[[Sequence[str]], float],
           budget: float, step: Callable[[str], None]) -> Kept:
    """`alone` is the similarity with only these quantized nodes. Errors: MaceError if only a model
    in float32 keeps the budget."""
    trials, wanted = 1, 1 - budget
    step("trying all layers quantized")
    similarity = trial([])
    if similarity >= wanted:
        return Kept({}, similarity, trials)
    costs = {}
    for k, layer in enumerate(layers):
        step(f"layer {k + 1} of {len(layers)} quantized alone")
        costs[k] = 1 - alone(layer)
    order = sorted(costs, key=lambda k: (-costs[k], k))
    trials += len(order)

    def left(ks: Sequence[int]) -> list[str]:
        return [name for k in sorted(ks) for name in layers[k]]

    low, high = 0, len(order)  # too few, enough
    while high - low > 1:
        middle = (low + high) // 2
        step(f"{middle} layers in float32")
        trials += 1
        if trial(left(order[:middle])) >= wanted:
            high = middle
        else:
            low = middle
    if high == len(order):
        raise MaceError(cannot(budget, similarity))
    kept = order[:high]
    for k in reversed(order[:high]):
        others = [j for j in kept if j != k]
        step(f"{len(others)} layers in float32")
        trials += 1
        if trial(left(others)) >= wanted:
            kept = others
    return Kept({name: costs[k] for k in kept for name in layers[k]}, similarity, trials)


def cannot(budget: float, similarity: float) -> str:
    """The error of a budget that only a model in float32 keeps."""
    return (f"the accuracy budget {budget:g} cannot be met: with all layers quantized the outputs "
            f"have the similarity {similarity:.6f}, and only with all of them in float32 at least "
            f"{1 - budget:.6f}; allow more, give more samples, or try another method")
