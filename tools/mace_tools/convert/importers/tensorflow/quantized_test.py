"""TensorFlow's quantized operators agree with TensorFlow, quantized where their ranges are
constant.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.importers.tensorflow.quantized_tensors import READERS
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.lazily import RAW, tf

RANDOM = np.random.default_rng(15)
IMAGE = RANDOM.uniform(-1, 1, (1, 9, 8, 3)).astype(np.float32)
STATE = RANDOM.bit_generator.state
RANGE = (np.float32(-1.0), np.float32(1.0))


def build(make, ends=("y",)):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, IMAGE.shape, "x")
        for name, value in zip(ends, make(x) if len(ends) > 1 else [make(x)]):
            tf.identity(value, name)
    return graph


def save(path, make, ends=("y",)):
    """A frozen graph that `make` builds on the image, and TensorFlow's results."""
    with build(make, ends).as_default() as graph:
        with tf.compat.v1.Session(graph=graph) as session:
            want = session.run([f"{name}:0" for name in ends], {"x:0": IMAGE})
        path.write_bytes(graph.as_graph_def().SerializeToString())
    return want


def run(path, ends=("y",)):
    graph = convert(importers.load("tensorflow", path, {"x": IMAGE.shape}, list(ends)))
    found = reference.run(graph, {"x": IMAGE})
    return graph, [found[name] for name in ends]


def quantized(x, low, high, kind="quint8", mode="MIN_FIRST"):
    return RAW.QuantizeV2(input=x, min_range=low, max_range=high, T=tf.as_dtype(kind), mode=mode)


@pytest.fixture(autouse=True)
def same_numbers():
    """In a case, whichever others run."""
    RANDOM.bit_generator.state = STATE


def weights(*shape):
    """A quantized constant with its range, as quantize_nodes makes it of floats."""
    in_float = RANDOM.normal(0, 0.4, shape).astype(np.float32)
    low, high = np.float32(min(0, in_float.min())), np.float32(in_float.max())
    step = (high - low) / 255
    q_values = np.clip(np.rint(in_float / step) - np.rint(low / step), 0, 255).astype(np.uint8)
    return tf.constant(q_values.view(tf.quint8.as_numpy_dtype), tf.quint8), low, high


def in_float(q_values, low, high, mode="MIN_FIRST"):
    return RAW.Dequantize(input=q_values, min_range=low, max_range=high, mode=mode)


def conv(x, w):
    return RAW.QuantizedConv2D(
        input=x[0], filter=w[0], min_input=x[1], max_input=x[2], min_filter=w[1], max_filter=w[2],
        strides=[1, 1, 1, 1], padding="SAME")


def frozen(x, low, high):
    return RAW.Requantize(input=x[0], input_min=x[1], input_max=x[2],
                          requested_output_min=np.float32(low),
                          requested_output_max=np.float32(high), out_type=tf.quint8)


def shrunk(x, *_):
    return RAW.QuantizeDownAndShrinkRange(input=x[0], input_min=x[1], input_max=x[2],
                                          out_type=tf.quint8)


def network(x, down):
    """What the tools make of a small network in float32; `down` finds the ranges of 8 bits."""
    y = down(conv(x, weights(3, 3, 3, 8)), -4.0, 4.0)
    bias = weights(8)
    y = RAW.QuantizedBiasAdd(input=y[0], bias=bias[0], min_input=y[1], max_input=y[2],
                             min_bias=bias[1], max_bias=bias[2], out_type=tf.qint32)
    y = down(y, -5.0, 5.0)
    y = RAW.QuantizedRelu(features=y[0], min_features=y[1], max_features=y[2])
    y = RAW.QuantizedMaxPool(input=y[0], min_input=y[1], max_input=y[2], ksize=[1, 2, 2, 1],
                             strides=[1, 2, 2, 1], padding="SAME")
    y = RAW.QuantizedAvgPool(input=y[0], min_input=y[1], max_input=y[2], ksize=[1, 2, 2, 1],
                             strides=[1, 2, 2, 1], padding="VALID")
    y = RAW.QuantizedReshape(tensor=y[0], shape=[1, 32], input_min=y[1], input_max=y[2])
    w = weights(32, 5)
    y = RAW.QuantizedMatMul(a=y[0], b=w[0], min_a=y[1], max_a=y[2], min_b=w[1], max_b=w[2],
                            Toutput=tf.qint32)
    return in_float(*down(y, -20.0, 20.0))


