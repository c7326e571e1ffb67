"""Keras' recurrent layers by TFLite and by frozen graphs in both forms of control flow, against
Keras; an exact cell becomes one op of the engine.

SPDX-License-Identifier: Apache-2.0
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from golden import Run, relative_error, run_all

from mace_tools.convert import importers
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing import integer_svdf
from mace_tools.testing.by_litert import runs_of_litert
from mace_tools.testing.lazily import keras, layers, tf

B, T, IN, H = 2, 5, 3, 4
FORMS = ("v1", "v2", "tflite")
# Layer, and the engine's ops in the place of its loop.
LAYERS = {
    "lstm": (lambda: layers.LSTM(H, return_sequences=True), {"Lstm": 1}),
    "lstm_last": (lambda: layers.LSTM(H), {"Lstm": 1}),
    "lstm_relu": (lambda: layers.LSTM(H, activation="relu", recurrent_activation="tanh",
                                      use_bias=False), {"Lstm": 1}),
    "lstm_back": (lambda: layers.LSTM(H, go_backwards=True, return_sequences=True), {"Lstm": 1}),
    "gru": (lambda: layers.GRU(H, return_sequences=True), {"Gru": 1}),
    "gru_before": (lambda: layers.GRU(H, reset_after=False), {"Gru": 1}),
    "gru_no_bias": (lambda: layers.GRU(H, use_bias=False), {"Gru": 1}),
    "rnn": (lambda: layers.SimpleRNN(H, return_sequences=True), {"Rnn": 1}),
    "rnn_relu": (lambda: layers.SimpleRNN(H, activation="relu"), {"Rnn": 1}),
    "both_ways": (lambda: layers.Bidirectional(layers.LSTM(H, return_sequences=True)),
                  {"Lstm": 2}),
    "both_ways_gru": (lambda: layers.Bidirectional(layers.GRU(H), merge_mode="sum"), {"Gru": 2}),
    # Not exactly one of the engine's cells: these stay loops.
    "softsign": (lambda: layers.LSTM(H, activation="softsign"), {"Loop": 1}),
    "two_cells": (lambda: layers.RNN([layers.LSTMCell(H), layers.GRUCell(3)],
                                     return_sequences=True), {"Loop": 1}),
    "masked": (lambda: keras.Sequential([layers.Masking(0.0),
                                         layers.LSTM(H, return_sequences=True)]), {"Loop": 1}),
}
LOOPS = ("Loop", "Lstm", "Gru", "Rnn")


def keras_model(layer, steps=T, batch=B):
    keras.utils.set_random_seed(7)
    x = keras.Input((steps, IN), batch_size=batch, name="x")
    made = keras.Model(x, layer(x))
    dice = np.random.default_rng(3)
    for weight in made.weights:  # biases are zeros at first, which would hide where they go
        if weight.dtype == "float32":
            weight.assign(dice.normal(scale=0.5, size=weight.shape))
    return made


def frozen(function, signature, v1: bool) -> bytes:
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    concrete = tf.function(function).get_concrete_function(*signature)
    graph = convert_variables_to_constants_v2(concrete, lower_control_flow=v1).graph
    return graph.as_graph_def().SerializeToString()


def saved(folder: Path, model, form: str) -> tuple[str, Path]:
    """The platform and the file of a Keras model."""
    if form == "tflite":
        path = folder / "m.tflite"
        path.write_bytes(tf.lite.TFLiteConverter.from_keras_model(model).convert())
        return "tflite", path
    path = folder / "m.pb"
    spec = tf.TensorSpec(model.inputs[0].shape, tf.float32, name="x")
    path.write_bytes(frozen(lambda x: model(x), [spec], form == "v1"))
    return "tensorflow", path


def graph_of(platform: str, path: Path, feeds):
    """The canonical graph; the only input of TFLite models has another name than Keras gave it."""
    model = importers.read(platform, path)
    names = list(feeds) if platform == "tensorflow" else list(model.inputs)
    shapes = {name: value.shape for name, value in zip(names, feeds.values())}
    graph = convert(importers.translate(platform, model, shapes, model.outputs[:1]))
    return graph, dict(zip(names, feeds.values()))


def check(tmp_path, graph, feeds, want, tolerance=1e-5):
    one = Run("m", graph, feeds)
    run_all([one], tmp_path / "run")
    assert not one.error, one.error
    got = list(one.outputs.values())[0]
    assert relative_error(got, np.asarray(want)) <= tolerance


@pytest.fixture(autouse=True)
def _folder(tmp_path):
    (tmp_path / "run").mkdir()


@pytest.mark.parametrize("name, form", [
    pytest.param(name, form, marks=pytest.mark.full if form == "tflite" else ())
    for name in LAYERS for form in FORMS
    if (name, form) != ("softsign", "tflite")])  # TFLite has no Softsign
def test_layer(tmp_path, name, form):
    make, ops = LAYERS[name]
    model = keras_model(make())
    x = np.random.default_rng(5).normal(size=(B, T, IN)).astype(np.float32)
    if name == "masked":
        x[0, 3:] = x[1, 1:2] = 0
    graph, feeds = graph_of(*saved(tmp_path, model, form), {"x": x})
    found = Counter(node.op for node in graph.nodes)
    assert {op: found[op] for op in LOOPS if found[op]} == ops
    check(tmp_path, graph, feeds, model(x))


@pytest.mark.parametrize("form", (pytest.param("v1", marks=pytest.mark.full), "v2"))
@pytest.mark.parametrize("name", ("lstm", "gru", "lstm_last", "masked", "both_ways"))
def test_any_batch_and_length(tmp_path, name, form):
    """One file, which does not say how many sequences there are and how long they are."""
    make, _ = LAYERS[name]
    model = keras_model(make(), None, None)
    platform, path = saved(tmp_path, model, form)
    for k, (batch, steps) in enumerate(((1, 1), (3, 7))):
        x = np.random.default_rng(k).normal(size=(batch, steps, IN)).astype(np.float32)
        graph, feeds = graph_of(platform, path, {"x": x})
        one = Run("m", graph, feeds)
        (tmp_path / f"run{k}").mkdir()
        run_all([one], tmp_path / f"run{k}")
        assert not one.error, one.error
        assert relative_error(list(one.outputs.values())[0], np.asarray(model(x))) <= 1e-5


@pytest.mark.parametrize("form", ("v1", "v2"))
def test_no_conversion_of_shapes_that_stay_open(tmp_path, form):
    """An LSTM of any batch and length is one op even where the shapes are not known."""
    model = keras_model(layers.LSTM(H, return_sequences=True), None, None)
    platform, path = saved(tmp_path, model, form)
    read = importers.read(platform, path)
    graph = convert(importers.translate(platform, read, {"x": (None, None, IN)}, read.outputs[:1]))
    assert [n.op for n in graph.nodes if n.op in LOOPS] == ["Lstm"] and not graph.shape_dependent


# --- loops and conditionals of TensorFlow ---


def until(x):
    """Stops when the data say so, with the number of iterations as a result."""
    n, y = tf.while_loop(lambda i, v: tf.reduce_sum(v) < 50.0, lambda i, v: (i + 1, v + v + 1.0),
                         (0, x))
    return y * tf.cast(n, tf.float32)


def mapped(x):
    return tf.map_fn(lambda row: tf.sort(row) * 2.0, x)


def scanned(x):
    return tf.scan(lambda total, row: total * 0.5 + row, x)


def chosen(x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.nn.relu(x) + 1.0, lambda: tf.exp(x))


def chosen_twice(x):
    """A conditional in a conditional, and one more with the same condition behind it."""
    p = tf.reduce_sum(x) > 0.0
    y = tf.cond(p, lambda: tf.cond(x[0, 0] > 0.0, lambda: x * 2.0, lambda: x * 3.0),
                lambda: tf.constant(4.0) + x)
    return tf.cond(p, lambda: y - 1.0, lambda: y * y)


def loop_in_loop(x):
    def inner(i, v):
        j, w = tf.while_loop(lambda j, w: j < i + 1, lambda j, w: (j + 1, w * 0.9 + x), (0, v))
        return i + 1, w
    return tf.while_loop(lambda i, v: i < 3, inner, (0, x))[1]


def cond_in_loop(x):
    def body(i, v):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: v + x, lambda: v * x)
    return tf.while_loop(lambda i, v: i < 5, body, (0, x))[1]


def loop_in_cond(x):
    return tf.cond(x[0, 0] > 0.0, lambda: tf.while_loop(
        lambda i, v: i < 4, lambda i, v: (i + 1, v * 1.5), (0, x))[1], lambda: -x)


def array_backwards(x):
    """Elements are written from the last one on, so that the list stays a list."""
    array = tf.TensorArray(tf.float32, 3, element_shape=(4,))
    return tf.while_loop(lambda i, a: i >= 0, lambda i, a: (i - 1, a.write(i, x[i] * 2.0)),
                         (2, array))[1].stack()


def array_half_full(x):
    """Fewer elements are written than there are: the rest is zero."""
    array = tf.TensorArray(tf.float32, 5, element_shape=(4,))
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, x[i])),
                         (0, array))[1].stack()


def array_by_data(x):
    """As many elements as the data say."""
    n = tf.minimum(tf.cast(tf.reduce_sum(tf.abs(x)), tf.int32), 4) + 1
    array = tf.TensorArray(tf.float32, n)
    return tf.while_loop(lambda i, a: i < n, lambda i, a: (
        i + 1, a.write(i, x[0] * tf.cast(i, tf.float32))), (0, array))[1].stack()


FUNCTIONS = (until, mapped, scanned, chosen, chosen_twice, loop_in_loop, cond_in_loop,
             loop_in_cond, array_backwards, array_half_full, array_by_data)


X = ((np.arange(12, dtype=np.float32).reshape(3, 4) - 3) / 7).astype(np.float32)


@pytest.mark.parametrize("form", ("v1", "v2"))
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_control_flow(tmp_path, function, form):
    """With two inputs, for which conditions differ."""
    path = tmp_path / "m.pb"
    path.write_bytes(frozen(function, [tf.TensorSpec(X.shape, tf.float32, name="x")],
                            form == "v1"))
    graph, _ = graph_of("tensorflow", path, {"x": X})
    runs = [Run(str(sign), graph, {"x": sign * X}) for sign in (1, -1)]
    run_all(runs, tmp_path / "run")
    for one in runs:
        assert not one.error, one.error
        want = np.asarray(function(tf.constant(one.feeds["x"])))
        assert relative_error(list(one.outputs.values())[0], want) <= 1e-5


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not array_by_data],
                         ids=lambda f: f.__name__)
def test_control_flow_of_tensorflow_1(tmp_path, function):
    """As TensorFlow 1 writes it, with TensorArrays as resources."""
    v2 = tf.compat.v1.control_flow_v2_enabled()
    tf.compat.v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default() as graph:
            feed = tf.compat.v1.placeholder(tf.float32, X.shape, "x")
            made = tf.identity(function(feed), "y")
            with tf.compat.v1.Session(graph=graph) as session:
                want = session.run(made, {feed: X})
            path = tmp_path / "m.pb"
            path.write_bytes(graph.as_graph_def().SerializeToString())
    finally:
        if v2:
            tf.compat.v1.enable_control_flow_v2()
    model = importers.read("tensorflow", path)
    graph = convert(importers.translate("tensorflow", model, {"x": X.shape}, ["y"]))
    check(tmp_path, graph, {"x": X}, want)


@pytest.mark.parametrize("case", integer_svdf.CASES[::3], ids=str)
def test_quantized_svdf(case, tmp_path):
    """Bit for bit, with the state that the engine keeps from run to run."""
    path, x, count = case.save(tmp_path), case.feeds(1)[0], case.steps + 2
    graph = convert(importers.load("tflite", path))
    for rounds in (1, count):
        run = Run(f"{rounds} runs", graph, {"x": x})
        run_all([run], tmp_path / str(rounds), [f"--round={rounds}"])
        assert not run.error, run.error
        want = runs_of_litert(path, [x] * rounds, reference=True)[-1][0]
        np.testing.assert_array_equal(run.outputs["y"], want)
