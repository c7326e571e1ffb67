"""Convolutions and pooling.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.caffe import registry
from mace_tools.convert.importers.caffe.layer import Layer
from mace_tools.convert.importers.channels_first import spatial
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.ops.common.windows import AVERAGE, EXPLICIT, MAX, VALID
from mace_tools.support.errors import ModelError

_MAX = (1 << 31) - 1


@registry.op("Convolution", "ConvolutionDepthwise", "DepthwiseConvolution", "Deconvolution")
def convolution(b: Builder, n: Layer) -> list[str]:
    """Several bottoms are convolved with the same filter."""
    n.check_bottoms(1, max(len(n.outputs), 1))
    if n.axis(b) != 1:
        raise Unsupported(f"channels on axis {n.attr('axis')}", "only axis 1 converts")
    _check_rank(b, n)
    out = _at_least(n, "num_output", n.needed("num_output"), 1)
    channels = b.extents(n.bottoms[0])[1]
    group = n.attr("group")
    if n.op.endswith("DepthwiseConvolution") or n.op == "ConvolutionDepthwise":
        group = out
    kernel = _pair(n, "kernel_size", "kernel_h", "kernel_w", 1)
    deconv = n.op == "Deconvolution"
    if channels is None:
        channels = _stored_channels(n, group, deconv)
    if group < 1 or channels % group or out % group:
        raise ModelError(f"{n.op} '{n.name}': group {group} does not divide {channels} channels "
                         f"and num_output {out}")
    shape = (channels, out // group) if deconv else (out, channels // group)
    w, *bias = n.check_weights([(*shape, *kernel), *([(out,)] if n.attr("bias_term") else [])])
    attrs = _window(n)
    biases = [b.add_const(bias[0], name="bias")] if bias else []
    if deconv:
        w = w.reshape(group, channels // group, out // group, *kernel).transpose(0, 2, 1, 3, 4)
        w = w.reshape(out, channels // group, *kernel)
    op, more = ("Deconv2d", {"group": group}) if deconv else ("Conv2d", {"group": group})
    if not deconv and group > 1 and channels == group:
        op, more = "DepthwiseConv2d", {}
        w = w.reshape(group, out // group, *kernel).transpose(1, 0, 2, 3)
    filter_ = b.add_const(np.ascontiguousarray(w), name="filter")
    return [spatial(b, x, lambda t: b.op(op, t, filter_, *biases, **more, **attrs))
            for x in n.bottoms]


def _stored_channels(n: Layer, group: int, deconv: bool) -> int:
    """The channels of a bottom whose shape is not known, as the filter has them."""
    if not n.blobs:
        n.check_weights([None])  # says what is missing
    shape = n.blobs[0].array.shape
    if len(shape) != 4:
        raise ModelError(f"{n.op} '{n.name}': blob 0 of {n.weights_file} has the shape "
                         f"{list(shape)}, which is no filter")
    return shape[0] if deconv else shape[1] * group


def _check_rank(b: Builder, n: Layer) -> None:
    for x in n.bottoms:
        if b.rank(x) != 4:
            raise Unsupported(f"{n.op} over {b.rank(x) - 2} spatial dimensions: two convert",
                              "reshape the blob to [N,C,H,W]")


def _window(n: Layer) -> dict[str, Any]:
    strides = _pair(n, "stride", "stride_h", "stride_w", 1, 1)
    pads = _pair(n, "pad", "pad_h", "pad_w", 0, 0)
    dilations = _pair(n, "dilation", "", "", 1, 1)
    return {"strides": strides, "dilations": dilations, **_padding(pads)}


def _padding(pads: list[int]) -> dict[str, Any]:
    if not any(pads):
        return {"padding": VALID}
    return {"padding": EXPLICIT, "padding_values": [*pads, *pads]}


def _pair(n: Layer, name: str, h: str, w: str, least: int, default: int | None = None) -> list[int]:
    """Height and width of a field that has one number, two, or a field for each."""
    values = n.attr(name)
    given = [key for key in (h, w) if key and n.attr(key) is not None and key not in n.at_default]
    both = values is not None and values != [] and name not in n.at_default
    if both and given:
        raise ModelError(f"{n.op} '{n.name}' has both {name} and {given[0]}; keep one")
    if given:
        default = 0 if least == 0 else default
        found = [n.attr(key) if n.attr(key) is not None else default for key in (h, w)]
        if None in found or len(given) == 1 and least == 1:
            raise ModelError(f"{n.op} '{n.name}' has {given[0]} alone; give {h} and {w}")
    else:
        values = default if values is None else values
        if values is None:
            raise ModelError(f"{n.op} '{n.name}' lacks its {name}")
        found = list(values) if isinstance(values, list) else [values]
        if len(found) not in (1, 2):
            raise ModelError(f"{n.op} '{n.name}' has {len(found)} numbers as {name}; two spatial "
                             "axes have one or two")
        found = found * 2 if len(found) == 1 else found
    return [_at_least(n, name, v, least) for v in found]


def _at_least(n: Layer, name: str, value: int, least: int) -> int:
    if not least <= value <= _MAX:
        raise ModelError(f"{n.op} '{n.name}': {name} is {value}, it must be {least} or larger")
    return value


@registry.op("Pooling")
def pooling(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    _check_rank(b, n)
    if len(n.outputs) > 1:
        raise Unsupported("its second top, the places of the largest elements",
                          "only Unpooling and Upsample with masks need it, which do not convert")
    kind = n.attr("pool")
    if kind == "STOCHASTIC":
        raise Unsupported("pool: STOCHASTIC, which draws at random", "use AVE or MAX")
    attrs: dict[str, Any] = {"pooling_type": MAX if kind == "MAX" else AVERAGE}
    if n.attr("global_pooling"):
        if any(n.attr(k) is not None for k in ("kernel_size", "kernel_h", "kernel_w")):
            raise ModelError(f"Pooling '{n.name}' has both global_pooling and a kernel; keep one")
        if _pair(n, "stride", "stride_h", "stride_w", 1, 1) != [1, 1] or any(
                _pair(n, "pad", "pad_h", "pad_w", 0, 0)):
            raise ModelError(f"Pooling '{n.name}' has global_pooling, which takes no pad and no "
                             "stride")
        n.attr("round_mode"), n.attr("ceil_mode")  # there is one window
        return spatial(b, n.bottoms[0], lambda t: b.op(
            "Pooling", t, kernels=[1, 1], strides=[1, 1], **attrs, **{"global": 1}))
    kernels = _pair(n, "kernel_size", "kernel_h", "kernel_w", 1)
    strides = _pair(n, "stride", "stride_h", "stride_w", 1, 1)
    pads = _pair(n, "pad", "pad_h", "pad_w", 0, 0)
    ceil = n.attr("round_mode") == "CEIL" and n.attr("ceil_mode")
    if any(p >= k for p, k in zip(pads, kernels)):
        raise ModelError(f"Pooling '{n.name}': pad {pads} must be smaller than the kernel "
                         f"{kernels}")
    if ceil and not any(pads):
        _check_last_window(b, n, kernels, strides)
    # Caffe divides means by the part of a window that is in the padded bottom.
    return spatial(b, n.bottoms[0], lambda t: b.op(
        "Pooling", t, kernels=kernels, strides=strides, round_mode=int(ceil), count_include_pad=1,
        **attrs, **_padding(pads)))


def _check_last_window(b: Builder, n: Layer, kernels: list[int], strides: list[int]) -> None:
    """Without padding, Caffe keeps a last window that begins after the bottom, and so is empty."""
    for size, kernel, stride in zip(b.extents(n.bottoms[0])[2:], kernels, strides):
        if size is not None and -(-(size - kernel) // stride) * stride >= size:
            raise Unsupported(f"its last window begins behind the bottom (extent {size}, kernel "
                              f"{kernel}, stride {stride}) and is empty",
                              "use round_mode: FLOOR, or a stride that is not above the kernel")