def test_a_network_of_frozen_ranges_computes_quantized(tmp_path):
    (want,) = save(tmp_path / "m.pb", lambda x: network(quantized(x, *RANGE), frozen))
    graph, (got,) = run(tmp_path / "m.pb")
    # The source rounds what a layer makes to 8 bits before the bias is added.
    floats = [n.op for n in graph.nodes if not graph.is_quantized(n)]
    assert floats == ["BiasAdd"] * 3, "at both ends, and the bias"
    assert {"Conv2d", "Activation", "Pooling", "FullyConnected"} <= {n.op for n in graph.nodes}
    assert np.abs(got - want).max() <= 1.01 * 40 / 255
    assert np.ptp(want) > 10 * 40 / 255


def test_a_network_of_computed_ranges_computes_in_floats(tmp_path):
    def make(x):
        return network(quantized(x, tf.reduce_min(x), tf.reduce_max(x)), shrunk)

    (want,) = save(tmp_path / "m.pb", make)
    graph, (got,) = run(tmp_path / "m.pb")
    assert not any(graph.is_quantized(n) for n in graph.nodes)
    assert not any(n.op == "Reduce" for n in graph.nodes), "ranges that nothing needs"
    (note,) = [n for n in graph.notes if "ranges of quantized values in each run" in n]
    assert "freeze_requantization_ranges makes the ranges constant" in note
    # TensorFlow rounds to 8 bits six times.
    assert np.abs(got - want).max() <= 0.02 * np.ptp(want)


def test_weights_stay_quantized_where_only_they_are(tmp_path):
    """What the tool quantize_weights makes."""
    (want,) = save(tmp_path / "m.pb", lambda x: tf.nn.conv2d(x, in_float(*weights(3, 3, 3, 4)), 1,
                                                             "SAME"))
    graph, (got,) = run(tmp_path / "m.pb")
    assert [(n.op, graph.tensors[n.inputs[1]].stored) for n in graph.nodes] == [("Conv2d", "i8")]
    np.testing.assert_allclose(got, want, atol=1e-5)


def one(op, **attrs):
    """An operator of one operand, behind a quantization of a constant range."""
    def make(x):
        q_values, low, high = quantized(x, *RANGE)
        names = {"QuantizedResizeBilinear": ("images", "min", "max"),
                 "QuantizedReshape": ("tensor", "input_min", "input_max")}.get(
            op, ("features", "min_features", "max_features"))
        y = getattr(RAW, op)(**dict(zip(names, (q_values, low, high))), **attrs)
        return in_float(*y)
    return make


def two(op, mode="MIN_FIRST", **attrs):
    def make(x):
        a, b = quantized(x, *RANGE), quantized(2 * x, np.float32(-1.5), np.float32(2.5))
        y = getattr(RAW, op)(x=a[0], y=b[0], min_x=a[1], max_x=a[2], min_y=b[1], max_y=b[2],
                             Toutput=tf.qint32)
        return in_float(*frozen(y, -4.0, 4.0))
    return make


def joined(x):
    a, b = quantized(x, *RANGE), quantized(3 * x, np.float32(-3.0), np.float32(2.0))
    return in_float(*RAW.QuantizedConcat(concat_dim=3, values=[a[0], b[0]], input_mins=[a[1], b[1]],
                                         input_maxes=[a[2], b[2]]))


def there_and_back(mode, kind):
    low = 0 if kind == "quint8" and mode == "SCALED" else -0.93
    return lambda x: in_float(*quantized(x, np.float32(low), np.float32(0.71), kind, mode),
                              mode=mode)


