"""The spatial attributes of ONNX nodes.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.channels_first import spatial, to_first, to_last
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode


def spatial_rank(b: Builder, n: SourceNode) -> int:
    """The rank of a spatial op's first operand: 3 or 4.

    The filter or the window tells it if nothing else does."""
    if n.attr("kernel_shape"):
        rank = len(n.attr("kernel_shape")) + 2
    else:
        rank = b.rank(n.inputs[1] if n.op.startswith("Conv") else n.inputs[0])
    if rank not in (3, 4):
        raise Unsupported(f"{n.op} over {rank - 2} spatial dimensions: the engine has 1 to 3",
                          "split it into 2-D operations")
    return rank


def pair(values: list[int] | None, default: int, rank: int = 4) -> list[int]:
    """Two spatial attributes; 1-D ops lack the first one."""
    if not values:
        return [default, default]
    return [default, values[0]] if rank == 3 else [int(values[0]), int(values[1])]


__all__ = ["pair", "spatial", "spatial_rank", "to_first", "to_last"]
