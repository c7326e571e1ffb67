"""Spectra and the audio front end of TFLite models, against LiteRT.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError, UnsupportedOps
from mace_tools.testing.by_litert import litert
from mace_tools.testing.detection import options
from mace_tools.testing.lazily import tf
from mace_tools.testing.tflite_file import Maker

RNG = np.random.default_rng(17)


def f32(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def check(tmp_path, model: bytes, feeds, output="y"):
    want = litert(model, feeds)
    assert not isinstance(want, str), want
    path = tmp_path / "m.tflite"
    path.write_bytes(model)
    got = reference.run(convert(importers.load("tflite", path)), feeds)[output]
    assert got.shape == want[0].shape and got.dtype == want[0].dtype
    np.testing.assert_allclose(got, want[0], rtol=2e-5,
                               atol=2e-5 * np.abs(want[0]).max(initial=1e-30))


@pytest.mark.parametrize("reader", ("COMPLEX_ABS", "REAL", "IMAG"))
@pytest.mark.parametrize("shape, lengths", [((4, 8), (4, 8)), ((2, 3, 16), (1, 16)),
                                            ((2, 6, 20), (4, 16)), ((5, 6), (8, 8))])
def test_rfft2d(tmp_path, reader, shape, lengths):
    m = Maker()
    m.tensor("x", shape)
    m.tensor("f", (), "complex64")
    m.op("RFFT2D", ["x", m.const("n", np.int32(lengths))], ["f"], "Rfft2dOptions")
    m.op(reader, ["f"], ["y"])
    check(tmp_path, m.bytes(["x"], ["y"]), {"x": f32(*shape)})


def by_converter(function, shape) -> bytes:
    made = tf.function(function, input_signature=[tf.TensorSpec(shape, tf.float32, name="x")])
    return tf.lite.TFLiteConverter.from_concrete_functions([made.get_concrete_function()]).convert()


def ends(model: bytes) -> tuple[str, str]:
    """The names of the input and the output."""
    run = Interpreter(model_content=model)
    return run.get_input_details()[0]["name"], run.get_output_details()[0]["name"]


@pytest.mark.parametrize("function, shape", [
    (lambda x: tf.abs(tf.signal.rfft(x)), (3, 16)),
    (lambda x: tf.math.imag(tf.signal.rfft(x, [8])), (2, 3, 20)),
    (lambda x: tf.abs(tf.signal.stft(x, 32, 10, 32)), (2, 200)),
    (lambda x: tf.math.real(tf.signal.rfft2d(x)), (2, 4, 8)),
    (lambda x: tf.cast(tf.signal.stft(x, 32, 10, 32), tf.float32), (2, 200)),
    (lambda x: tf.cast(tf.signal.rfft2d(x), tf.float32), (2, 4, 8)),
    (lambda x: tf.abs(tf.signal.rfft(x)) + tf.cast(tf.signal.rfft(x), tf.float32), (3, 16))],
    ids=("abs", "imag", "stft", "two", "cast of stft", "cast of two", "abs and cast"))
def test_what_the_converter_makes(tmp_path, function, shape):
    """It puts axes of extent 1 around transforms along one axis."""
    model = by_converter(function, shape)
    name, output = ends(model)
    check(tmp_path, model, {name: f32(*shape)}, output)


def test_a_spectrum_that_is_a_result_is_refused(tmp_path):
    m = Maker()
    m.tensor("x", (2, 4))
    m.tensor("y", (2, 3), "complex64")
    m.op("RFFT2D", ["x", m.const("n", np.int32([2, 4]))], ["y"], "Rfft2dOptions")
    with pytest.raises((UnsupportedOps, MaceError), match="complex"):
        importers.load("tflite", m.save(tmp_path, ["x"], ["y"]))


@pytest.mark.parametrize("samples, channels, window, stride, squared", [
    (400, 1, 160, 80, True), (400, 2, 128, 100, False), (33, 1, 33, 7, True)])
def test_audio_spectrogram(tmp_path, samples, channels, window, stride, squared):
    m = Maker()
    m.tensor("x", (samples, channels))
    m.op("AudioSpectrogram", ["x"], ["y"], CustomOptions=options(
        {"window_size": window, "stride": stride, "magnitude_squared": squared}))
    check(tmp_path, m.bytes(["x"], ["y"]), {"x": f32(samples, channels)})


@pytest.mark.parametrize("bins, rate, more", [
    (257, 16000, {}), (129, 8000, {"upper_frequency_limit": 3000.0, "dct_coefficient_count": 20}),
    (65, 22050, {"lower_frequency_limit": 300.0, "filterbank_channel_count": 13})])
def test_mfcc(tmp_path, bins, rate, more):
    given = {"upper_frequency_limit": 4000.0, "lower_frequency_limit": 20.0,
             "filterbank_channel_count": 40, "dct_coefficient_count": 13, **more}
    m = Maker()
    m.tensor("x", (1, 6, bins))
    m.op("Mfcc", ["x", m.const("rate", np.int32(rate))], ["y"], CustomOptions=options(given))
    check(tmp_path, m.bytes(["x"], ["y"]), {"x": np.abs(f32(1, 6, bins))})


@pytest.mark.parametrize("given, text", [
    ({"window_size": 0, "stride": 1}, "windows of 0 samples every 1 of 40"),
    ({}, "windows of 0 samples every 0 of 40"),
    ({"window_size": 8, "stride": -1}, "windows of 8 samples every -1"),
    ({"window_size": 41, "stride": 1}, "windows of 41 samples")])
def test_windows_that_make_no_sense(tmp_path, given, text):
    m = Maker()
    m.tensor("x", (40, 1))
    m.op("AudioSpectrogram", ["x"], ["y"], CustomOptions=options(given))
    with pytest.raises(UnsupportedOps, match=text):
        importers.load("tflite", m.save(tmp_path, ["x"], ["y"]))
