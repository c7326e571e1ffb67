"""Images to inputs, and images that cannot be.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from PIL import Image

from mace_tools.config.sections import Preprocess
from mace_tools.run.preprocess import from_picture
from mace_tools.support.errors import MaceError

F32 = np.dtype(np.float32)
PIXELS = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)


@pytest.fixture
def picture(tmp_path):
    """A 6 wide, 4 high colour image."""
    path = tmp_path / "p.png"
    Image.fromarray(PIXELS).save(path)
    return path


def convert(path, shape=(1, 4, 6, 3), data_format="NHWC", dtype=F32, **keys):
    preprocess = None if keys.get("none") else Preprocess(**keys)
    return from_picture(path, preprocess, shape, data_format, dtype, "input 'x'")


def test_pixels_become_the_input(picture):
    assert np.array_equal(convert(picture)[0], PIXELS)
    assert convert(picture).dtype == F32


def test_mean_then_scale_per_channel(picture):
    out = convert(picture, mean=[1, 2, 3], scale=[1, 0.5, 2])
    wanted = (PIXELS - np.array([1.0, 2, 3])) * np.array([1, 0.5, 2])
    assert np.allclose(out[0], wanted)


def test_channel_order(picture):
    assert np.array_equal(convert(picture, channels="bgr")[0], PIXELS[:, :, ::-1])


def test_layouts(picture):
    out = convert(picture, shape=(1, 3, 4, 6), data_format="NCHW")
    assert np.array_equal(out[0], PIXELS.transpose(2, 0, 1))
    assert np.array_equal(convert(picture, shape=(1, 3, 4, 6), data_format="NONE"), out)
    assert np.array_equal(convert(picture, shape=(4, 6, 3), data_format="NONE"), PIXELS)


def test_resize_is_height_by_width(picture):
    out = convert(picture, shape=(1, 8, 2, 3), resize=[8, 2], interpolation="nearest")
    assert out.shape == (1, 8, 2, 3)
    assert np.array_equal(out[0, ::2], out[0, 1::2])


def test_grey(tmp_path, picture):
    out = convert(picture, shape=(1, 4, 6, 1), channels="gray")
    assert np.array_equal(out[0, :, :, 0], np.asarray(Image.open(picture).convert("L")))


def test_sixteen_bits_are_scaled_not_clipped(tmp_path):
    path = tmp_path / "deep.png"
    Image.fromarray(np.array([[0, 257 * 100], [257 * 200, 65535]], np.uint16)).save(path)
    out = convert(path, shape=(1, 2, 2, 1), channels="gray")
    assert out[0, :, :, 0].tolist() == [[0, 100], [200, 255]]


def test_transparent_and_palette_pictures(tmp_path):
    for mode in ("RGBA", "P", "LA", "1", "CMYK"):
        path = tmp_path / f"{mode}.tif"
        Image.fromarray(PIXELS).convert("L" if mode == "LA" else "RGB").convert(mode).save(path)
        assert convert(path).shape == (1, 4, 6, 3)


def test_integer_inputs_are_rounded_and_kept_in_range(picture):
    out = convert(picture, dtype=np.dtype(np.int8), mean=-100, scale=1.5)
    assert out.dtype == np.int8 and out.max() == 127
    assert out.min() == 127  # (0 + 100) * 1.5 = 150
    assert convert(picture, dtype=np.dtype(np.uint8), scale=0.5)[0, 0, 0].tolist() == [0, 0, 1]


# The keys, the shape, and the message.
@pytest.mark.parametrize("keys, shape, message", [
    ({"none": True}, (1, 8, 8, 3), r"needs `preprocess:`.*resize: \[8, 8\], channels: rgb"),
    ({}, (1, 8, 8, 3), r"is 4 high and 6 wide, the model takes 8 and 8; write preprocess: "
                       r"\{resize: \[8, 8\]"),
    ({}, (1, 4, 6, 1), r"gives 3 channel\(s\) \(channels: rgb\), the model takes 1"),
    ({}, (1, 10), r"the input \[1, 10\] is not one image"),
    ({}, (2, 4, 6, 3), r"is not one image"),
    ({}, (1, 4, 6, 7), r"is not one image"),
])  # fmt: skip
def test_what_does_not_fit_is_reported(picture, keys, shape, message):
    with pytest.raises(MaceError, match=f"^input 'x': .*{message}"):
        convert(picture, shape=shape, **keys)


@pytest.mark.parametrize("cut", [0, 8, 40, 100])
def test_damaged_pictures_are_reported(picture, cut):
    noise = np.random.default_rng(0).integers(0, 256, (20, 20, 3), np.uint8)
    Image.fromarray(noise).save(picture)
    whole = picture.read_bytes()
    picture.write_bytes(whole[:cut])
    with pytest.raises(MaceError, match="damaged|neither"):
        convert(picture)


def test_foreign_files_are_reported(tmp_path):
    (tmp_path / "x.png").write_text("hello")
    with pytest.raises(MaceError, match="neither a .npy file nor an image"):
        convert(tmp_path / "x.png")


def test_bombs_are_refused(picture, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    with pytest.raises(MaceError, match="too many pixels"):
        convert(picture)


@pytest.mark.parametrize("head", [
    b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\n", b"%PDF-1.4\n"])
def test_programs_are_no_pictures(tmp_path, monkeypatch, head):
    """Pillow would start an interpreter of PostScript."""
    monkeypatch.setattr("subprocess.check_call", lambda *_, **__: pytest.fail("it was started"))
    path = tmp_path / "picture.png"
    path.write_bytes(head + b"showpage\n" * 20)
    with pytest.raises(MaceError, match="neither a .npy file nor an image"):
        from_picture(path, Preprocess(), (1, 8, 8, 3), "NHWC", np.dtype(np.float32), "input")
