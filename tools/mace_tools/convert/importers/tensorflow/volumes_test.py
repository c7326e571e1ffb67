"""Layers over three dimensions, and places of largest elements, each against TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError
from mace_tools.testing.lazily import RAW, tf

RNG = np.random.default_rng(31)
PADDINGS = ("SAME", "VALID")


def f32(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def check(tmp_path, function, x, run=True):
    """A function's frozen graph, converted, gives what the function gives."""
    with tf.Graph().as_default() as graph:
        given = tf.compat.v1.placeholder(x.dtype, x.shape, "x")
        made = function(given)
        made = made if isinstance(made, list | tuple) else [made]
        names = [tf.identity(y, f"y{k}").op.name for k, y in enumerate(made)]
        (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
        if run:
            with tf.compat.v1.Session(graph=graph) as session:
                want = session.run(list(made), {given: x})
    model = convert(importers.load("tensorflow", tmp_path / "m.pb", {"x": x.shape}, names))
    results = reference.run(model, {"x": x})
    for name, expected in zip(names, want):
        got = results[name]
        assert got.shape == expected.shape and got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("padding, stride, dilation", [
    (p, s, d) for p, s, d in itertools.product(
        PADDINGS, ((1, 1, 1), (2, 2, 2), (2, 1, 3)), ((1, 1, 1), (2, 1, 1), (1, 2, 2)))
    if max(s) == 1 or max(d) == 1])
def test_conv3d(tmp_path, padding, stride, dilation):
    for kernel in ((1, 1, 1), (2, 3, 2), (3, 2, 3)):
        w = f32(*kernel, 2, 3)
        check(tmp_path, lambda x, w=w: RAW.Conv3D(
            input=x, filter=w, strides=[1, *stride, 1], padding=padding,
            dilations=[1, *dilation, 1]), f32(2, 5, 6, 7, 2))


@pytest.mark.parametrize("op", ("MaxPool3D", "AvgPool3D"), ids=("max", "mean"))
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("kernel, stride", [((2, 2, 2), (2, 2, 2)), ((3, 2, 1), (1, 2, 3)),
                                            ((1, 3, 3), (2, 1, 1)), ((4, 4, 4), (3, 3, 3))])
def test_pooling(tmp_path, op, padding, kernel, stride):
    check(tmp_path, lambda x: getattr(RAW, op)(
        input=x, ksize=[1, *kernel, 1], strides=[1, *stride, 1], padding=padding),
        f32(2, 5, 6, 7, 3))


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("stride", [(1, 1, 1), (2, 2, 2), (1, 2, 3), (3, 1, 2)])
def test_transposed(tmp_path, padding, stride):
    size = (5, 6, 7)
    for kernel in ((1, 1, 1), (2, 3, 2), (3, 2, 3)):
        out = [-(-s // t) if padding == "SAME" else (s - k) // t + 1
               for s, k, t in zip(size, kernel, stride)]
        w = f32(*kernel, 3, 2)
        check(tmp_path, lambda x, w=w: RAW.Conv3DBackpropInputV2(
            input_sizes=[2, *size, 3], filter=w, out_backprop=x, strides=[1, *stride, 1],
            padding=padding), f32(2, *out, 2))


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("kernel, stride", [((2, 2), (2, 2)), ((3, 2), (1, 2)), ((1, 3), (3, 1))])
@pytest.mark.parametrize("batch", (False, True))
def test_places_of_the_largest(tmp_path, padding, kernel, stride, batch):
    for kind in (tf.int64, tf.int32):
        check(tmp_path, lambda x, kind=kind: RAW.MaxPoolWithArgmax(
            input=x, ksize=[1, *kernel, 1], strides=[1, *stride, 1], Targmax=kind,
            padding=padding, include_batch_in_index=batch), f32(2, 6, 7, 3))


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("kernel, stride", [((2, 2), (2, 2)), ((3, 3), (1, 1)), ((3, 2), (2, 1)),
                                            ((5, 4), (1, 1))])
def test_places_in_windows_of_minus_infinity(tmp_path, padding, kernel, stride):
    """What is padded is never the largest, not even where all else is the smallest there is."""
    for low in (-np.inf, np.finfo(np.float32).min):
        x = np.full((2, 5, 6, 2), low, np.float32)
        x[1, 2, 3, 0], x[0, 4, 5, 1] = 1, -2
        check(tmp_path, lambda x: RAW.MaxPoolWithArgmax(
            input=x, ksize=[1, *kernel, 1], strides=[1, *stride, 1], padding=padding,
            include_batch_in_index=True), x)


def test_a_layer_of_keras(tmp_path):
    layers = [tf.keras.layers.Conv3D(4, 3, padding="same", activation="relu"),
              tf.keras.layers.MaxPool3D(2), tf.keras.layers.Conv3DTranspose(2, 2, 2),
              tf.keras.layers.AveragePooling3D(2, padding="same")]
    model = tf.keras.Sequential([tf.keras.Input((4, 6, 6, 2), 1), *layers])
    made = tf.function(lambda x: model(x)).get_concrete_function(
        tf.TensorSpec((1, 4, 6, 6, 2), tf.float32, name="x"))
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )
    frozen = convert_variables_to_constants_v2(made)
    x = f32(1, 4, 6, 6, 2)
    (tmp_path / "m.pb").write_bytes(frozen.graph.as_graph_def().SerializeToString())
    output = frozen.outputs[0].op.name
    graph = convert(importers.load("tensorflow", tmp_path / "m.pb", None, [output]))
    np.testing.assert_allclose(reference.run(graph, {graph.inputs[0]: x})[output],
                               model(x).numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("change, text", [
    ({"strides": [1, 0, 1, 1, 1]}, "strides .*must be five numbers above 0"),
    ({"strides": [2, 1, 1, 1, 1]}, "along batch or channels"),
    ({"filter": f32(9, 1, 1, 2, 3), "padding": "VALID"}, "a filter over 9 planes of 5"),
    ({"filter": f32(1, 1, 1, 5, 3)}, "5 input channels for 2 channels")])
def test_attributes_that_make_no_sense(tmp_path, change, text):
    given = {"filter": f32(2, 2, 2, 2, 3), "strides": [1] * 5, "padding": "SAME", **change}
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (1, 5, 6, 7, 2), "x")
        node = RAW.Conv3D(input=x, filter=f32(2, 2, 2, 2, 3), strides=[1] * 5,
                          padding="SAME").op
        made = graph.as_graph_def()
    for n in made.node:
        if n.name == node.name:
            n.attr["strides"].list.i[:] = given["strides"]
            n.attr["padding"].s = given["padding"].encode()
        elif n.op == "Const":
            n.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(given["filter"]))
    (tmp_path / "m.pb").write_bytes(made.SerializeToString())
    with pytest.raises(MaceError, match=text):
        importers.load("tensorflow", tmp_path / "m.pb", None, [node.name])
