"""Colours, contrast, and resizing by weights.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_array, fixed_ints, scalar
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry


@registry.op("ScaleAndTranslate")
def scale_and_translate(b: Builder, n: SourceNode) -> str:
    """Along each axis a product with the weights of the kernel, which is stretched where the
    image shrinks and `antialias` is set"""
    x = n.inputs[0]
    size = fixed_ints(b, n.inputs[1], "size")
    scale, shift = (fixed_array(b, i, what).tolist() for i, what in zip(
        n.inputs[2:4], ("scale", "translation")))
    kernel = n.attr("kernel_type", "lanczos3")
    if kernel not in _KERNELS:
        raise Unsupported(f"kernel_type '{kernel}'", f"one of {', '.join(_KERNELS)}")
    height, width = b.extents(x)[1:3]
    if height is None or width is None:
        raise Unsupported("the size of the image is not known", "give input_shapes")
    rows, columns = (
        b.add_const(_weights(extent, size[k], scale[k], shift[k], kernel,
                             n.attr("antialias", True)).astype(np.float32), name="weights")
        for k, extent in enumerate((height, width)))
    x = x if b.dtype(x) == "f32" else b.op("Cast", x, to="f32")
    x = b.op("MatMul", columns, x)  # [out, W] x [N, H, W, C]
    x = b.op("MatMul", rows, b.transpose(x, [0, 2, 1, 3]))
    return b.transpose(x, [0, 2, 1, 3])


def _weights(extent: int, out: int, scale: float, shift: float, kernel: str,
             antialias: bool) -> np.ndarray:
    """The weights [out, extent]; rows add up to 1, or are 0 where they lie outside.

    Source: documentation of jax.image.scale_and_translate, which states TensorFlow's operator."""
    reach, weigh = _KERNELS[kernel]
    stretch = max(1.0 / scale, 1.0) if antialias else 1.0
    at = (np.arange(out) + 0.5) / scale - shift / scale
    distance = np.abs(at[:, None] - np.arange(extent) - 0.5) / stretch
    weights = np.where(distance < reach, weigh(distance), 0.0)
    total = weights.sum(1, keepdims=True)
    usable = (np.abs(total) > 1000 * np.finfo(np.float32).tiny) & (
        (at >= 0) & (at <= extent))[:, None]
    return np.where(usable, weights / np.where(usable, total, 1.0), 0.0)


def _lanczos(radius: int, x: np.ndarray) -> np.ndarray:
    return np.sinc(x) * np.sinc(x / radius)


def _cubic(x: np.ndarray, b: float, c: float) -> np.ndarray:
    """Mitchell and Netravali 1988, "Reconstruction filters in computer graphics", equation 8."""
    near = (12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + (6 - 2 * b)
    far = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c
    return np.where(x < 1, near, far) / 6


# How far each kernel reaches, and its weights of distances.
_KERNELS = {
    "lanczos1": (1.0, lambda x: _lanczos(1, x)),
    "lanczos3": (3.0, lambda x: _lanczos(3, x)),
    "lanczos5": (5.0, lambda x: _lanczos(5, x)),
    "gaussian": (1.5, lambda x: np.exp(-2.0 * x**2)),  # of the deviation 0.5
    "box": (1.0, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))),
    "triangle": (1.0, lambda x: 1.0 - x),
    "keyscubic": (2.0, lambda x: _cubic(x, 0.0, 0.5)),
    "mitchellcubic": (2.0, lambda x: _cubic(x, 1 / 3, 1 / 3)),
}


@registry.op("RGBToHSV")
def rgb_to_hsv(b: Builder, n: SourceNode) -> str:
    """Hue, saturation and value of the last axis"""
    return b.op("Concat", *_hsv(b, n.inputs[0]), axis=-1)


@registry.op("HSVToRGB")
def hsv_to_rgb(b: Builder, n: SourceNode) -> str:
    return _rgb(b, *_split(b, n.inputs[0]))


