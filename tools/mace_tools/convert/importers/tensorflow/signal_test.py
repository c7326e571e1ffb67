"""Spectra, audio front ends, parts of images and segments, each against TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError, UnsupportedOps
from mace_tools.testing.lazily import RAW, tf

RNG = np.random.default_rng(29)


def f32(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def check(tmp_path, function, *feeds, tolerance=1e-5):
    """A function's graph, converted, gives what the function gives."""
    with tf.Graph().as_default() as graph:
        given = [tf.compat.v1.placeholder(x.dtype, x.shape, f"x{k}") for k, x in enumerate(feeds)]
        made = tf.identity(function(*given), "y")
        with tf.compat.v1.Session(graph=graph) as session:
            want = session.run(made, dict(zip(given, feeds)))
        (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    shapes = {f"x{k}": x.shape for k, x in enumerate(feeds)}
    model = convert(importers.load("tensorflow", tmp_path / "m.pb", shapes, ["y"]))
    got = reference.run(model, {f"x{k}": x for k, x in enumerate(feeds)})["y"]
    assert got.shape == want.shape and got.dtype == want.dtype
    if want.dtype == np.float32:
        np.testing.assert_allclose(got, want, rtol=tolerance,
                                   atol=tolerance * np.abs(want).max(initial=1e-30))
    else:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("reader", ("abs", "real", "imag"), ids=("abs", "re", "im"))
@pytest.mark.parametrize("shape, length", [((16,), 16), ((3, 10), 16), ((2, 3, 16), 9),
                                           ((2, 5), 1), ((1, 7), 7)])
def test_rfft(tmp_path, reader, shape, length):
    check(tmp_path, lambda x: getattr(tf.math, reader)(tf.signal.rfft(x, [length])), f32(*shape))


@pytest.mark.parametrize("lengths", ([4, 6], [1, 8], [5, 3]))
def test_rfft_of_two_axes(tmp_path, lengths):
    check(tmp_path, lambda x: tf.abs(tf.signal.rfft2d(x, lengths)), f32(2, 4, 6))


@pytest.mark.parametrize("kind", ("float32", "float16", "int32"))
def test_a_cast_takes_the_real_part(tmp_path, kind):
    x = np.round(8 * f32(2, 4, 6))
    check(tmp_path, lambda x: tf.cast(tf.signal.rfft2d(x), kind), x, tolerance=1e-3)
    check(tmp_path, lambda x: tf.cast(tf.signal.rfft(x[..., :2]), kind), x)


def test_stft(tmp_path):
    check(tmp_path, lambda x: tf.abs(tf.signal.stft(x, 32, 10, 32)), f32(2, 200))


def test_other_uses_of_complex_numbers_are_refused(tmp_path):
    with pytest.raises(UnsupportedOps, match="complex numbers convert only between"):
        check(tmp_path, lambda x: tf.abs(tf.square(tf.signal.rfft(x))), f32(8))


@pytest.mark.parametrize("samples, channels, window, stride, squared", [
    (400, 1, 160, 80, True), (400, 2, 128, 100, False), (33, 1, 33, 7, True), (40, 1, 2, 1, False)])
def test_audio_spectrogram(tmp_path, samples, channels, window, stride, squared):
    check(tmp_path, lambda x: RAW.AudioSpectrogram(
        input=x, window_size=window, stride=stride, magnitude_squared=squared),
        f32(samples, channels))


@pytest.mark.parametrize("bins, rate, more", [
    (257, 16000, {}), (129, 8000, {"upper_frequency_limit": 3000.0, "dct_coefficient_count": 20}),
    (65, 22050, {"lower_frequency_limit": 300.0, "filterbank_channel_count": 13}),
    (33, 16000, {"upper_frequency_limit": 8000.0, "filterbank_channel_count": 7,
                 "dct_coefficient_count": 7})])
def test_mfcc(tmp_path, bins, rate, more):
    check(tmp_path, lambda x: RAW.Mfcc(spectrogram=x, sample_rate=rate, **more),
          np.abs(f32(2, 6, bins)), tolerance=2e-5)


BOXES = np.float32([[0, 0, 1, 1], [0.2, 0.1, 0.7, 0.9], [0.9, 0.8, 0.1, 0.3],
                    [-0.5, -0.2, 1.4, 1.3], [0.5, 0.5, 0.5, 0.5]])


@pytest.mark.parametrize("method", ("bilinear", "nearest"))
@pytest.mark.parametrize("size", ([4, 5], [1, 3], [7, 1]))
def test_crop_and_resize(tmp_path, method, size):
    check(tmp_path, lambda x, boxes: tf.image.crop_and_resize(
        x, boxes, [0, 1, 1, 0, 1], size, method, extrapolation_value=-3.0), f32(2, 6, 8, 3), BOXES)


def test_crop_of_bytes(tmp_path):
    check(tmp_path, lambda x: tf.image.crop_and_resize(x, BOXES, [0] * 5, [3, 3]),
          RNG.integers(0, 255, (1, 4, 5, 2)).astype(np.uint8))


@pytest.mark.parametrize("align", (False, True))
@pytest.mark.parametrize("size", ([3, 4], [12, 16], [5, 7], [1, 1], [6, 8]))
def test_resize_area(tmp_path, size, align):
    check(tmp_path, lambda x: RAW.ResizeArea(images=x, size=size, align_corners=align),
          f32(2, 6, 8, 3))


@pytest.mark.parametrize("kind", ("sum", "prod", "max", "min"))
@pytest.mark.parametrize("dtype", (np.float32, np.int32, np.int64))
def test_unsorted_segments(tmp_path, kind, dtype):
    data = RNG.integers(-4, 5, (2, 3, 4)).astype(dtype)
    for ids in (np.int32([0, 3]), np.int32([[0, 2, 0], [-1, 1, 2]])):
        check(tmp_path, lambda x, i: getattr(tf.math, f"unsorted_segment_{kind}")(x, i, 5),
              data, ids)


@pytest.mark.parametrize("kind", ("sum", "prod", "max", "min"))
def test_segments(tmp_path, kind):
    check(tmp_path, lambda x: getattr(tf.math, f"segment_{kind}")(x, [0, 0, 2, 3, 3]), f32(5, 3))


def test_erfc(tmp_path):
    check(tmp_path, tf.math.erfc, np.float32([-4, -1, 0, 0.5, 2, 5, 8]))


def size(value):
    return tf.constant(value, tf.int32)


BAD = {
    "no pixels": (lambda x: RAW.ResizeArea(images=x, size=size([0, 2])), (1, 4, 4, 1)),
    "a negative size": (lambda x: RAW.ResizeArea(images=x, size=size([2, -1])), (1, 4, 4, 1)),
    "a crop of no pixels": (lambda x: RAW.CropAndResize(
        image=x, boxes=BOXES, box_ind=[0] * 5, crop_size=size([2, 0])), (1, 4, 4, 1)),
    "a fill that is no number": (lambda x: RAW.CropAndResize(
        image=x, boxes=BOXES, box_ind=[0] * 5, crop_size=size([2, 2]),
        extrapolation_value=float("nan")), (1, 4, 4, 1)),
    "a window of nothing": (lambda x: RAW.AudioSpectrogram(input=x, window_size=0, stride=1),
                            (40, 1)),
    "no stride": (lambda x: RAW.AudioSpectrogram(input=x, window_size=8, stride=0), (40, 1)),
    "a window beyond the end": (lambda x: RAW.AudioSpectrogram(input=x, window_size=41, stride=1),
                                (40, 1)),
    "no filters": (lambda x: RAW.Mfcc(spectrogram=x, sample_rate=16000,
                                      filterbank_channel_count=0), (1, 2, 33)),
    "a limit that is no number": (lambda x: RAW.Mfcc(
        spectrogram=x, sample_rate=16000, upper_frequency_limit=float("nan")), (1, 2, 33)),
    "limits that fall": (lambda x: RAW.Mfcc(
        spectrogram=x, sample_rate=16000, lower_frequency_limit=5000.0), (1, 2, 33)),
    "a limit above half of the rate": (lambda x: RAW.Mfcc(
        spectrogram=x, sample_rate=16000, upper_frequency_limit=8001.0), (1, 2, 33)),
    "a negative rate": (lambda x: RAW.Mfcc(spectrogram=x, sample_rate=-1), (1, 2, 33)),
    "a length of 0": (lambda x: tf.abs(RAW.RFFT(input=x, fft_length=size([0]))), (2, 8)),
    "a length without end": (lambda x: tf.abs(RAW.RFFT(input=x, fft_length=size([1 << 30]))),
                             (2, 8)),
    "fewer than no segments": (lambda x: tf.math.unsorted_segment_sum(x, [0, 1], size(-1)), (2, 8)),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_is_refused(tmp_path, kind):
    function, shape = BAD[kind]
    with tf.Graph().as_default() as graph:
        try:
            tf.identity(function(tf.compat.v1.placeholder(tf.float32, shape, "x")), "y")
        except (ValueError, tf.errors.InvalidArgumentError):
            pytest.skip("covered elsewhere: TensorFlow makes no such graph")
        (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    with pytest.raises(MaceError, match=r"why:|malformed") as e:
        convert(importers.load("tensorflow", tmp_path / "m.pb", {"x": shape}, ["y"]))
    assert "internal error" not in str(e.value)
