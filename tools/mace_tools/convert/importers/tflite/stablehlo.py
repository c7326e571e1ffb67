"""The StableHLO operators that LiteRT runs, and those of TFLite that came with them.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints, fixed_scalar, fixed_shape, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tf_shared import typed
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.flat import REDUCTIONS


@registry.op("STABLEHLO_COMPOSITE")
def composite(b: Builder, n: SourceNode) -> list[str]:
    """An operator that is defined by a graph of the file, which takes its place."""
    for name in ("Name", "DecompositionSubgraphIndex", "CompositeAttributes",
                 "CompositeAttributesFormat", "Version"):
        n.attr(name)  # for runtimes that know the operator by its name
    return b.inline(n, n.attr("graph"))


_ELTWISE = {"STABLEHLO_ADD": "SUM", "STABLEHLO_MULTIPLY": "PROD", "STABLEHLO_MAXIMUM": "MAX",
            "STABLEHLO_MINIMUM": "MIN"}
MAX_WINDOW = 256  # elements of a window along one axis

registry.op(*_ELTWISE)(typed("Eltwise", _ELTWISE, 2))


@registry.op("STABLEHLO_AND")
def and_(b: Builder, n: SourceNode) -> str:
    if b.dtype(n.inputs[0]) != "bool":
        raise Unsupported(f"of {b.dtype(n.inputs[0])}", "use it on truth values only")
    return b.op("Logical", *n.inputs[:2], type="AND")


@registry.op("STABLEHLO_PAD")
def pad(b: Builder, n: SourceNode) -> str:
    x, value = n.inputs[0], fixed_scalar(b, n.inputs[1], "padding value")
    low, high = n.attr("EdgePaddingLow", []), n.attr("EdgePaddingHigh", [])
    y = _spread(b, x, n.attr("InteriorPadding", []), value)
    return b.op("Pad", y, paddings=[p for pair in zip(low, high) for p in pair],
                constant_value=value)


@registry.op("DILATE")
def dilate(b: Builder, n: SourceNode) -> str:
    value = fixed_scalar(b, n.inputs[2], "padding value")
    gaps = [d - 1 for d in fixed_ints(b, n.inputs[1], "dilations")]
    return _spread(b, n.inputs[0], gaps, value)


def _spread(b: Builder, x: str, gaps: list[int], value: float | int) -> str:
    """Puts `gaps[axis]` elements between neighbours along each axis."""
    for axis, gap in enumerate(gaps):
        shape = fixed_shape(b, x)
        if gap < 0:
            raise ValueError(f"{gap} elements between neighbours")
        if gap == 0 or shape[axis] < 2:
            continue
        split = [*shape[: axis + 1], 1, *shape[axis + 1 :]]
        paddings = [0] * (2 * len(split))
        paddings[2 * (axis + 1) + 1] = gap
        y = b.op("Pad", reshape(b, x, split), paddings=paddings, constant_value=value)
        length = shape[axis] * (gap + 1)
        y = reshape(b, y, [*shape[:axis], length, *shape[axis + 1 :]])
        x = b.op("Slice", y, starts=[0], ends=[length - gap], axes=[axis])
    return x


_WINDOWS = {"ADD": ("Eltwise", "SUM"), "MUL": ("Eltwise", "PROD"), "MINIMUM": ("Eltwise", "MIN"),
            "MAXIMUM": ("Eltwise", "MAX"), "ALL": ("Logical", "AND"), "ANY": ("Logical", "OR")}


@registry.op("REDUCE_WINDOW")
def reduce_window(b: Builder, n: SourceNode) -> str:
    """Reduces along one axis after the other, as windows are boxes."""
    y, start = n.inputs[:2]
    kind = REDUCTIONS.get(n.attr("ReduceFunction", 0), "?")
    if kind not in _WINDOWS:
        raise Unsupported(f"its function is {kind}", "use a sum, a product, or a limit")
    op, name = _WINDOWS[kind]
    sizes, steps, gaps = (fixed_ints(b, i, what) for i, what in zip(
        n.inputs[2:5], ("window", "strides", "dilations")))
    for axis, (size, step, gap) in enumerate(zip(sizes, steps, gaps)):
        extent = fixed_shape(b, y)[axis]
        out = (extent - (size - 1) * gap - 1) // step + 1
        if size > MAX_WINDOW:
            raise Unsupported(f"a window of {size} elements along axis {axis}; at most "
                              f"{MAX_WINDOW} can be converted", "reduce in several steps")
        if out < 1:
            raise ValueError(f"a window of {size} over {extent} elements")
        if (size, step) == (1, 1):
            continue
        parts = [b.op("Slice", y, starts=[k * gap], ends=[k * gap + (out - 1) * step + 1],
                      axes=[axis], steps=[step]) for k in range(size)]
        y = parts[0]
        for part in parts[1:]:
            y = b.op(op, y, part, type=name)
    return b.op(op, y, start, type=name)
