"""Stores the int8 weights that a model multiplies with floats as the codes that they are, rather
than as the floats for which they stand.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.ir import Graph, Tensor
from mace_tools.passes.codes import codes_of
from mace_tools.stored_codes import along, rows_of, store

# The operands that engines read as codes, or make floats of one weight at a time.
_OPERANDS = {("FullyConnected", 1), ("Gather", 0), ("Conv2d", 1), ("DepthwiseConv2d", 1)}


def store_codes(graph: Graph) -> None:
    for tensor in graph.tensors.values():
        if tensor.codes is None or tensor.dtype != "f32" or tensor.data is None \
                or tensor.data.ndim < 2 or not tensor.data.size or tensor.name in graph.outputs:
            continue
        readers = graph.consumers(tensor.name)
        if readers and all((node.op, place) in _OPERANDS for node in readers
                           for place, name in enumerate(node.inputs) if name == tensor.name):
            _store(tensor)


def _store(tensor: Tensor) -> None:
    """Where the rows have a scale each, and the codes give the very floats."""
    quant = tensor.codes
    if quant.axis not in (None, 0) or quant.zero_point.any():
        return
    codes = codes_of(tensor, "i8")
    if codes is None:
        return
    rows = rows_of(codes)
    scales = np.broadcast_to(quant.scale.astype(np.float32), len(rows))
    if np.array_equal(rows.astype(np.float32) * along(rows, scales), rows_of(tensor.data)):
        store(tensor, "i8", rows, scales)
