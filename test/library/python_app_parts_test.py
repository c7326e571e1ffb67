"""The Python package: states, operators of the app, and images.

SPDX-License-Identifier: Apache-2.0
"""

import gc
import sys
import threading

import numpy as np
import pytest
from consumers import DIGITS
from PIL import Image

pytestmark = pytest.mark.deep
# States


def test_states_go_from_run_to_run_and_out_and_in(mace, models):
    x, first = np.float32([1, 2]), np.float32([10, 20])
    with mace.Engine(models["counter"]) as engine, mace.Engine(models["counter"]) as other:
        assert {n: (i.dtype, i.shape) for n, i in engine.states.items()} == {"v": ("float32", (2,))}
        values = first
        for _ in range(3):
            values = values + x
            np.testing.assert_array_equal(engine(x), values + x)
        kept = engine.get_state()
        np.testing.assert_array_equal(kept["v"], first + 3 * x)
        np.testing.assert_array_equal(other(x), first + 2 * x)  # has a state of its own
        other.set_state(kept)
        np.testing.assert_array_equal(other(x), engine(x))
        np.testing.assert_array_equal(kept["v"], first + 3 * x)  # a copy
        engine.reset_state()
        np.testing.assert_array_equal(engine.get_state()["v"], first)


def test_wrong_states_change_nothing(mace, models):
    with mace.Engine(models["counter"]) as engine:
        for states, words in (({"w": [1, 2]}, "'w'"), ({"v": np.zeros(3, "f4")}, "v"),
                              ({"v": np.zeros(2, "i4")}, "v"), ([1], "a dict of arrays")):
            with pytest.raises(mace.InvalidArgumentError, match=words):
                engine.set_state(states)
        np.testing.assert_array_equal(engine.get_state()["v"], np.float32([10, 20]))
    with pytest.raises(mace.ClosedError):
        engine.reset_state()
    with mace.Engine(models["digits"]) as engine:
        assert engine.states == {} and engine.get_state() == {}


# Operators of the app


def scaled(mace, seen):
    class Scaled(mace.CustomOp):
        def __init__(self, node):
            super().__init__(node)
            seen.append(node)

        def prepare(self, inputs):
            x, w = inputs
            assert x.value is None and x.dtype == np.float32
            np.testing.assert_array_equal(w.value, np.float32([1, 2, 3, 4]))
            return [(x.dtype, x.shape)]

        def invoke(self, inputs, outputs):
            assert not inputs[0].flags.writeable
            outputs[0][...] = inputs[0] * inputs[1] * np.float32(self.node.attributes["factor"])

    return Scaled


def test_an_operator_of_the_app_runs(mace, models):
    seen = []
    x = np.random.default_rng(1).uniform(-1, 1, (1, 2, 3, 4)).astype(np.float32)
    ops = {"com.acme.Scaled": scaled(mace, seen)}
    with mace.Engine(models["own"], custom_ops=ops) as engine:
        wanted = x * np.float32([1, 2, 3, 4]) * np.float32(2.5) + x
        np.testing.assert_allclose(engine(x), wanted, rtol=1e-6)
        larger = np.ones((1, 2, 5, 4), np.float32)
        np.testing.assert_allclose(engine(larger)[0, 0, 4], [3.5, 6, 8.5, 11], rtol=1e-6)
    (node,) = seen
    assert (node.op, node.name, node.num_inputs, node.num_outputs) == (
        "com.acme.Scaled", "s", 2, 1)
    assert node.attributes["factor"] == 2.5 and node.attributes["words"] == b"ab"
    assert node.attributes["steps"] == [3, 4]
    gc.collect()
    assert sys.modules["mace._ops"]._objects == {}


