"""Convolutions over three dimensions, as sums of convolutions over two.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers import volumes
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints, summed
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.activations import activated
from mace_tools.convert.importers.tflite.flat import PADDINGS
from mace_tools.convert.importers.tflite.sizes import check_transposed
from mace_tools.convert.importers.tflite.windows import operand, window


def _along_depth(n: SourceNode, kernel: int, depth: int) -> volumes.Window:
    """The window along the depth, for a convolution of so many planes; window(n) has what it is
    along height and width."""
    along = volumes.Window([kernel], [n.attr("StrideD", 1)], [n.attr("DilationDFactor", 1)])
    if PADDINGS[n.attr("Padding", 0)] == "SAME":
        along.pad_same([depth])
    return along


@registry.op("CONV_3D")
def conv_3d(b: Builder, n: SourceNode) -> str:
    data, (depth, *_) = volumes.constant_filter(b, n.inputs[1]), volumes.extents(b, n.inputs[0])
    along, its_window = _along_depth(n, len(data), depth), window(n)

    def compute(x: str, k: int) -> str:
        w = volumes.plane_weights(b, data[k], [3, 2, 0, 1])  # HWIO -> OIHW
        bias = operand(n, 2) if k == 0 else ""
        return b.op("Conv2d", volumes.planes(b, x), w, bias, **its_window)

    y = activated(b, n, summed(b, volumes.conv(b, n.inputs[0], along, compute)))
    return volumes.stacked(b, y, along.windows(depth))


@registry.op("CONV_3D_TRANSPOSE")
def conv_3d_transpose(b: Builder, n: SourceNode) -> str:
    size, data = fixed_ints(b, n.inputs[0], "output shape"), volumes.constant_filter(b, n.inputs[1])
    x, (depth, *_) = volumes.planes(b, n.inputs[2]), volumes.extents(b, n.inputs[2])
    check_transposed(b, n, n.inputs[2], size[1:4], data.shape[:3])
    along, its_window = _along_depth(n, len(data), size[1]), window(n)

    def compute(k: int) -> str:
        w = volumes.plane_weights(b, data[k], [2, 3, 0, 1])  # HWOI -> OIHW
        y = b.op("Deconv2d", x, w, **its_window, output_shape=size[2:4])
        return volumes.stacked(b, y, depth)

    *parts, last = volumes.deconv(b, along, size[1], compute)
    if operand(n, 3):
        last = b.op("Eltwise", last, operand(n, 3), type="SUM")
    return activated(b, n, summed(b, [*parts, last]))
