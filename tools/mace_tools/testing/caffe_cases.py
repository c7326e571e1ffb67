"""Small layers of every type that the Caffe importer converts, with many settings.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.convert.importers.caffe.layer import own_fields
from mace_tools.frameworks.by_caffe import in_caffes_order
from mace_tools.testing import caffe_numpy as by
from mace_tools.testing import caffe_regions
from mace_tools.testing.caffe_file import Net, by_opencv, uniform
from mace_tools.testing.caffe_numpy import Definition, behind, unary

IMG = (2, 6, 9, 8)


@dataclass
class Case:
    """A layer: its settings, the shapes of its bottoms and its weights. `feeds` in place of random
    numbers, if these would be wrong. `want`: what the layer computes, where OpenCV does not have it
    or departs from Caffe."""

    settings: str = ""
    shapes: Sequence[Sequence[int]] = (IMG,)
    blobs: Sequence[np.ndarray] = ()
    tops: int = 1
    feeds: Sequence[np.ndarray] = ()
    want: Definition | None = None
    rows: int = 0  # of DetectionOutput for an image; OpenCV has them in another order

    def values(self) -> dict[str, np.ndarray]:
        arrays = self.feeds or [uniform(*shape) for shape in self.shapes]
        return {f"x{k}": a for k, a in enumerate(arrays)}


def save(folder: Path, kind: str, case: Case, settings: str | None = None) -> Path:
    """The case as files, with these settings in place of its own. The layer is called y0."""
    shapes = [a.shape for a in case.feeds] or case.shapes
    net = Net({f"x{k}": shape for k, shape in enumerate(shapes)})
    kind = kind.partition(".")[0]
    text = case.settings if settings is None else settings
    tops = " ".join(f"y{k}" for k in range(case.tops))
    net.layer(kind, list(net.inputs), tops, f"{own_fields(kind)} {{ {text} }}" if text else "",
              *case.blobs)
    return net.save(folder)


def expected(path: Path, case: Case, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    """What the tops of the case are. Errors: cv2.error."""
    if case.want is None:
        found = by_opencv(path, feeds, "y0")
        return [in_caffes_order(found[0], case.rows)] if case.rows else found
    found = case.want(list(feeds.values()), case.blobs)
    found = found if isinstance(found, list) else [found]
    return [np.asarray(a, np.float32) for a in found]


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
        Case("num_output: 4 kernel_size: 3 dilation: 2 pad: 2", blobs=[w(1, 3, 3), uniform(4)],
             want=by.deconvolution(2, 2) if kind == "Deconvolution" else None),
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
        Case("num_output: 5 transpose: true", blobs=[uniform(432, 5), uniform(5)],
             want=lambda x, w: x[0].reshape(2, -1) @ w[0] + w[1]),
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
        Case("num_axes: 0", blobs=[uniform().reshape(())], want=lambda x, w: x[0] * w[0]),
    ],
    "Bias": [
        Case("", blobs=[uniform(6)], want=lambda x, w: x[0] + behind(w[0], 4, 1)),
        Case("axis: -1", blobs=[uniform(8)], want=lambda x, w: x[0] + w[0]),
        Case("axis: 0", [IMG, (2, 6)], want=lambda x, w: x[0] + behind(x[1], 4, 0)),
    ],
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
    "Log": [Case("", feeds=[positive(*IMG)]),
            Case("base: 10 scale: 2 shift: 0.5", feeds=[positive(*IMG)],
                 want=unary(lambda x: np.log10(2 * x + 0.5)))],
    "Power": [Case(s, feeds=[positive(*IMG)]) for s in (
        "", "power: 2 scale: 0.5 shift: 1", "power: 0.5", "power: -0.75 scale: 3", "scale: 2",
        "shift: -1", "power: 3")],
    "Clip": [Case("min: -0.25 max: 0.5", want=unary(lambda x: x.clip(-0.25, 0.5)))],
    "Threshold": [Case("", want=unary(lambda x: x > 0)),
                  Case("threshold: 0.25", want=unary(lambda x: x > 0.25))],
    "Swish": [Case(), Case("beta: 1.5", want=unary(lambda x: x / (1 + np.exp(-1.5 * x))))],
    "Dropout": [Case(), Case("dropout_ratio: 0.7")],
    "Softmax": [Case(), Case("axis: 2"), Case("axis: -1"), Case("", [ROW])],
    "Concat": [Case("", PAIR), Case("axis: 2", PAIR),
               Case("axis: -1", [X3, X3, X3], want=lambda x, w: np.concatenate(x, -1)),
               Case("concat_dim: 2", PAIR, want=lambda x, w: np.concatenate(x, 2))],
    "Slice": [Case("", tops=2, want=lambda x, w: np.split(x[0], 2, 1)),
              Case("slice_point: 1 slice_point: 3", tops=3),
              Case("axis: 2 slice_point: 4", tops=2),
              Case("slice_dim: 3", tops=2, want=lambda x, w: np.split(x[0], 2, 3)),
              Case("axis: -1", tops=4, want=lambda x, w: np.split(x[0], 4, 3))],
    "Split": [Case("", tops=2, want=lambda x, w: [x[0], x[0]])],
    "Reshape": [Case(s) for s in (
        "shape { dim: 0 dim: -1 }", "shape { dim: 0 dim: 3 dim: -1 dim: 8 }",
        "shape { dim: 2 dim: 3 } axis: 1 num_axes: 1", "shape { dim: -1 } axis: 1 num_axes: 2",
        "shape { dim: -1 dim: 3 } axis: 0 num_axes: 2")] + [
        Case("shape { dim: 4 dim: 2 } axis: -2", want=unary(lambda x: x.reshape(2, 6, 9, 4, 2))),
        Case("shape { dim: 1 } axis: 0 num_axes: 0", want=unary(lambda x: x[None]))],
    "Flatten": [Case(), Case("axis: 2"), Case("axis: 0", want=unary(np.ravel)),
                Case("axis: 0 end_axis: 1"), Case("axis: 1 end_axis: 2"),
                Case("axis: -2")],
    "Permute": [Case("order: 0 order: 2 order: 3 order: 1"), Case(
        "order: 1", want=unary(lambda x: x.transpose(1, 0, 2, 3))),
        Case("order: 2 order: 0", [X3], want=unary(lambda x: x.transpose(2, 0, 1)))],
    "Tile": [Case("tiles: 3", want=unary(lambda x: np.tile(x, (1, 3, 1, 1)))),
             Case("axis: -1 tiles: 2", want=unary(lambda x: np.tile(x, 2)))],
    "Crop": [Case("", [IMG, (2, 6, 4, 5)]), Case("axis: 2 offset: 1 offset: 3", [IMG,
                                                                                 (2, 6, 4, 5)]),
             Case("axis: 1 offset: 2", [IMG, (2, 3, 4, 5)])],
    "ArgMax": [
        Case("", want=by.argmax()), Case("top_k: 3", want=by.argmax(3)),
        Case("axis: 1", want=by.argmax(1, 1)), Case("axis: -2 top_k: 2", want=by.argmax(2, 2)),
        Case("axis: 1 out_max_val: true", want=by.argmax(1, 1, True)),
        Case("out_max_val: true top_k: 2", want=by.argmax(2, None, True)),
        Case("", [ROW], want=by.argmax()),
        Case("top_k: 2", feeds=[np.float32([[1, 3, 3, 2], [5, 5, 5, 0]])], want=by.argmax(2)),
    ],
    "Reduction": [Case(f"operation: {op} axis: {axis} coeff: {coeff}",
                       want=by.reduction(op, axis, coeff))
                  for op in ("SUM", "ASUM", "SUMSQ", "MEAN")
                  for axis, coeff in ((1, 1), (2, 0.5), (0, 1), (-1, 1))],
    "LRN": [
        Case("local_size: 5 alpha: 2 beta: 0.6"), Case("local_size: 3 alpha: 0.5 beta: 0.5"),
        Case("", want=by.lrn(5, 1, 0.75, 1)),
        Case("local_size: 3 alpha: 0.5 beta: 0.5 k: 2", want=by.lrn(3, 0.5, 0.5, 2)),
        Case("local_size: 3 norm_region: WITHIN_CHANNEL", want=by.lrn_within(3, 1, 0.75)),
        Case("local_size: 5 alpha: 2 beta: 0.6 norm_region: WITHIN_CHANNEL"),
    ],
    "MVN": [Case(), Case("across_channels: true"), Case("normalize_variance: false"),
            Case("eps: 0.1", want=by.mvn(0.1))],
    "Normalize": [Case("", blobs=[uniform(1)]),
                  Case("across_spatial: false channel_shared: false", blobs=[uniform(6)]),
                  Case("across_spatial: false channel_shared: true eps: 0.01", blobs=[uniform(1)]),
                  Case("across_spatial: true channel_shared: false", blobs=[uniform(6)],
                       want=lambda x, w: behind(w[0], 4, 1) * x[0] / np.sqrt(
                           np.square(x[0]).sum((1, 2, 3), keepdims=True) + 1e-10))],
    "Embed": [Case("num_output: 3 input_dim: 5", blobs=[uniform(5, 3), uniform(3)],
                   feeds=[np.float32([[0, 4], [2, 1]])],
                   want=lambda x, w: w[0][x[0].astype(int)] + w[1]),
              Case("num_output: 3 input_dim: 5 bias_term: false", blobs=[uniform(5, 3)],
                   feeds=[np.float32([4, 0, 3])], want=lambda x, w: w[0][x[0].astype(int)])],
    "Interp": [Case("height: 17 width: 5"), Case("zoom_factor: 3"),
               Case("shrink_factor: 2", want=by.interp(5, 4)),
               Case("shrink_factor: 2 zoom_factor: 2", want=by.interp(9, 7)),
               Case("zoom_factor: 2 pad_beg: -1", want=by.interp(15, 13, 1)),
               Case("zoom_factor: 2 pad_beg: -1 pad_end: -2", want=by.interp(11, 9, 1, 2))],
    "Upsample": [Case(f"scale: {k}", want=unary(lambda x, k=k: x.repeat(k, 2).repeat(k, 3)))
                 for k in (2, 3)],
    "ShuffleChannel": [Case("group: 3"), Case("group: 2")],
    "Axpy": [Case("", [a, IMG, IMG], want=lambda x, w: behind(x[0].reshape(2, 6), 4, 0) * x[1]
                  + x[2]) for a in ((2, 6, 1, 1), (2, 6))],
    "Parameter": [Case("shape { dim: 2 dim: 3 }", (), [uniform(2, 3)], want=lambda x, w: w[0])],
    "PriorBox": [Case(f"{s} {v}", [(1, 3, 5, 4), (1, 3, 60, 50)]) for v in ("variance: 0.2",
                 "variance: 0.1 variance: 0.2 variance: 0.3 variance: 0.4") for s in (
        "min_size: 10 clip: false", "min_size: 10 max_size: 20 clip: true",
        "min_size: 10 aspect_ratio: 2 aspect_ratio: 3 aspect_ratio: 1 flip: true clip: false",
        "min_size: 10 max_size: 30 aspect_ratio: 2 flip: false clip: false",
        "min_size: 10 min_size: 14 max_size: 15 max_size: 20 step: 8 offset: 0.25 clip: false",
        "min_size: 9 step_h: 8 step_w: 12 clip: false",
        )] + [Case(f"min_size: 9 {s}", [(1, 3, 5, 4), (1, 3, 60, 50)],
                   want=by.squares(5, 4, *size, 9))
              for s, size in (("", (60, 50)), ("img_h: 80 img_w: 40", (80, 40)),
                              ("img_size: 100", (100, 100)))],
}
CASES["NormalizeBBox"] = CASES["Normalize"]
CASES["ConvolutionDepthwise"] = CASES["DepthwiseConvolution"] = [
    Case("num_output: 6 kernel_size: 3 pad: 1", blobs=[uniform(6, 1, 3, 3), uniform(6)],
         want=lambda x, w: sum(
             np.pad(x[0], [(0, 0), (0, 0), (1, 1), (1, 1)])[:, :, i : i + 9, j : j + 8]
             * w[0][:, 0, i, j, None, None] for i in range(3) for j in range(3))
         + w[1][:, None, None])]
CASES |= caffe_regions.cases(Case)
