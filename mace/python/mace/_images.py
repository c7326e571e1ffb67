"""Pictures as inputs of models: resized, cropped, turned and normalized in one step.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from mace._errors import InvalidArgumentError
from mace._library import check, ffi, lib, owned
from mace._tensors import code_of

_FORMATS = {"rgba": 0, "bgra": 1, "rgb": 2, "bgr": 3, "gray": 4, "nv12": 5, "nv21": 6, "yuv420": 7}
_COLORS = {"bt601_full": 0, "bt601_limited": 1, "bt709_full": 2, "bt709_limited": 3}
_FITS = {"stretch": 0, "letterbox": 1, "crop": 2}
_FILTERS = {"nearest": 0, "bilinear": 1, "bicubic": 2, "bilinear_2x2": 3, "area": 4}
_CHANNELS = {"rgb": 0, "bgr": 1, "gray": 2}
_LAYOUTS = {"NHWC": 1, "NCHW": 2}
# Bytes of a pixel, or of a pair of U and V, in each plane.
_PIXELS = {"rgba": (4,), "bgra": (4,), "rgb": (3,), "bgr": (3,), "gray": (1,), "nv12": (1, 2),
           "nv21": (1, 2), "yuv420": (1, 1, 1)}  # fmt: skip


class ImageTransform:
    """Where a point of the tensor lies in the image. Coordinates are continuous: the pixel at
    (0, 0) reaches from 0 to 1 both ways."""

    def __init__(self) -> None:
        self.handle = owned("image_transform", lib.mace_image_transform_create, what="transform")

    def to_picture(self, x: float, y: float) -> tuple[float, float]:
        """A point of the tensor in the stored image, uncropped."""
        return self._map(lib.mace_image_transform_to_picture, x, y)

    def to_tensor(self, x: float, y: float) -> tuple[float, float]:
        """A point of the stored image in the tensor."""
        return self._map(lib.mace_image_transform_to_tensor, x, y)

    def _map(self, function: Any, x: float, y: float) -> tuple[float, float]:
        out = ffi.new("double[2]")
        with self.handle as transform:
            check(function(transform, x, y, out, out + 1))
        return out[0], out[1]

    @property
    def content(self) -> tuple[int, int, int, int]:
        """The part of the tensor that shows the image: x, y, width, height."""
        out = ffi.new("int32_t[4]")
        with self.handle as transform:
            check(lib.mace_image_transform_content(transform, out, out + 1, out + 2, out + 3))
        return out[0], out[1], out[2], out[3]


class ImageConverter:
    """Makes a model's input of images. The numbers are those of `preprocess` in a deployment
    file: (pixel - mean) * scale, with pixels from 0 to 255. Any thread may use it; calls take
    turns."""

    def __init__(self, width: int, height: int, *, channels: str = "rgb",
                 mean: Union[float, Sequence[float]] = 0, scale: Union[float, Sequence[float]] = 1,
                 fit: str = "stretch", filter: str = "bilinear",
                 padding: Sequence[int] = (0, 0, 0), data_format: str = "NHWC",
                 dtype: Any = "float32", quantization: tuple[float, int] = (1.0, 0),
                 num_threads: int = 1) -> None:
        """`width`, `height`, `data_format`: the tensor's. `channels`: "rgb", "bgr" or "gray".
        `mean`, `scale`: one number, or one for each channel. `fit`: "stretch", "letterbox" or
        "crop". `filter`: "nearest", "bilinear", "bicubic", "bilinear_2x2" or "area". `padding`: the
        colour beside a letterboxed image. `dtype`: float32, or uint8 or int8 with the scale and
        the zero point of `quantization`. Raises InvalidArgumentError."""
        code = _one_of("channels", channels, _CHANNELS)
        self._dtype = np.dtype(dtype)
        depth = 1 if channels == "gray" else 3
        self._shape = ((1, height, width, depth) if data_format == "NHWC"
                       else (1, depth, height, width))
        with owned("image_input", lib.mace_image_input_create, _int32("width", width),
                   _int32("height", height), what="input") as pointer:
            check(lib.mace_image_input_set_resize(pointer, _one_of("fit", fit, _FITS),
                                                  _one_of("filter", filter, _FILTERS)))
            check(lib.mace_image_input_set_channels(pointer, code, _three("mean", mean, depth),
                                                    _three("scale", scale, depth)))
            check(lib.mace_image_input_set_padding(pointer, _color(padding)))
            check(lib.mace_image_input_set_data_type(
                pointer, code_of("dtype", self._dtype), *_quantization(quantization)))
            check(lib.mace_image_input_set_data_format(
                pointer, _one_of("data_format", data_format, _LAYOUTS)))
            check(lib.mace_image_input_set_num_threads(
                pointer, _int32("num_threads", num_threads)))
            self.handle = owned("image_converter", lib.mace_image_converter_create, pointer,
                                what="converter")

    def __call__(self, picture: Any, *, format: Optional[str] = None,
                 crop: Optional[tuple[int, int, int, int]] = None, orientation: int = 1,
                 color: str = "bt601_full",
                 transform: Optional[ImageTransform] = None) -> np.ndarray:
        """The tensor of an image: an array of uint8 of shape (height, width) or (height, width,
        channels), or what NumPy takes for one, such as an image of Pillow; of YUV the list of the
        planes. Rows may have gaps; nothing is copied.

        `format`: "rgb" (the default for three channels), "rgba" (for four), "gray" (for one),
        "bgr", "bgra", "nv12", "nv21" or "yuv420". `crop`: x, y, width and height of the part that
        is meant. `orientation`: what turns the stored image upright, by its number in EXIF.
        `color`: what the values of YUV mean. `transform` gets the way back. Raises
        InvalidArgumentError."""
        planes = [_plane(p) for p in (picture if isinstance(picture, (list, tuple)) else [picture])]
        kind = format or {1: "gray", 3: "rgb", 4: "rgba"}.get(_depth(planes[0]), "")
        code = _one_of("format", kind, _FORMATS)
        if len(planes) != len(_PIXELS[kind]):
            raise InvalidArgumentError(f"an image of format '{kind}' has {len(_PIXELS[kind])} "
                                       f"planes; {len(planes)} were given")
        height, width = planes[0].shape[:2]
        image = owned("image", lib.mace_image_create, code, width, height, what="picture")
        tensor = np.empty(self._shape, self._dtype)
        with image as pointer, self.handle as converter:
            kept = [_set_plane(pointer, kind, k, plane) for k, plane in enumerate(planes)]
            check(lib.mace_image_set_color(pointer, _one_of("color", color, _COLORS)))
            if crop is not None:
                if len(crop) != 4:
                    raise InvalidArgumentError(f"crop={crop!r}: x, y, width and height")
                x, y, wide, high = (_int32("crop", value) for value in crop)
                check(lib.mace_image_set_crop(pointer, x, y, wide, high))
            check(lib.mace_image_set_orientation(pointer, _int32("orientation", orientation)))
            out = ffi.cast("void *", tensor.ctypes.data)
            if transform is None:
                check(lib.mace_image_convert(converter, pointer, out, tensor.nbytes, ffi.NULL))
            else:
                with transform.handle as back:
                    check(lib.mace_image_convert(converter, pointer, out, tensor.nbytes, back))
        del kept
        return tensor


def turned(degrees: int, mirror: bool = False) -> int:
    """The orientation for degrees clockwise, then mirrored as the preview of a front camera is."""
    return int(lib.mace_image_turned(_int32("degrees", degrees), mirror))


def _one_of(what: str, word: Any, words: dict[str, int]) -> int:
    if word not in words:
        raise InvalidArgumentError(f"{what}={word!r}: it is one of {', '.join(words)}")
    return words[word]


def _int32(what: str, value: Any) -> int:
    try:
        found = operator.index(value)
    except TypeError:
        found = 1 << 32
    if not -(1 << 31) <= found < 1 << 31:
        raise InvalidArgumentError(f"{what}={value!r}: it is an integer of 32 bits")
    return found


def _quantization(value: Any) -> tuple[float, int]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise InvalidArgumentError(f"quantization={value!r}: a scale and a zero point")
    return float(value[0]), _int32("quantization: zero point", value[1])


def _three(what: str, value: Any, depth: int) -> Any:
    numbers = [float(v) for v in np.atleast_1d(np.asarray(value, np.float64))]
    if len(numbers) not in (1, depth):
        raise InvalidArgumentError(f"{what}: one number, or {depth}; {len(numbers)} were given")
    return ffi.new("double[3]", (numbers * 3)[:3] if len(numbers) == 1 else numbers)


def _color(padding: Sequence[int]) -> Any:
    if len(padding) != 3 or not all(0 <= int(v) <= 255 for v in padding):
        raise InvalidArgumentError(f"padding={padding!r}: three numbers from 0 to 255")
    return ffi.new("uint8_t[3]", [int(v) for v in padding])


def _plane(value: Any) -> np.ndarray:
    plane = np.asarray(value)
    if plane.dtype != np.uint8 or plane.ndim not in (2, 3) or 0 in plane.shape:
        raise InvalidArgumentError(
            f"an image is an array of uint8 with rows, columns and channels; found {plane.dtype} "
            f"of shape {plane.shape}")
    return plane


def _depth(plane: np.ndarray) -> int:
    return 1 if plane.ndim == 2 else plane.shape[2]


def _set_plane(pointer: Any, kind: str, k: int, plane: np.ndarray) -> np.ndarray:
    """Returns the array in whose memory the plane is."""
    depth = _depth(plane)
    if depth != _PIXELS[kind][k]:
        raise InvalidArgumentError(f"plane {k} of format '{kind}' has {_PIXELS[kind][k]} values "
                                   f"for each pixel; the array has {depth}")
    rows, columns = plane.shape[:2]
    dense = plane.ndim == 2 or depth == 1 or plane.strides[2] == 1
    if not dense or plane.strides[0] < columns * depth or plane.strides[1] < depth:
        plane = np.ascontiguousarray(plane)  # mirrored, or with channels apart
    bytes_ = (rows - 1) * plane.strides[0] + (columns - 1) * plane.strides[1] + depth
    data = ffi.cast("void *", plane.ctypes.data)
    check(lib.mace_image_set_plane(pointer, k, data, bytes_, plane.strides[0], plane.strides[1]))
    return plane
