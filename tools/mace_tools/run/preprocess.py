"""Turns an image into a model's input, as `preprocess:` in the deployment file says.

SPDX-License-Identifier: Apache-2.0

input = (pixel - mean) * scale, with 8-bit pixels from 0 to 255, per channel.
"""

import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from mace_tools.config.sections import Preprocess
from mace_tools.support.errors import MaceError
from mace_tools.support.limits import open_file

logging.getLogger("PIL").setLevel(logging.CRITICAL)  # errors are exceptions
# Formats of pixels. Pillow starts Ghostscript for an EPS file, whatever its name is.
FORMATS = ("BMP", "DIB", "GIF", "ICO", "JPEG", "JPEG2000", "MPO", "PCX", "PNG", "PPM", "QOI", "SGI",
           "TGA", "TIFF", "WEBP")
FILTERS = {"nearest": Image.Resampling.NEAREST, "bilinear": Image.Resampling.BILINEAR,
           "bicubic": Image.Resampling.BICUBIC}  # fmt: skip


def from_picture(
    file: Path,
    preprocess: Preprocess | None,
    shape: tuple[int, ...],
    data_format: str,
    dtype: np.dtype[Any],
    where: str,
) -> np.ndarray:
    """An array of `shape`. Errors: MaceError beginning with `where`."""
    height, width, channels = _extents(shape, data_format, where)
    if preprocess is None:
        raise MaceError(
            f"{where}: to feed images, the deployment file needs `preprocess:` in the model; "
            f"example: preprocess: {{resize: [{height}, {width}], "
            f"channels: {'gray' if channels == 1 else 'rgb'}, mean: 127.5, scale: 0.00784314}}")
    pixels = _pixels(file, preprocess, where)
    if pixels.shape[2] != channels:
        raise MaceError(f"{where}: preprocess gives {pixels.shape[2]} channel(s) "
                        f"(channels: {preprocess.channels}), the model takes {channels}")
    if pixels.shape[:2] != (height, width):
        found = f"{pixels.shape[0]} high and {pixels.shape[1]} wide"
        raise MaceError(f"{where}: the image is {found}, the model takes {height} and {width}; "
                        f"write preprocess: {{resize: [{height}, {width}], ...}}")
    values = (pixels.astype(np.float64) - preprocess.mean) * preprocess.scale
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = np.clip(np.rint(values), limits.min, limits.max)
    if (data_format == "NCHW") or (data_format == "NONE" and shape[-1] != channels):
        values = values.transpose(2, 0, 1)
    return np.ascontiguousarray(values.astype(dtype).reshape(shape))


def _extents(shape: tuple[int, ...], data_format: str, where: str) -> tuple[int, int, int]:
    """Height, width and channels of the input."""
    if len(shape) in (3, 4) and (len(shape) == 3 or shape[0] == 1):
        a, b, c = shape[-3:]
        if data_format != "NCHW" and c in (1, 3):
            return a, b, c
        if data_format != "NHWC" and a in (1, 3):
            return b, c, a
    raise MaceError(f"{where}: the input {list(shape)} is not one image with 1 or 3 channels; "
                    "give a .npy file instead")


def _pixels(file: Path, preprocess: Preprocess, where: str) -> np.ndarray:
    """[height, width, channels], 0 to 255."""
    Image.init()  # loads the readers of all formats
    known = [name for name in FORMATS if name in Image.OPEN]  # QOI is of newer Pillows
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of metadata that does not matter here
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with open_file(file) as source, Image.open(source, formats=known) as opened:
                picture = ImageOps.exif_transpose(opened)
                picture = _eight_bits(picture).convert(
                    "L" if preprocess.channels == "gray" else "RGB")
    except UnidentifiedImageError as e:
        raise MaceError(f"{where}: this is neither a .npy file nor an image that can be read "
                        "(PNG, JPEG, BMP, GIF, TIFF, WebP, ...)") from e
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as e:
        raise MaceError(f"{where}: the image has too many pixels; make it smaller first") from e
    except Exception as e:  # readers of formats raise many kinds of exceptions
        raise MaceError(f"{where}: the image is damaged ({e})") from e
    if preprocess.resize is not None and picture.size != preprocess.resize[::-1]:
        picture = picture.resize(preprocess.resize[::-1], FILTERS[preprocess.interpolation])
    pixels = np.asarray(picture)
    pixels = pixels[:, :, None] if pixels.ndim == 2 else pixels
    return pixels[:, :, ::-1] if preprocess.channels == "bgr" else pixels


def _eight_bits(picture: Image.Image) -> Image.Image:
    """Scales 16-bit grey images; Pillow's own conversion would clip them."""
    if not picture.mode.startswith("I"):
        return picture
    return Image.fromarray(np.rint(np.asarray(picture) / 257).clip(0, 255).astype(np.uint8))