def test_what_an_operator_raises_is_the_error_of_the_call(mace, models):
    def with_method(name, method):
        made = type("Own", (scaled(mace, []),), {name: method})
        return mace.Engine(models["own"], custom_ops={"com.acme.Scaled": made})

    def fails(*_):
        raise ValueError("no such thing: 17")

    x = np.ones((1, 2, 3, 4), np.float32)
    for name, method, words in (
        ("__init__", fails, "'s'.*ValueError: no such thing: 17"),
        ("prepare", fails, "'s'.*ValueError: no such thing: 17"),
        ("invoke", fails, "'s'.*ValueError: no such thing: 17"),
        ("prepare", lambda *_: [], "prepare returned 0 outputs; the node has 1"),
        ("prepare", lambda *_: [("f4", [1] * 9)], "9 dimensions; at most 8"),
        ("prepare", lambda *_: [("f8", [1])], "no type float64"),
        ("prepare", lambda *_: 7, "TypeError"),
        ("prepare", lambda *_: [("f4", [-1])], "-1"),
        ("invoke", lambda s, i, o: o[0].__setitem__(..., np.zeros(7)), "ValueError: could not"),
        ("invoke", lambda s, i, o: i[0].__setitem__(..., 1), "read-only"),
        ("invoke", lambda *_: (_ for _ in ()).throw(ValueError("ä" * 600)), "ää"),
    ):
        with pytest.raises(mace.MaceError, match=words):
            with_method(name, method)(x)
    gc.collect()
    assert sys.modules["mace._ops"]._objects == {}


def test_an_engine_goes_on_after_an_operator_failed(mace, models):
    often = []

    class Sometimes(scaled(mace, [])):
        def invoke(self, inputs, outputs):
            often.append(1)
            if len(often) == 2:
                raise RuntimeError("now")
            super().invoke(inputs, outputs)

    x = np.ones((1, 2, 3, 4), np.float32)
    with mace.Engine(models["own"], custom_ops={"com.acme.Scaled": Sometimes}) as engine:
        wanted = engine(x)
        with pytest.raises(mace.MaceError, match="RuntimeError: now"):
            engine(x)
        np.testing.assert_array_equal(engine(x), wanted)


def test_operators_that_cannot_be_are_refused(mace, models):
    for ops, words in (
        ({}, "no op 'com.acme.Scaled'"), ([1], "a dict with the class"),
        ({"com.acme.Scaled": 7}, "a class, not int"), ({"Conv2d": scaled(mace, [])}, "Conv2d"),
        ({"two words": scaled(mace, [])}, "two words"),
    ):
        with pytest.raises(mace.MaceError, match=words):
            mace.Engine(models["own"], custom_ops=ops)
    gc.collect()
    assert sys.modules["mace._ops"]._objects == {}


def test_engines_in_threads_call_their_operators(mace, models):
    wrong = []

    def call():
        with mace.Engine(models["own"], custom_ops={"com.acme.Scaled": scaled(mace, [])}) as e:
            x = np.ones((1, 2, 3, 4), np.float32)
            wrong.extend(1 for _ in range(30) if e(x)[0, 0, 0, 3] != 11)

    threads = [threading.Thread(target=call) for _ in range(3)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not wrong


# Images


def noise(*shape):
    return np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)


def test_pixels_become_numbers(mace):
    picture, mean, scale = noise(5, 7, 3), [1, 2, 3], [0.5, 0.25, 2]
    wanted = ((picture - np.float64(mean)) * scale).astype(np.float32)
    x = mace.ImageConverter(7, 5, mean=mean, scale=scale)(picture)
    assert x.shape == (1, 5, 7, 3) and x.dtype == np.float32
    np.testing.assert_allclose(x[0], wanted, rtol=1e-6)
    nchw = mace.ImageConverter(7, 5, mean=mean, scale=scale, data_format="NCHW")(picture)
    np.testing.assert_allclose(nchw[0], wanted.transpose(2, 0, 1), rtol=1e-6)
    bgr = mace.ImageConverter(7, 5, channels="bgr")(picture)
    np.testing.assert_array_equal(bgr[0], picture[..., ::-1])
    gray = mace.ImageConverter(7, 5, channels="gray")(picture)
    np.testing.assert_allclose(gray[0, ..., 0], picture @ [0.299, 0.587, 0.114], atol=0.51)
    quantized = mace.ImageConverter(7, 5, dtype="int8", quantization=(1.0, -128))(picture)
    np.testing.assert_array_equal(quantized[0], (picture.astype(int) - 128).astype(np.int8))


def test_memory_of_any_strides_is_read_in_place(mace):
    large, convert = noise(12, 16, 4), mace.ImageConverter(5, 4)
    for picture in (large[2:6, 3:8, :3], large[::3, ::3, :3][:4, :5], large[3::-1, :5, :3],
                    large[:4, :5, 2::-1], np.asfortranarray(large[:4, :5, :3]),
                    Image.fromarray(large[:4, :5, :3])):
        np.testing.assert_array_equal(convert(picture)[0], np.asarray(picture))
    rgba = large[2:6, 3:8]
    np.testing.assert_array_equal(convert(rgba)[0], rgba[..., :3])
    np.testing.assert_array_equal(convert(rgba, format="bgra")[0], rgba[..., 2::-1])


