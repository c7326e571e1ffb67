"""Real numbers to magnitudes, real or imaginary parts of their spectrum, without complex numbers.

SPDX-License-Identifier: Apache-2.0

TensorFlow and TFLite share these. A transform and an operator that makes real numbers of its result
become one node, "TRANSFORM.READER"; a transform with another reader stays, and is refused.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceModel, SourceNode
from mace_tools.convert.importers.spectral import fitted, magnitudes, of_pairs, of_real, table


def joined(model: SourceModel, transforms: Collection[str], readers: Collection[str],
           casts: Mapping[str, str], views: Collection[str] = ()) -> SourceModel:
    """The model with one node for each transform and reader of it. `views` between the two, which
    give the result another shape, follow that node. `casts` of complex numbers read what the
    reader of that name does."""
    if not any(node.op in transforms for node in model.nodes):
        return model
    made, nodes = model.producers(), []
    for node in model.nodes:
        between: list[SourceNode] = []
        reads = (node.op in readers or node.op in casts) and node.inputs
        maker = made.get(node.inputs[0]) if reads else None
        while maker is not None and maker.op in ("Identity", *views):
            between += [maker] if maker.op in views else []
            maker = made.get(maker.inputs[0])
        if maker is not None and maker.op in transforms and node.op in casts:
            real = replace(node, op=casts[node.op], outputs=[f"{node.outputs[0]}/part"])
            nodes += [*_reading(real, maker, between[::-1]), replace(node, inputs=real.outputs)]
        elif maker is not None and maker.op in transforms:
            nodes += _reading(node, maker, between[::-1])
        else:
            nodes.append(node)
    return replace(model, nodes=nodes)


def _reading(reader: SourceNode, transform: SourceNode, views: Sequence[SourceNode]
             ) -> list[SourceNode]:
    """The node of a transform and its reader, and copies of the views between them."""
    result = reader.outputs[0]
    names = [f"{result}/{k}" for k in range(len(views))] + [result]
    found = [replace(reader, op=f"{transform.op}.{reader.op}", inputs=list(transform.inputs),
                     outputs=[names[0], *reader.outputs[1:]], attrs=transform.attrs)]
    for view, x, y in zip(views, names, names[1:]):
        found.append(replace(view, name=y, inputs=[x, *view.inputs[1:]], outputs=[y]))
    return found


def part(b: Builder, x: str, lengths: list[int], what: str) -> str:
    """The magnitudes ("abs"), or the "real" or "imag" parts, of the first half of the spectrum of
    the last axes of x, which are cut or filled with zeros to these lengths."""
    if min(lengths) < 1 or len(lengths) > b.rank(x):
        raise Unsupported(f"a transform of lengths {lengths} of a tensor with {b.rank(x)} axes",
                          "give as many lengths above 0 as there are axes")
    rank = max(b.rank(x), 2)
    alone = b.rank(x) == 1
    x = b.op("ExpandDims", x, axis=[0]) if alone else x
    for k, length in enumerate(lengths):
        x = fitted(b, x, rank - len(lengths) + k, length)
    length = lengths[-1]
    bins = length // 2 + 1
    y = b.op("MatMul", x, b.add_const(of_real(table(length, length, bins, -1)), name="turns"))
    y = b.op("Reshape", y, dim=[0] * (rank - 1) + [bins, 2])
    if len(lengths) == 2 and lengths[0] > 1:
        y = _along_rows(b, y, rank, lengths[0])
    elif len(lengths) > 2:
        raise Unsupported(f"a transform along {len(lengths)} axes", "one and two convert")
    if what == "abs":
        y = magnitudes(b, y)
    else:
        y = b.op("Gather", y, b.add_const(np.int32("real imag".split().index(what))), axis=rank)
    return b.op("Squeeze", y, axis=[0]) if alone else y


def _along_rows(b: Builder, y: str, rank: int, rows: int) -> str:
    """The transform of pairs [..., rows, bins, 2] along the rows."""
    order = [*range(rank - 2), rank - 1, rank - 2, rank]
    lead = [0] * (rank - 1)
    flat = b.op("Reshape", b.transpose(y, order), dim=[*lead, 2 * rows])
    turned = b.op("MatMul", flat, b.add_const(of_pairs(table(rows, rows, rows, -1)), name="turns"))
    return b.transpose(b.op("Reshape", turned, dim=[*lead, rows, 2]), order)
