"""Ranges of tensors from a file, as MACE's quantize_stat writes them: a line for each tensor,
NAME@@LOW,HIGH.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from mace_tools.analyze.quantize.candidates import fixed_quant, keeps_scale
from mace_tools.analyze.quantize.ranges import Range, span_of
from mace_tools.analyze.quantize.scales import is_layer
from mace_tools.config.problems import nearest
from mace_tools.convert.importers.request import some
from mace_tools.convert.passes.match import plain
from mace_tools.graph.ir import Graph, Node
from mace_tools.support.errors import MaceError
from mace_tools.support.limits import read_text
from mace_tools.support.os_errors import explain

_SHOWN = 5


def read(path: Path) -> dict[str, Range]:
    """The range of each tensor, by its name in the source model. Errors: MaceError with the
    line."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as e:
        why = explain(e) if isinstance(e, OSError) else "it is not text"
        raise MaceError(f"cannot read '{path}': {why}") from e
    found: dict[str, Range] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name, mark, ends = line.strip().rpartition("@@")
        try:
            low, high = (float(end) for end in ends.split(","))
        except ValueError:
            low = high = math.nan
        if not (mark and name and math.isfinite(low) and math.isfinite(high) and low <= high):
            raise MaceError(f"{path}:{number}: '{line.strip()[:60]}' is not a range, which is "
                            "NAME@@LOW,HIGH with two numbers, the lower one first")
        if found.setdefault(name, (low, high)) != (low, high):
            raise MaceError(f"{path}:{number}: '{name}' has another range above; keep one")
    return found


def ranges_of(graph: Graph, given: Mapping[str, Range], inputs: Mapping[str, Range], path: Path
              ) -> dict[str, Range]:
    """The ranges of the graph's tensors of floats, as far as the file or the ops say them; each
    contains 0. `inputs`: of inputs that the file may lack. Errors: MaceError if the file is of
    another model."""
    by_name = {name.removesuffix(":0"): ends for name, ends in given.items()}
    chosen: dict[str, Range] = {}
    for name, tensor in graph.tensors.items():
        source, _ = graph.origins.get(name, (name, []))
        ends = by_name.get(source.removesuffix(":0"))
        if ends is not None and tensor.dtype == "f32" and not tensor.is_const:
            chosen[name] = (min(0.0, ends[0]), max(0.0, ends[1]))
    if not chosen:
        computed = [graph.origins.get(n, (n, []))[0] for n, t in graph.tensors.items()
                    if not t.is_const]
        near = nearest(next(iter(by_name), ""), computed)
        hint = f"; did you mean '{near}'?" if near else "."
        raise MaceError(f"{path}: it names no tensor of the model: {some(list(given))}{hint} "
                        f"Tensors of the model: {some(computed)}")
    for name, (low, high) in inputs.items():
        chosen.setdefault(name, (min(0.0, low), max(0.0, high)))
    for node in graph.nodes:  # in the order of computing
        _follow(graph, node, chosen)
    return chosen


def _follow(graph: Graph, node: Node, chosen: dict[str, Range]) -> None:
    """The ranges of results that the file lacks, where the op or the operands decide them."""
    operands = operands_of(graph, node)
    known = all(name in chosen for name in operands) and bool(operands)
    for out in node.outputs:
        fixed = fixed_quant(node)
        if out in chosen:
            continue
        if fixed is not None:
            chosen[out] = span_of(fixed)
        elif known and (keeps_scale(node) or _is_mean(node)) and plain(node):
            lows, highs = zip(*(chosen[name] for name in operands))
            chosen[out] = min(lows), max(highs)
        elif known and node.op == "Activation" and node.attr("activation") in ("RELU", "RELUX"):
            limit = node.attr("max_limit") if node.attr("activation") == "RELUX" else math.inf
            chosen[out] = 0.0, min(float(limit), chosen[operands[0]][1])


def _is_mean(node: Node) -> bool:
    return node.op == "Pooling" or node.op == "Reduce" and node.attr("reduce_type") == "MEAN"


def without(graph: Graph, nodes: Sequence[Node], chosen: Mapping[str, Range]) -> dict[str, str]:
    """The nodes that read or compute a tensor without a range, with that tensor."""
    lacking = {}
    for node in nodes:
        for name in (*operands_of(graph, node), *node.outputs):
            if name not in chosen:
                lacking[node.name] = graph.origins.get(name, (name, []))[0]
                break
    return lacking


def operands_of(graph: Graph, node: Node) -> list[str]:
    """The operands that are activations of floats."""
    inputs = node.inputs[:1] if is_layer(graph, node) else node.inputs
    return [n for n in inputs if n and graph.tensors[n].dtype == "f32"
            and not graph.tensors[n].is_const]


def words(lacking: Mapping[str, str]) -> str:
    """What to tell the user of nodes without ranges."""
    tensors = list(dict.fromkeys(lacking.values()))
    more = f" and {len(tensors) - _SHOWN} more" if len(tensors) > _SHOWN else ""
    return (f"the range file has no range of {', '.join(tensors[:_SHOWN])}{more}, so that "
            f"{len(lacking)} nodes stay in float32; add lines NAME@@LOW,HIGH (of inputs, "
            "input_ranges says it, too)")
