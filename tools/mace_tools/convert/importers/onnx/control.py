"""If, Loop and Scan: in place of the node where the condition is known, else as subgraphs.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.frames import takes_sequences
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.sequences import Appends
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceGraph, SourceNode
from mace_tools.convert.importers.subgraphs import branches, loop_node, unrolled
from mace_tools.support.errors import ModelError

# What a loop of constant length may add to the graph to be unrolled.
MAX_UNROLLED = 64
_FOREVER = (1 << 63) - 1


@registry.op("If")
def if_(b: Builder, n: SourceNode) -> list[str]:
    """The branch that the condition chooses, if it is known; else an If of the engine"""
    both = n.attr("then_branch"), n.attr("else_branch")
    for branch in both:
        if not isinstance(branch, SourceGraph) or len(branch.outputs) < len(n.outputs):
            raise ModelError(f"If '{n.name}': a branch is missing, or has fewer outputs than the "
                             "node")
    value = b.const(n.inputs[0])
    if value is None:
        value = b.known(n.inputs[0])
        if value is None:
            return branches(b, n, n.inputs[0], *both)
        b.depends_on_shapes(f"If '{n.name}'")
    if value.size != 1:
        raise ModelError(f"If '{n.name}': its condition must have one element, it has the shape "
                         f"{list(value.shape)}")
    return b.inline(n, both[0] if bool(value.reshape(-1)[0]) else both[1])


@registry.op("Loop")
@takes_sequences
def loop(b: Builder, n: SourceNode) -> list[str]:
    """A short loop of constant length is unrolled; others are Loops of the engine"""
    body = _body(n, "Loop")
    count, condition, *carried = [*n.inputs, "", ""][: max(2, len(n.inputs))]
    if len(body.inputs) != len(carried) + 2 or len(body.outputs) < len(carried) + 1:
        raise ModelError(f"Loop '{n.name}': carries {len(carried)} values, its body has "
                         f"{len(body.inputs)} inputs and {len(body.outputs)} outputs")
    times = b.const(count)
    begins = b.const(condition) if condition else np.array(True)
    if (times is not None and begins is not None and bool(begins.reshape(-1)[0])
            and _only_counts(b, body)
            and 0 < times.item() and times.item() * len(body.nodes) <= MAX_UNROLLED):
        return unrolled(b, n, body, int(times.item()), carried)
    count = count or b.add_const(np.int64(_FOREVER))
    condition = condition or b.add_const(np.array(True))
    appends = Appends(b, body, carried)
    return appends.results(b, loop_node(b, n, appends.body, count, condition, appends.carried))


def _body(n: SourceNode, op: str) -> SourceGraph:
    body = n.attr("body")
    if not isinstance(body, SourceGraph):
        raise ModelError(f"{op} '{n.name}': its body is missing")
    return body


def _only_counts(b: Builder, body: SourceGraph) -> bool:
    """Whether the condition stays what it is: it is true, or the one given."""
    made = {out: node for node in body.nodes for out in node.outputs}
    name = body.outputs[0]
    while name in made and made[name].op == "Identity":
        name = made[name].inputs[0]
    value = b.model.constants.get(name)
    return name == body.inputs[1] or value is not None and bool(np.all(value))


@registry.op("Scan")
def scan(b: Builder, n: SourceNode) -> list[str]:
    """A Loop over the slices of its scanned inputs"""
    if b.opset < 9:
        raise Unsupported("Scan of operator set 8", "convert the model to operator set 9 or later "
                          "(onnx.version_converter)")
    body, scanned = _body(n, "Scan"), n.attr("num_scan_inputs")
    states = len(n.inputs) - scanned
    made = len(body.outputs) - states
    if scanned < 1 or states < 0 or made < 0 or len(body.inputs) != len(n.inputs):
        raise ModelError(f"Scan '{n.name}': has {len(n.inputs)} inputs, of which {scanned} are "
                         f"scanned; its body has {len(body.inputs)} inputs and "
                         f"{len(body.outputs)} outputs")
    axes = [a % b.rank(x) for a, x in zip(n.attr("scan_input_axes", [0] * scanned),
                                          n.inputs[states:])]
    turned = [b.op("Reverse", x, axis=[axis]) if back else x
              for x, axis, back in zip(n.inputs[states:], axes,
                                       n.attr("scan_input_directions", [0] * scanned))]
    count = b.op("Shape", turned[0], output_type="i64", start=axes[0], end=axes[0] + 1)

    def slices(i: str) -> None:
        for source, x, axis in zip(body.inputs[states:], turned, axes):
            b.rename_input(source, b.op("Gather", b.capture(x), i, axis=axis))

    names = ["", "", *body.inputs[:states]]
    inner = SourceGraph(body.nodes, body.outputs, names)
    results = loop_node(b, n, inner, count, b.add_const(np.array(True)), n.inputs[:states],
                        slices, lambda made: b.add_const(np.array(True)))
    return results[:states] + [
        _placed(b, y, axis, back) for y, axis, back in zip(
            results[states:], n.attr("scan_output_axes", [0] * made),
            n.attr("scan_output_directions", [0] * made))]


def _placed(b: Builder, y: str, axis: int, back: int) -> str:
    """Stacked results with the stacking axis where it belongs."""
    if back:
        y = b.op("Reverse", y, axis=[0])
    rank = b.rank(y) if axis else 0
    axis = axis % rank if rank else 0
    return b.transpose(y, [*range(1, axis + 1), 0, *range(axis + 1, rank)]) if axis else y
