"""Convolutions.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry, volumes
from mace_tools.convert.importers.onnx.layout import pair, spatial, spatial_rank
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.ops.common.windows import EXPLICIT, SAME, SAME_LOWER, VALID
from mace_tools.support.errors import ModelError


def padding(n: SourceNode, rank: int) -> dict[str, Any]:
    """The engine's padding attributes for ONNX's auto_pad and pads."""
    auto, pads = n.attr("auto_pad", "NOTSET"), n.attr("pads") or []
    if auto in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        if any(pads):
            raise Unsupported(f"both auto_pad '{auto}' and pads {pads}, which ONNX does not allow",
                              "leave out one of them")
        return {"padding": {"SAME_UPPER": SAME, "SAME_LOWER": SAME_LOWER, "VALID": VALID}[auto]}
    if not any(pads):
        return {"padding": VALID}
    top, left, bottom, right = pads if rank == 4 else (0, pads[0], 0, pads[1])
    return {"padding": EXPLICIT, "padding_values": [top, left, bottom, right]}


def filter_4d(b: Builder, n: SourceNode) -> str:
    """The filter; [O, I, W] of a 1-D convolution as [O, I, 1, W]."""
    w, kernel, shape = n.inputs[1], n.attr("kernel_shape"), b.shape(n.inputs[1])
    if kernel and shape is not None and None not in shape and list(shape[2:]) != list(kernel):
        raise ModelError(f"{n.op} '{n.name}': kernel_shape is {list(kernel)}, its filter has the "
                         f"shape {list(shape)}")
    return b.op("ExpandDims", w, axis=[2]) if b.rank(w) == 3 else w


@registry.op("Conv")
def conv(b: Builder, n: SourceNode) -> str:
    x, w, *bias = n.inputs
    if b.rank(w) == 5:
        return volumes.conv(b, n)
    rank, group = spatial_rank(b, n), n.attr("group", 1)
    attrs = {"strides": pair(n.attr("strides"), 1, rank), **padding(n, rank),
             "dilations": pair(n.attr("dilations"), 1, rank)}
    w = filter_4d(b, n)
    shape = b.shape(w)
    if group > 1 and shape is not None and shape[1] == 1 and not _many_scales(b, w, group):
        out, _, kh, kw = shape
        w = b.op("Reshape", w, dim=[group, out // group, kh, kw])
        w = b.op("Transpose", w, dims=[1, 0, 2, 3])
        return spatial(b, x, lambda t: b.op("DepthwiseConv2d", t, w, *bias, **attrs))
    return spatial(b, x, lambda t: b.op("Conv2d", t, w, *bias, group=group, **attrs))


def _many_scales(b: Builder, w: str, group: int) -> bool:
    """Whether the filter stands for quantized values with several scales in a group, which are
    along an axis only while it is not split."""
    quant = b.source_quant(w)
    return quant is not None and quant.axis is not None and quant.scale.size not in (1, group)


@registry.op("ConvTranspose")
def conv_transpose(b: Builder, n: SourceNode) -> str:
    x, w, *bias = n.inputs
    if b.rank(w) == 5:
        return volumes.deconv(b, n)
    rank, group = spatial_rank(b, n), n.attr("group", 1)
    w = filter_4d(b, n)
    shape = b.shape(w)
    if shape is None or None in shape:
        raise Unsupported("the filter's shape is not known", "make the filter a constant")
    inputs, out, kh, kw = shape
    if group > 1:
        w = b.op("Reshape", w, dim=[group, inputs // group, out, kh, kw])
        w = b.op("Transpose", w, dims=[0, 2, 1, 3, 4])
        w = b.op("Reshape", w, dim=[group * out, inputs // group, kh, kw])
    else:
        w = b.op("Transpose", w, dims=[1, 0, 2, 3])
    attrs = _deconv_attrs(b, n, [kh, kw], rank)
    return spatial(b, x, lambda t: b.op("Deconv2d", t, w, *bias, group=group, **attrs))


def _deconv_attrs(b: Builder, n: SourceNode, kernel: list[int], rank: int) -> dict[str, Any]:
    strides, dilations = pair(n.attr("strides"), 1, rank), pair(n.attr("dilations"), 1, rank)
    more = pair(n.attr("output_padding"), 0, rank)
    wanted = n.attr("output_shape")
    wanted = None if not wanted else [1, wanted[-1]] if rank == 3 else wanted[-2:]
    auto = n.attr("auto_pad", "NOTSET")
    pads = padding(n, rank).get("padding_values", [0] * 4)
    if wanted or auto.startswith("SAME"):
        sizes = (1, b.extents(n.inputs[0])[2]) if rank == 3 else b.extents(n.inputs[0])[2:]
        for k in range(2):
            reach = (kernel[k] - 1) * dilations[k] + 1
            if wanted and sizes[k] is None:
                raise Unsupported("output_shape with an input of unknown size",
                                  "give input_shapes, or replace output_shape by pads")
            target = wanted[k] if wanted else None
            total = (strides[k] * (sizes[k] - 1) + more[k] + reach - target if target
                     else reach + more[k] - strides[k])
            if total < 0 and more[k] - total >= strides[k]:
                raise Unsupported(f"an output_shape of {target} where the products end at "
                                  f"{target + total}", "leave out output_shape")
            if total < 0:  # the last elements, to which no input contributes
                more[k] -= total
                total = 0
            half = total // 2
            pads[k] = half if auto == "SAME_UPPER" else total - half
            pads[k + 2] = total - pads[k]
    for k in range(2):  # a negative pad at the end is extra output
        if pads[k + 2] < 0:
            more[k] -= pads[k + 2]
            pads[k + 2] = 0
    return {"strides": strides, "dilations": dilations, "output_padding": more,
            "padding": EXPLICIT, "padding_values": pads}