CASES = {
    "QuantizedRelu": (one("QuantizedRelu"), 2 / 255),
    "QuantizedRelu6": (one("QuantizedRelu6"), 2 / 255),
    "QuantizedReshape": (one("QuantizedReshape", shape=[1, 216]), 2 / 255),
    "QuantizedResizeBilinear": (one("QuantizedResizeBilinear", size=[18, 16]), 2 / 255),
    "QuantizedResizeBilinear of centers": (
        one("QuantizedResizeBilinear", size=[5, 7], half_pixel_centers=True), 2 / 255),
    "QuantizedAdd": (two("QuantizedAdd"), 8 / 255),
    "QuantizedMul": (two("QuantizedMul"), 8 / 255),
    "QuantizedConcat": (joined, 5 / 255),
    **{f"{mode} {kind}": (there_and_back(mode, kind), 2 / 255)
       for mode in ("MIN_FIRST", "MIN_COMBINED", "SCALED") for kind in ("quint8", "qint8")},
}


@pytest.mark.parametrize("name", CASES)
def test_operators_are_within_a_step(name, tmp_path):
    make, step = CASES[name]
    (want,) = save(tmp_path / "m.pb", make)
    graph, (got,) = run(tmp_path / "m.pb")
    assert any(n.op == "Quantize" for n in graph.nodes)
    assert got.shape == want.shape
    # TensorFlow's QuantizedResizeBilinear is up to 1.9 quantized values from its ResizeBilinear of
    # the same quantized values, and its QuantizedAdd takes steps as 0.1 % larger than they are.
    most, mean = (3.01, 1) if "Resize" in name else (1.01, 0.2 if "Add" in name else 0.05)
    assert np.abs(got - want).max() <= most * step and np.abs(got - want).mean() <= mean * step


def test_ranges_are_those_of_tensorflow(tmp_path):
    """As outputs of the model, which nothing makes constant."""
    def make(x):
        low, high = tf.reduce_min(x), tf.reduce_max(x)
        y = quantized(x, low, high)
        product = conv(y, weights(3, 3, 3, 4))
        total = RAW.QuantizedAdd(x=y[0], y=y[0], min_x=y[1], max_x=y[2], min_y=y[1], max_y=y[2],
                                 Toutput=tf.qint32)
        small = shrunk(product)
        found = RAW.RequantizationRange(input=product[0], input_min=product[1],
                                        input_max=product[2])
        both = RAW.QuantizedConcat(concat_dim=3, values=[y[0], small[0]],
                                   input_mins=[y[1], small[1]], input_maxes=[y[2], small[2]])
        return [*product[1:], *total[1:], *small[1:], *found, *both[1:]]

    ends = tuple("abcdefghij")
    want = save(tmp_path / "m.pb", make, ends)
    _, got = run(tmp_path / "m.pb", ends)
    # The ends that depend on quantized values are within a step of these.
    np.testing.assert_allclose(np.ravel(got[:4]), np.ravel(want[:4]), rtol=1e-5)
    np.testing.assert_allclose(np.ravel(got[4:]), np.ravel(want[4:]), rtol=0.03)


def refusal(path, graph):
    path.write_bytes(graph.SerializeToString())
    with pytest.raises((ModelError, UnsupportedOps)) as e:
        importers.load("tensorflow", path, {"x": IMAGE.shape}, ["y"])
    return str(e.value)


def refused(path, make):
    return refusal(path, build(make).as_graph_def())


def relu_x(x):
    y = quantized(x, *RANGE)
    return in_float(*RAW.QuantizedReluX(features=y[0], max_value=np.float32(0.4), min_features=y[1],
                                        max_features=y[2]))


def requantized(x):
    y = conv(quantized(x, *RANGE), weights(3, 3, 3, 4))
    found = RAW.RequantizationRange(input=y[0], input_min=y[1], input_max=y[2])
    return in_float(*RAW.Requantize(input=y[0], input_min=y[1], input_max=y[2],
                                    requested_output_min=found[0], requested_output_max=found[1],
                                    out_type=tf.quint8))


