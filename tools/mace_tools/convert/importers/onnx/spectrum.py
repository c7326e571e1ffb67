"""Fourier transforms, windows and the mel scale.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.tensors import ELEMENT
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.spectral import fitted, inverse_of_half, of_pairs, of_real, table
from mace_tools.graph.ir import dtype_name


def _number(b: Builder, n: SourceNode, k: int, what: str) -> float | int | None:
    """A constant operand of one element; None if it is absent."""
    name = n.inputs[k] if len(n.inputs) > k else ""
    if not name:
        return None
    value = b.const(name)
    if value is None or value.size != 1:
        raise Unsupported(f"its {what} is computed while the model runs",
                          f"make the {what} a constant of the source model")
    return value.reshape(-1)[0].item()


@registry.op("DFT")
def dft(b: Builder, n: SourceNode) -> str:
    """A product with a table of the transform"""
    x, rank = n.inputs[0], b.rank(n.inputs[0])
    axis = n.attr("axis", 1) if b.opset < 20 else _number(b, n, 2, "axis")
    axis = int(-2 if axis is None else axis) % rank
    kind = b.extents(x)[-1]
    if kind not in (1, 2) or axis == rank - 1:
        raise Unsupported(f"a transform along axis {axis} of {rank}, the last of which has the "
                          f"extent {kind}", "give numbers as [..., 1] or [..., 2]")
    inverse, half = n.flag("inverse", 0), n.flag("onesided", 0)
    length = _number(b, n, 1, "dft_length")
    extent = b.extents(x)[axis]
    if length is None:
        length = extent if not (inverse and half) or extent is None else 2 * (extent - 1)
    if length is None or length < 1:
        raise Unsupported(f"a transform of length {length}", "give input_shapes")
    length = int(length)
    inputs = length // 2 + 1 if inverse and half else length
    x = fitted(b, x, axis, inputs)
    order = [*(k for k in range(rank) if k not in (axis, rank - 1)), axis, rank - 1]
    lead = [d if d is not None else -1 for d in (b.extents(x)[k] for k in order[:-2])]
    flat = b.op("Reshape", b.transpose(x, order), dim=[*lead, inputs * kind])
    if inverse and half:
        if kind != 2:
            raise Unsupported("an inverse transform of real numbers", "give [..., 2]")
        weights, pairs = inverse_of_half(length, inputs), 1
    else:
        outputs = length // 2 + 1 if half else length
        turns = table(length, length, outputs, 1 if inverse else -1)
        turns = turns / length if inverse else turns
        weights, pairs = (of_real if kind == 1 else of_pairs)(turns), 2
    y = b.op("MatMul", flat, b.add_const(weights, name="turns"))
    y = b.op("Reshape", y, dim=[*lead, weights.shape[1] // pairs, pairs])
    return b.transpose(y, [int(k) for k in np.argsort(order)])


@registry.op("STFT")
def stft(b: Builder, n: SourceNode) -> str:
    """Windows of the signal, and a product with a table of the transform"""
    x, step = n.inputs[0], _number(b, n, 1, "frame_step")
    window = n.inputs[2] if len(n.inputs) > 2 else ""
    length = _number(b, n, 3, "frame_length")
    shape = b.extents(x)
    if length is None and window:
        length = b.extents(window)[0]
    if length is None or not step or step < 1 or len(shape) not in (2, 3) or shape[1] is None:
        raise Unsupported(f"a transform of frames of {length} at a step of {step}",
                          "give the length, a step above 0, and input_shapes")
    length, kind = int(length), shape[2] if len(shape) == 3 else 1
    if kind not in (1, 2) or shape[1] < length:
        raise Unsupported(f"frames of {length} of a signal {list(shape)}", "give a longer signal")
    starts = np.arange(0, shape[1] - length + 1, int(step))
    places = starts[:, None] + np.arange(length)
    frames = b.op("Gather", x, b.add_const(places, "i32", "places"), axis=1)
    frames = b.op("Reshape", frames, dim=[-1, len(starts), length, kind])
    if window:
        scale = b.op("Reshape", window, dim=[length, 1])
        frames = b.op("Eltwise", frames, scale, type="PROD")
    outputs = length // 2 + 1 if n.flag("onesided", 1) else length
    weights = (of_real if kind == 1 else of_pairs)(table(length, length, outputs, -1))
    flat = b.op("Reshape", frames, dim=[-1, len(starts), length * kind])
    y = b.op("MatMul", flat, b.add_const(weights, name="turns"))
    return b.op("Reshape", y, dim=[-1, len(starts), outputs, 2])


_COSINES = {"HannWindow": (0.5, -0.5), "HammingWindow": (25 / 46, -21 / 46),
            "BlackmanWindow": (0.42, -0.5, 0.08)}


@registry.op(*_COSINES)
def window(b: Builder, n: SourceNode) -> str:
    size = int(_number(b, n, 0, "size"))
    span = size if n.flag("periodic", 1) else size - 1
    angle = 2 * np.pi * np.arange(size) / max(span, 1)
    values = sum(c * np.cos(k * angle) for k, c in enumerate(_COSINES[n.op]))
    kind = dtype_name(ELEMENT[n.attr("output_datatype", 1)])
    return b.add_const(np.asarray(values, np.float32), kind)


@registry.op("MelWeightMatrix")
def mel_weights(b: Builder, n: SourceNode) -> str:
    """Computed when the model is converted"""
    names = ("num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz", "upper_edge_hertz")
    bands, length, rate, low, high = (_number(b, n, k, name) for k, name in enumerate(names))
    kind = dtype_name(ELEMENT[n.attr("output_datatype", 1)])
    return b.add_const(onnx_mel(int(bands), int(length), rate, low, high), kind)


def onnx_mel(bands: int, length: int, rate: float, low: float, high: float) -> np.ndarray:
    """Triangles at whole bins, as ONNX defines them: [length / 2 + 1, bands]."""
    ends = 2595 * np.log10(1 + np.array([low, high]) / 700)
    mels = ends[0] + np.arange(bands + 2) * ((ends[1] - ends[0]) / (bands + 2))
    hertz = 700 * (10 ** (mels / 2595) - 1)
    bins = ((length + 1) * hertz // rate).astype(int)
    result = np.zeros((length // 2 + 1, bands), np.float32)
    for k in range(bands):
        first, middle, last = bins[k : k + 3]
        if first == middle:
            result[middle, k] = 1
        else:
            for i in range(first, middle + 1):
                result[i, k] = (i - first) / (middle - first)
        for i in range(middle, last if last > middle else middle):
            result[i, k] = (last - i) / (last - middle)
    return result
