"""Small layers of every type that the Caffe importer converts, with many settings.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.importers.caffe.layer import own_fields
from mace_tools.testing.caffe_file import Net, uniform

IMG = (2, 6, 9, 8)


@dataclass
class Case:
    """A layer: its settings, the shapes of its bottoms and its weights. `feeds` in place of random
    numbers, if these would be wrong."""

    settings: str = ""
    shapes: Sequence[Sequence[int]] = (IMG,)
    blobs: Sequence[np.ndarray] = ()
    tops: int = 1
    feeds: Sequence[np.ndarray] = ()

    def values(self) -> dict[str, np.ndarray]:
        arrays = self.feeds or [uniform(*shape) for shape in self.shapes]
        return {f"x{k}": a for k, a in enumerate(arrays)}


def save(folder: Path, kind: str, case: Case, settings: str | None = None) -> Path:
    """The case as files, with these settings in place of its own. The layer is called y0."""
    shapes = [a.shape for a in case.feeds] or case.shapes
    net = Net({f"x{k}": shape for k, shape in enumerate(shapes)})
    text = case.settings if settings is None else settings
    tops = " ".join(f"y{k}" for k in range(case.tops))
    net.layer(kind, list(net.inputs), tops, f"{own_fields(kind)} {{ {text} }}" if text else "",
              *case.blobs)
    return net.save(folder)


def positive(*shape: int) -> np.ndarray:
    return np.abs(uniform(*shape)) + 0.5


def convs(kind: str) -> list[Case]:
    """Filters of [out, in / group, h, w], those of Deconvolution of [in, out / group, h, w]."""
    first, second = (6, 4) if kind == "Deconvolution" else (4, 6)
    def w(group: int, *kernel: int) -> np.ndarray:
        return uniform(first, second // group, *kernel)
    return [
        Case("num_output: 4 kernel_size: 3", blobs=[w(1, 3, 3), uniform(4)]),
        Case("num_output: 4 kernel_size: 3 bias_term: false", blobs=[w(1, 3, 3)]),
        Case("num_output: 4 kernel_size: 3 kernel_size: 2 stride: 2 stride: 1 pad: 1 pad: 0",
             blobs=[w(1, 3, 2), uniform(4)]),
        Case("num_output: 4 kernel_h: 2 kernel_w: 3 stride_h: 1 stride_w: 2 pad_h: 0 pad_w: 1",
             blobs=[w(1, 2, 3), uniform(4)]),
        Case("num_output: 4 kernel_size: 3 group: 2 pad: 1 stride: 2",
             blobs=[w(2, 3, 3), uniform(4)]),
        Case("num_output: 4 kernel_size: 3 dilation: 2 pad: 2", blobs=[w(1, 3, 3), uniform(4)]),
        Case("num_output: 6 kernel_size: 3 group: 6 pad: 1", blobs=[uniform(6, 1, 3, 3),
                                                                    uniform(6)]),
        Case("num_output: 4 kernel_size: 1 axis: -3 engine: CAFFE weight_filler { type: 'xavier' }",
             blobs=[w(1, 1, 1), uniform(4)]),
    ]


X3, ROW = (2, 3, 4), (3, 5)
PAIR = [IMG, IMG]

CASES: dict[str, list[Case]] = {
    "Convolution": [*convs("Convolution"), Case(
        "num_output: 12 kernel_size: 3 group: 6 stride: 2",
        blobs=[uniform(12, 1, 3, 3), uniform(12)])],
    "Deconvolution": [*convs("Deconvolution"), Case(
        "num_output: 6 kernel_size: 4 stride: 2 pad: 1 group: 6 bias_term: false",
        blobs=[uniform(6, 1, 4, 4)])],
    "Pooling": [Case(s) for pool in ("MAX", "AVE") for s in (
        f"pool: {pool} kernel_size: 3 stride: 2", f"pool: {pool} kernel_size: 2 stride: 2",
        f"pool: {pool} kernel_size: 3 stride: 2 pad: 1", f"pool: {pool} global_pooling: true",
        f"pool: {pool} kernel_size: 3 stride: 3 pad: 1",
        f"pool: {pool} kernel_h: 2 kernel_w: 4 stride_h: 1 stride_w: 3 pad_h: 1 pad_w: 2",
        f"pool: {pool} kernel_size: 5 stride: 4 pad: 2", f"pool: {pool} kernel_size: 4 stride: 1")],
    "InnerProduct": [
        Case("num_output: 5", blobs=[uniform(5, 432), uniform(5)]),
        Case("num_output: 5 bias_term: false", blobs=[uniform(5, 432)]),
        Case("num_output: 5 transpose: true", blobs=[uniform(432, 5), uniform(5)]),
        Case("num_output: 5 axis: 2", blobs=[uniform(5, 72), uniform(5)]),
        Case("num_output: 5 axis: -1", blobs=[uniform(5, 8), uniform(5)]),
        Case("num_output: 5", [ROW], [uniform(5, 5), uniform(5)]),
    ],
    "BatchNorm": [
        Case("", blobs=[uniform(6), positive(6), np.float32([1])]),
        Case("eps: 0.01 use_global_stats: true", blobs=[uniform(6), positive(6),
                                                       np.float32([4])]),
        Case("", [ROW], [uniform(5), positive(5), np.float32([0.5])]),
    ],
    "Scale": [
        Case("", blobs=[uniform(6)]), Case("bias_term: true", blobs=[uniform(6), uniform(6)]),
        Case("axis: 2 num_axes: 2 bias_term: true", blobs=[uniform(9, 8), uniform(9, 8)]),
        Case("axis: 1 num_axes: -1", blobs=[uniform(6, 9, 8)]),
        Case("", [ROW], [uniform(5)]), Case("axis: 0", [IMG, (2, 6)]), Case("", [IMG, (6,)]),
        Case("num_axes: 0", blobs=[uniform().reshape(())]),
    ],
    "Bias": [Case("", blobs=[uniform(6)]), Case("axis: -1", blobs=[uniform(8)]),
             Case("axis: 0", [IMG, (2, 6)])],
    "Eltwise": [Case(s, PAIR) for s in (
        "", "operation: PROD", "operation: MAX", "operation: SUM coeff: 0.5 coeff: -2",
        "coeff: 1 coeff: -1")] + [Case("operation: SUM coeff: 1 coeff: 2 coeff: 3", [IMG] * 3)],
    "ReLU": [Case(), Case("negative_slope: 0.1"), Case("", [ROW])],
    "ReLU6": [Case("", feeds=[10 * uniform(*IMG)])],
    "PReLU": [Case("", blobs=[uniform(6)]), Case("channel_shared: true", blobs=[uniform(1)]),
              Case("", [ROW], [uniform(5)])],
    "ELU": [Case(), Case("alpha: 0.5")],
    "Sigmoid": [Case()], "TanH": [Case()], "AbsVal": [Case()], "BNLL": [Case()],
    "Exp": [Case(), Case("base: 2 scale: 0.5 shift: 1")],
    "Log": [Case(s, feeds=[positive(*IMG)]) for s in ("", "base: 10 scale: 2 shift: 0.5")],
    "Power": [Case(s, feeds=[positive(*IMG)]) for s in (
        "", "power: 2 scale: 0.5 shift: 1", "power: 0.5", "power: -0.75 scale: 3", "scale: 2",
        "shift: -1", "power: 3")],
    "Clip": [Case("min: -0.25 max: 0.5")], "Threshold": [Case(), Case("threshold: 0.25")],
    "Swish": [Case(), Case("beta: 1.5")], "Dropout": [Case(), Case("dropout_ratio: 0.7")],
    "Softmax": [Case(), Case("axis: 2"), Case("axis: -1"), Case("", [ROW])],
    "Concat": [Case("", PAIR), Case("axis: 2", PAIR), Case("axis: -1", [X3, X3, X3]),
               Case("concat_dim: 2", PAIR)],
    "Slice": [Case("", tops=2), Case("slice_point: 1 slice_point: 3", tops=3),
              Case("axis: 2 slice_point: 4", tops=2), Case("slice_dim: 3", tops=2),
              Case("axis: -1", tops=4)],
    "Split": [Case("", tops=2)],
    "Reshape": [Case(s) for s in (
        "shape { dim: 0 dim: -1 }", "shape { dim: 0 dim: 3 dim: -1 dim: 8 }",
        "shape { dim: 2 dim: 3 } axis: 1 num_axes: 1", "shape { dim: -1 } axis: 1 num_axes: 2",
        "shape { dim: 4 dim: 2 } axis: -2", "shape { dim: 1 } axis: 0 num_axes: 0",
        "shape { dim: -1 dim: 3 } axis: 0 num_axes: 2")],
    "Flatten": [Case(), Case("axis: 2"), Case("axis: 0 end_axis: 1"), Case("axis: 1 end_axis: 2"),
                Case("axis: -2")],
    "Permute": [Case("order: 0 order: 2 order: 3 order: 1"), Case("order: 1"),
                Case("order: 2 order: 0", [X3])],
    "Tile": [Case("tiles: 3"), Case("axis: -1 tiles: 2")],
    "Crop": [Case("", [IMG, (2, 6, 4, 5)]), Case("axis: 2 offset: 1 offset: 3", [IMG,
                                                                                 (2, 6, 4, 5)]),
             Case("axis: 1 offset: 2", [IMG, (2, 3, 4, 5)])],
    "ArgMax": [Case(), Case("top_k: 3"), Case("axis: 1"), Case("axis: 2 top_k: 2"),
               Case("axis: 1 out_max_val: true"), Case("out_max_val: true top_k: 2"),
               Case("", [ROW]), Case("top_k: 2", feeds=[np.float32([[1, 3, 3, 2], [5, 5, 5, 0]])])],
    "Reduction": [Case(f"operation: {op} {s}") for op in ("SUM", "ASUM", "SUMSQ", "MEAN")
                  for s in ("axis: 1", "axis: 2 coeff: 0.5", "axis: 0", "axis: -1")],
    "LRN": [Case(s) for s in (
        "", "local_size: 3 alpha: 0.5 beta: 0.5 k: 2", "local_size: 3 norm_region: WITHIN_CHANNEL",
        "local_size: 5 alpha: 2 beta: 0.6 norm_region: WITHIN_CHANNEL")],
    "MVN": [Case(), Case("across_channels: true"), Case("normalize_variance: false"),
            Case("eps: 0.1")],
    "Normalize": [Case("", blobs=[uniform(1)]),
                  Case("across_spatial: false channel_shared: false", blobs=[uniform(6)]),
                  Case("across_spatial: false channel_shared: true eps: 0.01", blobs=[uniform(1)]),
                  Case("across_spatial: true channel_shared: false", blobs=[uniform(6)])],
    "Embed": [Case("num_output: 3 input_dim: 5", blobs=[uniform(5, 3), uniform(3)],
                   feeds=[np.float32([[0, 4], [2, 1]])]),
              Case("num_output: 3 input_dim: 5 bias_term: false", blobs=[uniform(5, 3)],
                   feeds=[np.float32([4, 0, 3])])],
    "Interp": [Case("height: 17 width: 5"), Case("zoom_factor: 3"), Case("shrink_factor: 2"),
               Case("shrink_factor: 2 zoom_factor: 2"), Case("zoom_factor: 2 pad_beg: -1"),
               Case("zoom_factor: 2 pad_beg: -1 pad_end: -2")],
    "Upsample": [Case("scale: 2"), Case("scale: 3")],
    "ShuffleChannel": [Case("group: 3"), Case("group: 2")],
    "Axpy": [Case("", [(2, 6, 1, 1), IMG, IMG]), Case("", [(2, 6), IMG, IMG])],
    "Parameter": [Case("shape { dim: 2 dim: 3 }", (), [uniform(2, 3)])],
    "PriorBox": [Case(s, [(1, 3, 5, 4), (1, 3, 60, 50)]) for s in (
        "min_size: 10 clip: false", "min_size: 10 max_size: 20 clip: true variance: 0.2",
        "min_size: 10 aspect_ratio: 2 aspect_ratio: 3 aspect_ratio: 1 flip: true clip: false",
        "min_size: 10 max_size: 30 aspect_ratio: 2 flip: false clip: false variance: 0.1 "
        "variance: 0.2 variance: 0.3 variance: 0.4",
        "min_size: 10 min_size: 14 max_size: 15 max_size: 20 step: 8 offset: 0.25 clip: false",
        "min_size: 9 step_h: 8 step_w: 12 clip: false",
        "min_size: 9 img_h: 80 img_w: 40 clip: false", "min_size: 9 img_size: 100 clip: false")],
}
CASES["NormalizeBBox"] = CASES["Normalize"]
CASES["DepthwiseConvolution"] = CASES["ConvolutionDepthwise"] = [
    Case("num_output: 6 kernel_size: 3 pad: 1", blobs=[uniform(6, 1, 3, 3), uniform(6)])]
