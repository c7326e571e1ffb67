"""Importer functions of operators that mean the same in TensorFlow and TFLite.

SPDX-License-Identifier: Apache-2.0

The attributes of TFLite's schema have the names of TensorFlow's, without underscores.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mace_tools.convert.importers import audio, operands, spectra
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.data_dependent import places
from mace_tools.convert.importers.operands import (
    filled_like,
    fixed_int,
    fixed_ints,
    fixed_scalar,
    ints,
    slice_by_size,
    split_sizes,
    summed,
    with_ints,
)
from mace_tools.convert.importers.registry import Importer, Unsupported
from mace_tools.convert.importers.segments import reduced
from mace_tools.convert.importers.source import SourceNode

# The functions by the operators' names.
TENSORFLOW: dict[str, Importer] = {}
TFLITE: dict[str, Importer] = {}


def shared(tensorflow: str, tflite: str) -> Callable[[Importer], Importer]:
    """Registers a function for operators with these names, which spaces separate."""
    def register(function: Importer) -> Importer:
        TENSORFLOW.update(dict.fromkeys(tensorflow.split(), function))
        TFLITE.update(dict.fromkeys(tflite.split(), function))
        return function

    return register


def _attr(n: SourceNode, name: str, default: Any) -> Any:
    return n.attr(name, n.attr("".join(map(str.capitalize, name.split("_"))), default))


def typed(op: str, types: Mapping[str, str], operands: int) -> Importer:
    """One engine op for a family of source operators; `types` gives its `type` attribute."""

    def of_type(b: Builder, n: SourceNode) -> str:
        return b.op(op, *n.inputs[:operands], type=types[n.op])

    return of_type


def not_above(b: Builder, x: str, boundaries: Sequence[float]) -> str:
    """How many of these boundaries are not above x; all of them where x is no number."""
    x = x if b.dtype(x) == "f32" else b.op("Cast", x, to="f32")
    limits = b.add_const(np.array(boundaries, np.float32), name="boundaries")
    above = b.op("Compare", b.op("ExpandDims", x, axis=[-1]), limits, type="LESS")
    below = b.op("Cast", b.op("Logical", above, type="NOT"), to="i32")
    return b.op("Reduce", below, reduce_type="SUM", axis=[-1])


@shared("Identity StopGradient PreventGradient CheckNumerics Snapshot PlaceholderWithDefault "
        "ReadVariableOp EnsureShape", "READ_VARIABLE DENSIFY")
def identity(b: Builder, n: SourceNode) -> str:
    return n.inputs[0]  # readers have replaced handles by variables, and written sparse tensors out


@shared("AssignVariableOp", "ASSIGN_VARIABLE")
def assign(b: Builder, n: SourceNode) -> str:
    """The operand is a variable, in whose place readers found its handle."""
    variable, value = n.inputs[:2]
    b.assign(variable, value)
    return value


@shared("AddN", "ADD_N")
def add_n(b: Builder, n: SourceNode) -> str:
    return summed(b, n.inputs)


_REDUCE = {
    "Mean": "MEAN", "Sum": "SUM", "Max": "MAX", "Min": "MIN", "Prod": "PROD", "All": "ALL",
    "Any": "ANY", "EuclideanNorm": "L2", "MEAN": "MEAN", "SUM": "SUM", "REDUCE_MAX": "MAX",
    "REDUCE_MIN": "MIN", "REDUCE_PROD": "PROD", "REDUCE_ANY": "ANY", "REDUCE_ALL": "ALL",
}


@shared("Mean Sum Max Min Prod All Any EuclideanNorm",
        "MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_PROD REDUCE_ANY REDUCE_ALL")
def reduce(b: Builder, n: SourceNode) -> str:
    x, axes = n.inputs[:2]
    keep, fixed = _attr(n, "keep_dims", n.attr("keepdims", False)), ints(b, axes)
    if fixed == []:  # no axis: nothing is reduced, where the engine's [] means all
        return b.op("Unary", x, type="ABS") if n.op == "EuclideanNorm" else x
    return with_ints(b, "Reduce", x, axes, "axis", reduce_type=_REDUCE[n.op], keepdims=keep)


@shared("Cumsum", "CUMSUM")
def cumsum(b: Builder, n: SourceNode) -> str:
    return b.op("Cumsum", n.inputs[0], axis=fixed_int(b, n.inputs[1], "axis"),
                exclusive=_attr(n, "exclusive", False), reverse=_attr(n, "reverse", False))


@shared("Squeeze", "SQUEEZE")
def squeeze(b: Builder, n: SourceNode) -> str:
    return b.op("Squeeze", n.inputs[0], axis=_attr(n, "squeeze_dims", []))


@shared("ExpandDims", "EXPAND_DIMS")
def expand_dims(b: Builder, n: SourceNode) -> str:
    return b.op("ExpandDims", n.inputs[0], axis=fixed_ints(b, n.inputs[1], "axis"))


@shared("Transpose", "TRANSPOSE")
def transpose(b: Builder, n: SourceNode) -> str:
    return b.op("Transpose", n.inputs[0], dims=fixed_ints(b, n.inputs[1], "permutation"))


@shared("Rank", "RANK")
def rank(b: Builder, n: SourceNode) -> str:
    return b.add_const(np.array(b.rank(n.inputs[0]), np.int32))


@shared("Pack Stack", "PACK")
def pack(b: Builder, n: SourceNode) -> str:
    return b.op("Stack", *n.inputs, axis=_attr(n, "axis", 0))


@shared("Unpack", "UNPACK")
def unpack(b: Builder, n: SourceNode) -> list[str]:
    return b.ops("Unstack", n.inputs[:1], len(n.outputs), axis=_attr(n, "axis", 0))


@shared("Split", "SPLIT")
def split(b: Builder, n: SourceNode) -> list[str]:
    axis, x = n.inputs[:2]
    return b.ops("Split", [x], len(n.outputs), axis=fixed_int(b, axis, "axis"))


@shared("SplitV", "SPLIT_V")
def split_v(b: Builder, n: SourceNode) -> list[str]:
    x, sizes, axis = n.inputs[:3]
    return split_sizes(b, x, sizes, fixed_int(b, axis, "axis"), len(n.outputs))


@shared("Tile", "TILE")
def tile(b: Builder, n: SourceNode) -> str:
    return with_ints(b, "Tile", *n.inputs[:2], "repeats")


@shared("BroadcastTo", "BROADCAST_TO")
def broadcast_to(b: Builder, n: SourceNode) -> str:
    return with_ints(b, "Expand", *n.inputs[:2], "shape")


@shared("Fill", "FILL")
def fill(b: Builder, n: SourceNode) -> str:
    return operands.fill(b, *n.inputs[:2])


@shared("ZerosLike OnesLike", "ZEROS_LIKE")
def zeros_like(b: Builder, n: SourceNode) -> str:
    return filled_like(b, n.inputs[0], 1.0 if n.op == "OnesLike" else 0.0)


@shared("Range", "RANGE")
def range_(b: Builder, n: SourceNode) -> str:
    return b.op("Range", *n.inputs[:3])


@shared("Pad PadV2", "PAD PADV2")
def pad(b: Builder, n: SourceNode) -> str:
    has_value = n.op.upper() == "PADV2"
    value = fixed_scalar(b, n.inputs[2], "padding value") if has_value else None
    quant = b.quant(n.inputs[0])
    if value is not None and quant is not None:
        value = float((value - quant.zero_point[0]) * quant.scale[0])
    return operands.pad(b, *n.inputs[:2], "CONSTANT", value)


@shared("SpaceToBatchND BatchToSpaceND SpaceToBatch BatchToSpace",
        "SPACE_TO_BATCH_ND BATCH_TO_SPACE_ND")
def blocks(b: Builder, n: SourceNode) -> str:
    to_batch = n.op.startswith("S")
    what = "paddings" if to_batch else "crops"
    op = "SpaceToBatchNd" if to_batch else "BatchToSpaceNd"
    if n.op.upper().endswith("ND"):
        block, moves = fixed_ints(b, n.inputs[1], "block shape"), n.inputs[2]
    else:
        block, moves = [n.attr("block_size")] * 2, n.inputs[1]
    return b.op(op, n.inputs[0], block_shape=block, **{what: fixed_ints(b, moves, what)})


_MODES = {"ResizeBilinear": "LINEAR", "RESIZE_BILINEAR": "LINEAR", "ResizeBicubic": "CUBIC"}


@shared("ResizeBilinear ResizeNearestNeighbor ResizeBicubic",
        "RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR")
def resize(b: Builder, n: SourceNode) -> str:
    return operands.resize(b, *n.inputs[:2], _MODES.get(n.op, "NEAREST"),
                           _attr(n, "align_corners", False), _attr(n, "half_pixel_centers", False))


@shared("Slice", "SLICE")
def slice_(b: Builder, n: SourceNode) -> str:
    return slice_by_size(b, *n.inputs[:3])


@shared("ReverseV2", "REVERSE_V2")
def reverse(b: Builder, n: SourceNode) -> str:
    return b.op("Reverse", n.inputs[0], axis=fixed_ints(b, n.inputs[1], "axis"))


@shared("ReverseSequence", "REVERSE_SEQUENCE")
def reverse_sequence(b: Builder, n: SourceNode) -> str:
    return b.op("ReverseSequence", *n.inputs[:2], seq_axis=_attr(n, "seq_dim", 0),
                batch_axis=_attr(n, "batch_dim", 0))


@shared("Where", "WHERE")
def where(b: Builder, n: SourceNode) -> str:
    """Where its operand is true, or not 0; the plan waits for the number of places"""
    if b.rank(n.inputs[0]) == 0:
        raise Unsupported("of a scalar", "reshape it to one element in the source model")
    return b.op("Transpose", places(b, n.inputs[0]), dims=[1, 0])


_KINDS = ("SUM", "PROD", "MAX", "MIN")
SEGMENTS = [f"{sorts}Segment{kind.capitalize()}" for sorts in ("", "Unsorted") for kind in _KINDS]


@shared(" ".join(SEGMENTS), " ".join(["SEGMENT_SUM", *(f"UNSORTED_SEGMENT_{k}" for k in _KINDS)]))
def segments(b: Builder, n: SourceNode) -> str:
    """ScatterNd with a reduction; ids out of range name no row"""
    data, ids = n.inputs[:2]
    is_sorted = n.op.upper().startswith("SEGMENT")
    if is_sorted:
        known = fixed_ints(b, ids, "segments (the extent of its result)")
        rows, rank = max(known, default=-1) + 1, 1
    else:
        rows, rank = fixed_int(b, n.inputs[2], "number of segments"), b.rank(ids)
    rest = b.extents(data)[rank:]
    if None in rest:
        raise Unsupported(f"{rows} segments of slices {list(rest)}", "give input_shapes")
    kind = next(kind for kind in _KINDS if n.op.upper().endswith(kind))
    made = reduced(b, data, ids, [rows, *(int(d or 0) for d in rest)], rank, kind)
    if not is_sorted or kind in ("SUM", "PROD"):
        return made
    # Of ids in order, a row that none names is 0.
    named = np.isin(np.arange(rows), known)
    mask = b.add_const(named.reshape(-1, *[1] * len(rest)), "bool", "named")
    return b.op("Select", mask, made, b.add_const(np.array(0), b.dtype(data)))


_PARTS = {"ComplexAbs": "abs", "Real": "real", "Imag": "imag",
          "COMPLEX_ABS": "abs", "REAL": "real", "IMAG": "imag"}


@shared(" ".join(f"{t}.{r}" for t in ("RFFT", "RFFT2D") for r in ("ComplexAbs", "Real", "Imag")),
        "RFFT2D.COMPLEX_ABS RFFT2D.REAL RFFT2D.IMAG")
def spectrum(b: Builder, n: SourceNode) -> str:
    """A product with a table of the transform; the reader behind it makes real numbers of it"""
    (transform, _, reader), lengths = n.op.partition("."), fixed_ints(b, n.inputs[1], "length")
    if len(lengths) != (2 if transform == "RFFT2D" else 1):
        raise Unsupported(f"lengths {lengths}", "give one for each axis of the transform")
    return spectra.part(b, n.inputs[0], lengths, _PARTS[reader])


@shared("AudioSpectrogram", "'AudioSpectrogram'")
def audio_spectrogram(b: Builder, n: SourceNode) -> str:
    """Windows of the samples, and a product with a table of the transform"""
    return audio.spectrogram(b, n.inputs[0], int(n.attr("window_size", 0)),
                             int(n.attr("stride", 0)), bool(n.attr("magnitude_squared", False)))


@shared("Mfcc", "'Mfcc'")
def mfcc(b: Builder, n: SourceNode) -> str:
    """Products with the filters of the mel scale, and with the cosine transform"""
    rate = float(fixed_scalar(b, n.inputs[1], "sample rate"))
    return audio.mfcc(b, n.inputs[0], rate, audio.Mel(
        float(n.attr("lower_frequency_limit", 20.0)),
        float(n.attr("upper_frequency_limit", 4000.0)),
        int(n.attr("filterbank_channel_count", 40)), int(n.attr("dct_coefficient_count", 13))))
