"""Sizes that a file states twice, and which have to fit.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite.flat import PADDINGS
from mace_tools.support.errors import ModelError


def check_transposed(b: Builder, n: SourceNode, x: str, size: Sequence[int],
                     kernel: Sequence[int | None]) -> None:
    """Whether a convolution of the result of a transposed one would have the extents of x, as far
    as they are known; `size` and `kernel` are spatial. LiteRT does not check, and reads whatever is
    there.

    Errors: ModelError."""
    shape, same = b.shape(x), PADDINGS.get(n.attr("Padding", 0)) == "SAME"
    for axis, out, reach, own in zip("DHW"[-len(size):], size, kernel, (shape or ())[1:]):
        step, gap = n.attr(f"Stride{axis}", 1), n.attr(f"Dilation{axis}Factor", 1)
        if own is None or reach is None or min(step, gap) < 1:
            continue
        rest = out if same else out - (reach - 1) * gap
        if -(-rest // step) != own:
            raise ModelError(f"{n.op} '{n.name}': an output of {list(size)} does not fit its input "
                             f"{list(shape or ())} with Stride{axis} {step}: it would come from "
                             f"{-(-rest // step)} elements along {axis}, not {own}")