def test_pictures_are_cropped_and_turned(mace):
    picture = noise(6, 8, 3)
    cropped = mace.ImageConverter(4, 3)(picture, crop=(2, 1, 4, 3))
    np.testing.assert_array_equal(cropped[0], picture[1:4, 2:6])
    assert mace.turned(90) == 6 and mace.turned(0, mirror=True) == 2
    turned = mace.ImageConverter(6, 8)(picture, orientation=mace.turned(90))
    np.testing.assert_array_equal(turned[0], np.rot90(picture, -1))


def test_planes_of_yuv(mace):
    y, uv = noise(4, 6), np.full((2, 3, 2), 128, np.uint8)
    convert = mace.ImageConverter(6, 4, channels="gray")
    for format, planes in (("nv12", (y, uv)), ("nv21", (y, uv)),
                           ("yuv420", (y, uv[..., 0], uv[..., 1]))):
        np.testing.assert_array_equal(convert(planes, format=format)[0, ..., 0], y)
        rgb = mace.ImageConverter(6, 4)(planes, format=format)
        np.testing.assert_array_equal(rgb[0], np.stack([y] * 3, -1))


def test_points_go_back_to_the_picture(mace):
    way = mace.ImageTransform()
    mace.ImageConverter(100, 100, fit="letterbox", padding=(9, 9, 9))(
        noise(100, 200, 3), transform=way)
    assert way.content == (0, 25, 100, 50)
    assert way.to_picture(0, 25) == (0, 0) and way.to_picture(100, 75) == (200, 100)
    assert way.to_tensor(100, 50) == (50, 50)


def test_a_picture_of_a_digit_is_classified(mace, models):
    with mace.Engine(models["digits"]) as engine:
        convert = mace.ImageConverter(8, 8, channels="gray", scale=1 / 255, data_format="NCHW")
        for digit in (3, 7):
            picture = Image.open(DIGITS / "images" / f"{digit}.png").convert("L")
            assert engine(convert(picture)).argmax() == digit


def test_pictures_that_cannot_be_are_refused(mace):
    rgb, convert = noise(4, 4, 3), mace.ImageConverter(4, 4)
    for call, words in (
        (lambda: convert(rgb.astype(np.float32)), "an array of uint8"),
        (lambda: convert(noise(4, 4, 2)), "format=''"), (lambda: convert(rgb, format="png"), "png"),
        (lambda: convert(rgb, format="rgba"), "has 4 values for each pixel; the array has 3"),
        (lambda: convert([rgb, rgb]), "has 1 planes; 2 were given"),
        (lambda: convert(noise(4, 0, 3)), "shape"),
        (lambda: convert(rgb, crop=(2, 2, 4, 4)), "crop"),
        (lambda: convert(rgb, orientation=9), "9"), (lambda: convert(rgb, color="srgb"), "srgb"),
        (lambda: convert((noise(4, 4), noise(1, 1, 2)), format="nv12"), "plane|bytes|U"),
        (lambda: mace.ImageConverter(0, 4), "0"),
        (lambda: mace.ImageConverter(4, 4, mean=[1, 2]), "mean: one number, or 3; 2 were given"),
        (lambda: mace.ImageConverter(4, 4, channels="xyz"), "one of rgb, bgr, gray"),
        (lambda: mace.ImageConverter(4, 4, fit="fill"), "one of stretch, letterbox, crop"),
        (lambda: mace.ImageConverter(4, 4, filter="cubic"), "nearest, bilinear"),
        (lambda: mace.ImageConverter(4, 4, padding=(1, 2)), "three numbers from 0 to 255"),
        (lambda: mace.ImageConverter(4, 4, dtype="float64"), "no type float64"),
        (lambda: mace.ImageConverter(4, 4, dtype="int32"), "type"),
        (lambda: mace.ImageConverter(4, 4, data_format="HWC"), "one of NHWC, NCHW"),
        (lambda: mace.ImageConverter(4, 4, num_threads=0), "thread"),
    ):
        with pytest.raises(mace.InvalidArgumentError, match=words):
            call()
