"""Stores the int8 weights that a model multiplies with floats as the quantized values that they
are, rather than as the floats for which they stand.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.graph.ir import Graph, Tensor
from mace_tools.graph.quantization import dequantized, quantized_data
from mace_tools.graph.quantized_weights import rows_of, store, store_blocks, store_quantized

# The operands that engines read as quantized values, or make floats of one weight at a time.
_OPERANDS = {("FullyConnected", 1), ("Gather", 0), ("Conv2d", 1), ("DepthwiseConv2d", 1),
             ("Deconv2d", 1)}


# Of weights in blocks.
_BLOCK_OPERANDS = {("FullyConnected", 1), ("Gather", 0)}
_ROUNDED = ("fp16 does not hold the scales of {} weights in blocks of int4 or int8: they are "
            "float32, unless quantize: {{dynamic: int4}} or {{weights_only: int4}} keeps their "
            "quantized values and rounds the scales")


def store_quantized_weights(graph: Graph) -> None:
    _store_blocks(graph)
    for tensor in graph.tensors.values():
        if tensor.source_quant is None or tensor.dtype != "f32" or tensor.data is None \
                or tensor.data.ndim < 2 or not tensor.data.size or tensor.name in graph.outputs:
            continue
        readers = graph.consumers(tensor.name)
        if readers and all((node.op, place) in _OPERANDS for node in readers
                           for place, name in enumerate(node.inputs) if name == tensor.name):
            _store(tensor)


def _store_blocks(graph: Graph) -> None:
    """Weights in blocks, of which each float stays as it is."""
    left = 0
    for tensor in graph.tensors.values():
        readers = graph.consumers(tensor.name)
        if tensor.source_blocks is None or tensor.dtype != "f32" or not readers or any(
                (node.op, place) not in _BLOCK_OPERANDS or node.op == "Gather" and node.attr("axis")
                for node in readers for place, name in enumerate(node.inputs)
                if name == tensor.name) or tensor.name in graph.outputs:
            continue
        left += not store_blocks(tensor)
    if left:
        graph.notes.append(_ROUNDED.format(left))


def _store(tensor: Tensor) -> None:
    """Where the quantized values give the very floats: with scales of rows, which engines read with
    least work, or else with the quantization as it is."""
    quant = tensor.source_quant
    quantized = quantized_data(tensor, "i8")
    if quantized is None or not np.array_equal(dequantized(quantized, quant), tensor.data):
        return
    if quant.axis in (None, 0) and not quant.zero_point.any():
        rows = rows_of(quantized)
        store(tensor, "i8", rows, np.broadcast_to(quant.scale.astype(np.float32), len(rows)))
    else:
        store_quantized(tensor, quantized, quant)