def test_limits_below_the_range(tmp_path):
    """TensorFlow has no kernel of QuantizedReluX for CPUs."""
    (tmp_path / "m.pb").write_bytes(build(relu_x).as_graph_def().SerializeToString())
    _, (got,) = run(tmp_path / "m.pb")
    step = 2 / 255
    assert np.abs(got - np.clip(IMAGE, 0, 0.4)).max() <= 1.01 * step


def test_an_unknown_attribute_is_refused(tmp_path):
    makers = [lambda x: network(quantized(x, *RANGE), shrunk), relu_x, requantized,
              *(make for make, _ in CASES.values())]
    seen = set()
    for make in makers:
        graph = build(make).as_graph_def()
        for node in graph.node:
            if node.op in seen or node.op not in READERS:
                continue
            seen.add(node.op)
            node.attr["surprise"].i = 3
            text = refusal(tmp_path / "m.pb", graph)
            assert f"{node.op} x1" in text and "its attribute surprise = 3" in text
            del node.attr["surprise"]
    assert seen == set(READERS)


def test_quantized_tensors_are_not_float_tensors(tmp_path):
    path = tmp_path / "m.pb"
    text = refused(path, lambda x: tf.cast(quantized(x, *RANGE)[0], tf.float32))
    assert "Cast" in text and "numbers of the quantized values 'QuantizeV2', whose range" in text
    text = refused(path, lambda x: quantized(x, *RANGE)[0])
    assert "'y'" in text and "it is a quantized tensor" in text and "output_tensors" in text
    text = refused(path, lambda x: in_float(weights(4)[0], tf.reduce_min(x), tf.reduce_max(x)))
    assert "has a range that is computed" in text


@pytest.mark.parametrize("low, high, text", [
    (2.0, 1.0, "its range is 2.0 to 1.0"), (np.nan, 1.0, "its range is nan"),
    (0.5, 1.0, "does not hold 0"), (-np.inf, 1.0, "its range is -inf")])
def test_ranges_that_cannot_be(low, high, text, tmp_path):
    message = refused(tmp_path / "m.pb", lambda x: in_float(*frozen(
        conv(quantized(x, *RANGE), weights(3, 3, 3, 4)), low, high)))
    assert text in message and "Requantize" in message


def test_narrow_ranges_end_at_the_negative_of_their_last_value(tmp_path):
    def make(x):
        q_values = RAW.QuantizeV2(input=x, min_range=-0.5, max_range=0.5, T=tf.qint8, mode="SCALED",
                                  narrow_range=True)
        return RAW.Dequantize(input=q_values[0], min_range=q_values[1], max_range=q_values[2],
                              mode="SCALED", narrow_range=True)

    (want,) = save(tmp_path / "m.pb", make)
    _, (got,) = run(tmp_path / "m.pb")
    assert want.min() == np.float32(-0.5)
    np.testing.assert_allclose(got, want, atol=1e-6)


def test_modes_and_types_that_cannot_be(tmp_path):
    graph = build(lambda x: in_float(*quantized(x, *RANGE))).as_graph_def()
    node = next(n for n in graph.node if n.op == "QuantizeV2")
    node.attr["mode"].s = b"MIN_LAST"
    assert "mode MIN_LAST" in refusal(tmp_path / "m.pb", graph)
    node.attr["mode"].s = b"MIN_FIRST"
    node.attr["T"].type = tf.qint32.as_datatype_enum
    assert "quantized values of type qint32" in refusal(tmp_path / "m.pb", graph)
    message = refused(tmp_path / "m.pb", lambda x: in_float(*quantized(
        x, np.float32(-2), np.float32(-1), "quint8", "SCALED"), mode="SCALED"))
    assert "QuantizeV2" in message and "gives steps of" in message


def test_a_range_for_each_channel_is_refused(tmp_path):
    ends = [-1.0] * 3, [1.0] * 3
    text = refused(tmp_path / "m.pb", lambda x: RAW.Dequantize(
        input=RAW.QuantizeV2(input=x, min_range=ends[0], max_range=ends[1], T=tf.qint8,
                             mode="SCALED", axis=3)[0],
        min_range=ends[0], max_range=ends[1], mode="SCALED", axis=3))
    assert "its attribute axis is 3" in text and "QuantizeV2" in text