@registry.op("AdjustHue")
def adjust_hue(b: Builder, n: SourceNode) -> str:
    """The hue turned by delta, of which 1 is all around"""
    hue, saturation, value = _hsv(b, n.inputs[0])
    hue = b.op("Eltwise", hue, n.inputs[1], type="SUM")
    hue = b.op("Eltwise", hue, b.op("Unary", hue, type="FLOOR"), type="SUB")
    return _rgb(b, hue, saturation, value)


@registry.op("AdjustSaturation")
def adjust_saturation(b: Builder, n: SourceNode) -> str:
    """The saturation times a number, at most 1"""
    hue, saturation, value = _hsv(b, n.inputs[0])
    saturation = b.op("Eltwise", saturation, n.inputs[1], type="PROD")
    return _rgb(b, hue, b.op("Clip", saturation, min=0.0, max=1.0), value)


@registry.op("AdjustContrastv2")
def adjust_contrast(b: Builder, n: SourceNode) -> str:
    """The distance of each pixel from the mean of its channel, times a number"""
    x, factor = n.inputs[:2]
    mean = b.op("Reduce", x, reduce_type="MEAN", axis=[-3, -2], keepdims=1)
    far = b.op("Eltwise", b.op("Eltwise", x, mean, type="SUB"), factor, type="PROD")
    return b.op("Eltwise", far, mean, type="SUM")


def _split(b: Builder, x: str) -> list[str]:
    return b.ops("Split", [x], 3, axis=-1)


def _hsv(b: Builder, x: str) -> list[str]:
    """Smith 1978, "Color gamut transform pairs"."""
    red, green, blue = _split(b, x)
    zero, one = scalar(b, 0, x), scalar(b, 1, x)

    def eltwise(kind: str, left: str, right: str) -> str:
        return b.op("Eltwise", left, right, type=kind)

    value = eltwise("MAX", eltwise("MAX", red, green), blue)
    spread = eltwise("SUB", value, eltwise("MIN", eltwise("MIN", red, green), blue))
    is_black, is_gray = (b.op("Compare", of, zero, type="LESS_EQUAL") for of in (value, spread))
    saturation = eltwise("DIV", spread, b.op("Select", is_black, one, value))
    saturation = b.op("Select", is_black, zero, saturation)
    sixth = eltwise("PROD", b.op("Select", is_gray, one, spread), scalar(b, 6, x))
    hue = ""
    for of, (left, right), start in ((blue, (red, green), 4 / 6), (green, (blue, red), 2 / 6),
                                     (red, (green, blue), 0.0)):
        here = eltwise("DIV", eltwise("SUB", left, right), sixth)
        here = eltwise("SUM", here, scalar(b, start, x)) if start else here
        hue = b.op("Select", b.op("Compare", of, value, type="EQUAL"), here, hue) if hue else here
    hue = eltwise("SUB", hue, b.op("Unary", hue, type="FLOOR"))  # a negative one from the top
    return [b.op("Select", is_gray, zero, hue), saturation, value]


def _rgb(b: Builder, hue: str, saturation: str, value: str) -> str:
    turned = b.op("Eltwise", hue, scalar(b, 6, hue), type="PROD")
    parts = []
    for at, sign, start in ((3, 1, -1), (2, -1, 2), (4, -1, 2)):
        far = b.op("Unary", b.op("Eltwise", turned, scalar(b, at, hue), type="SUB"), type="ABS")
        far = far if sign > 0 else b.op("Unary", far, type="NEG")
        part = b.op("Eltwise", far, scalar(b, start, hue), type="SUM")
        part = b.op("Clip", part, min=0.0, max=1.0)
        less = b.op("Eltwise", scalar(b, 1, hue), part, type="SUB")
        less = b.op("Eltwise", less, saturation, type="PROD")
        less = b.op("Eltwise", scalar(b, 1, hue), less, type="SUB")
        parts.append(b.op("Eltwise", less, value, type="PROD"))
    return b.op("Concat", *parts, axis=-1)
