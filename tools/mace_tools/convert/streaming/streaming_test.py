"""Streams of causal networks equal the whole, and others are refused with the node and the cure.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.ops.common.windows import AVERAGE, EXPLICIT, MAX, SAME, SAME_LOWER
from mace_tools.convert.streaming import NotStreamable, check, stream
from mace_tools.graph.run_io import first_values
from mace_tools.testing.net import Net

T, C = 24, 4


def causal(net, x, kernel=3, dilation=1, stride=1, op="Conv2d", out=C, **attrs):
    """A convolution along H of [1, T, 1, C] that pads only before."""
    shape = (out, C, kernel, 1) if op == "Conv2d" else (1, C, kernel, 1)
    return net.op(op, x, net.const(*shape), padding=EXPLICIT, strides=[stride, 1],
                  padding_values=[(kernel - 1) * dilation, 0, 0, 0], dilations=[dilation, 1],
                  **attrs)


def one(build, shape=(1, T, 1, C)):
    net = Net(x=shape)
    return net.out(build(net, "x")).graph


def made(graph, axis=1, count=None, **axes):
    found = stream(graph, axes or {"x": axis}, count)
    found.graph.validate()
    return found


def residual(net, x):
    y = causal(net, causal(net, x, dilation=2, activation="RELU"), dilation=4)
    return net.op("Activation", net.op("Eltwise", x, y, type="SUM"), activation="RELU")


def chomped(net, x):
    """As TCNs of PyTorch: padding on both sides, and the end is cut off."""
    y = net.op("Conv2d", x, net.const(C, C, 3, 1), padding=EXPLICIT, padding_values=[4, 0, 4, 0],
               dilations=[2, 1])
    return net.op("Slice", y, starts=[0], ends=[-4], axes=[1], steps=[1])


def padded_and_cropped(net, x):
    """As ZeroPadding1D and Cropping1D of Keras."""
    y = net.op("Pad", x, paddings=[0, 0, 4, 4, 0, 0, 0, 0])
    y = net.op("Activation", net.op("Conv2d", y, net.const(C, C, 5, 1)), activation="GELU")
    return net.op("Slice", y, starts=[0], ends=[T], axes=[1], steps=[1])


def cropped_by_strided_slice(net, x):
    y = net.op("Pad", x, paddings=[0, 0, 4, 4, 0, 0, 0, 0])
    y = net.op("Conv2d", y, net.const(C, C, 5, 1))
    y = net.op("StridedSlice", y, begin=[0, 1, 0, 0], end=[0, -4, 0, C - 1], strides=[1, 1, 1, 1],
               begin_mask=0b1101, end_mask=0b0101)
    return net.op("Activation", y, activation="TANH")


def shaped(net, x):
    """Shapes are computed, as importers write them for models whose extents may change."""
    size = net.op("Slice", net.op("Shape", x), starts=[1], ends=[2], axes=[0], steps=[1])
    return net.op("Reshape", causal(net, x), net.op("Concat", size, net.value([C], np.int64),
                                                    axis=0))


def unpadded(net, x):
    """The residual is cut to the frames that the convolution has."""
    y = net.op("Conv2d", x, net.const(C, C, 5, 1))
    cut = net.op("Slice", x, starts=[4], ends=[2**31 - 1], axes=[1], steps=[1])
    return net.op("Eltwise", net.op("Eltwise", y, cut, type="SUM"), net.const(C), type="PROD")


def two_delays(net, x):
    """Frames of one branch wait for those of the other."""
    y = net.op("Slice", net.op("Conv2d", x, net.const(C, C, 3, 1)), starts=[0], ends=[T - 4],
               axes=[1], steps=[1])
    return net.op("Concat", y, net.op("Conv2d", x, net.const(2, C, 5, 1)), axis=3)


def padded_by_a_node(value):
    def build(net, x):
        y = net.op("Pad", x, paddings=[0, 0, 2, 0, 0, 0, 0, 0], constant_value=value)
        return net.op("Conv2d", y, net.const(C, C, 3, 1))

    return build


def pooled(kind, **attrs):
    return lambda net, x: net.op("Pooling", causal(net, x), pooling_type=kind, kernels=[2, 1],
                                 strides=[2, 1], **attrs)


def padded_max(net, x):
    y = net.op("Eltwise", causal(net, x), net.value(-5.0), type="SUM")
    return net.op("Pooling", y, pooling_type=MAX, kernels=[3, 1], padding=EXPLICIT,
                  padding_values=[2, 0, 0, 0], strides=[1, 1])


def strided(net, x):
    y = causal(net, causal(net, x, kernel=4, stride=2), kernel=3, stride=3)
    return causal(net, y, kernel=2)


def picks_frames(net, x):
    """A kernel of 1 and a stride of 2, which reads the first of each two frames."""
    return net.op("Conv2d", x, net.const(C, C, 1, 1), strides=[2, 1])


def separable(net, x):
    y = causal(net, x, op="DepthwiseConv2d", kernel=5)
    y = net.op("BiasAdd", causal(net, y, kernel=1), net.const(C))
    return net.op("Softmax", y, axis=-1)


def dense(net, x):
    y = net.op("Reshape", causal(net, x), dim=[T, C])
    y = net.op("FullyConnected", y, net.const(3, C))
    return net.op("LayerNorm", net.op("Reshape", y, dim=[1, T, 3]), axis=-1)


def multiplied(net, x):
    y = net.op("Squeeze", causal(net, x), axis=[2])
    y = net.op("Transpose", net.op("MatMul", y, net.const(C, 6)), dims=[0, 2, 1])
    return net.op("Reduce", y, axis=[1], reduce_type="MAX")


def in_two_dimensions(net, x):
    """Spectrograms: frequencies keep their padding."""
    w = net.const(2, C, 3, 3)
    return net.op("Conv2d", x, w, padding=EXPLICIT, padding_values=[2, 1, 0, 1], strides=[2, 2])


def spotter(net, x):
    """Its last convolution reads the whole sequence, of which one frame is left."""
    y = net.op("Conv2d", causal(net, x), net.const(C, C, T - 4, 1))
    y = net.op("Slice", y, starts=[0], ends=[1], axes=[1], steps=[1])
    return net.op("Softmax", net.op("FullyConnected", net.op("Reshape", y, dim=[1, C]),
                                    net.const(3, C)), axis=-1)


CAUSAL = {
    "conv": causal, "dilated": residual, "chomped": chomped, "padded_and_cropped":
    padded_and_cropped, "cropped_by_strided_slice": cropped_by_strided_slice, "shaped": shaped,
    "unpadded": unpadded, "two_delays": two_delays, "pad": padded_by_a_node(0.0),
    "pad_one": padded_by_a_node(1.0), "average": pooled(AVERAGE), "max": pooled(MAX),
    "padded_max": padded_max, "strided": strided, "picks_frames": picks_frames,
    "separable": separable, "dense": dense, "multiplied": multiplied, "spotter": spotter,
}


@pytest.mark.parametrize("name", CAUSAL)
def test_a_stream_equals_the_whole(name):
    graph = one(CAUSAL[name])
    for count in (None, 6, 12) if name != "spotter" else (None, 1):
        found = made(graph, count=count)
        proof = check(graph, found)
        assert proof.runs == T // found.count["x"] and proof.frames > 0
        assert proof.largest_error < 1e-5


@pytest.mark.parametrize("name, states, delay, frames", [
    ("conv", {(1, 2, 1, C)}, 0, 1), ("dilated", {(1, 4, 1, C), (1, 8, 1, C)}, 0, 1),
    ("unpadded", {(1, 4, 1, C)}, 4, 1), ("strided", {(1, 3, 1, C), (1, 2, 1, C), (1, 1, 1, C)}, 0,
                                         6), ("picks_frames", set(), 0, 2)])
def test_states_are_as_small_as_they_can_be(name, states, delay, frames):
    """Those of a convolution are what its window reads before the frames of a run."""
    found = made(one(CAUSAL[name]))
    assert {found.graph.shape(n) for n in found.graph.states} == states
    assert [f.delay for f in found.frames.values()] == [delay]
    assert found.count == {"x": frames}


def test_a_stream_goes_on_beyond_the_sequence():
    """Twice as many frames in the stream are what a whole of twice the length has."""
    short, long = one(residual), one(residual, (1, 2 * T, 1, C))
    found, states = made(short), None
    x = np.random.default_rng(3).normal(size=(1, 2 * T, 1, C)).astype(np.float32)
    states, outputs = first_values(found.graph), []
    for k in range(2 * T):
        results = reference.run(found.graph, {"x": x[:, k:k + 1], **states})
        states = {n: results[s.next] for n, s in found.graph.states.items()}
        outputs.append(results[found.graph.outputs[0]])
    right = reference.run(long, {"x": x})[long.outputs[0]]
    np.testing.assert_allclose(np.concatenate(outputs, 1), right, rtol=1e-4, atol=1e-5)


def recurrent(op, gates, outputs, batch_major=0, initial=False):
    net = Net(x=(2, T, C) if batch_major else (T, 2, C))
    first = [net.const(*((2, 1, 3) if batch_major else (1, 2, 3)))] if initial else []
    made = net.op(op, "x", net.const(1, gates * 3, C), net.const(1, gates * 3, 3),
                  net.const(1, 2 * gates * 3), *([""] if first else []), *first,
                  outputs=outputs, batch_major=batch_major)
    axes = [0, 2, 1, 3]
    y = net.op("Transpose", made[0], dims=axes)
    return net.out(net.op("Activation", y, activation="TANH"), made[1]).graph


@pytest.mark.parametrize("op, gates, outputs", [("Lstm", 4, 3), ("Gru", 3, 2), ("Rnn", 1, 2)])
@pytest.mark.parametrize("batch_major", [0, 1])
@pytest.mark.parametrize("initial", [False, True])
def test_recurrence_goes_on_from_run_to_run(op, gates, outputs, batch_major, initial):
    graph = recurrent(op, gates, outputs, batch_major, initial)
    for count in (None, 4):
        found = made(graph, axis=batch_major, count=count)
        assert check(graph, found).largest_error < 1e-5
        assert len(found.graph.states) == outputs - 1


def test_two_sequences_and_one_constant_input():
    net = Net(x=(1, T, 1, C), z=(1, 1, T, C), bias=(1, C))
    z = net.op("Transpose", "z", dims=[0, 2, 1, 3])
    y = net.op("Eltwise", causal(net, "x"), causal(net, z, kernel=5), type="SUM")
    graph = net.out(net.op("Eltwise", y, "bias", type="SUM")).graph
    found = made(graph, x=1, z=2)
    assert check(graph, found).largest_error < 1e-5


def test_rows_of_a_table_are_frames():
    net = Net()
    net.graph.add_input("ids", "i32", (1, T))
    rows = net.op("Gather", net.const(2, C), "ids", axis=0)
    graph = net.out(causal(net, net.op("Reshape", rows, dim=[1, T, 1, C]))).graph
    assert check(graph, made(graph, ids=1)).largest_error < 1e-5


def test_a_spectrogram_keeps_the_padding_of_frequencies():
    graph = one(in_two_dimensions, (1, T, 9, C))
    found = made(graph)
    assert found.count == {"x": 2} and check(graph, found).largest_error < 1e-5


def same(padding):
    return lambda net, x: net.op("Conv2d", x, net.const(C, C, 3, 1), padding=padding)


def padded_late(net, x):
    return causal(net, net.op("Conv2d", x, net.const(C, C, 3, 1)))


def shifted(net, x):
    y = net.op("Slice", x, starts=[1], ends=[2**31 - 1], axes=[1], steps=[1])
    return net.op("Eltwise", x, net.op("Pad", y, paddings=[0, 0, 0, 1, 0, 0, 0, 0]), type="SUM")


def in_reverse(net, x):
    y = net.op("Reshape", x, dim=[T, 1, C])
    return net.op("Gru", y, net.const(1, 9, C), net.const(1, 9, 3), outputs=2,
                  direction="REVERSE")[0]


def late_recurrence(net, x):
    y = net.op("Reshape", net.op("Conv2d", x, net.const(C, C, 3, 1)), dim=[T - 2, 1, C])
    return net.op("Rnn", y, net.const(1, 3, C), net.const(1, 3, 3), outputs=2)[0]


REFUSED = {
    "same": (same(SAME), "Conv2d", "an output reads 1 frames after its own", "pad only before"),
    "same_lower": (same(SAME_LOWER), "Conv2d", "not causal", "pad only before"),
    "padded_late": (padded_late, "Conv2d", "starts only after some frames", "padding of one kind"),
    "shifted": (shifted, "Pad", "reads 1 after its own", "pad only before"),
    "reverse": (in_reverse, "Gru", "begins at the last frame", "forward only"),
    "late_recurrence": (late_recurrence, "Rnn", "starts only after 2 frames", "pad before"),
    "global": (lambda net, x: net.op("Pooling", x, pooling_type=AVERAGE, **{"global": 1}),
               "Pooling", "pools all frames", "output_tensors"),
    "mean": (lambda net, x: net.op("Reduce", x, axis=[1]), "Reduce", "computes along time",
             "output_tensors"),
    "softmax": (lambda net, x: net.op("Softmax", x, axis=1), "Softmax", "along time",
                "output_tensors"),
    "flat": (lambda net, x: net.op("Reshape", x, dim=[1, T * C]), "Reshape", "joins the frames",
             "output_tensors"),
    "positions": (lambda net, x: net.op("Eltwise", x, net.const(1, T, 1, C), type="SUM"),
                  "Eltwise", "values of its own for each frame", "output_tensors"),
    "along_time": (lambda net, x: net.op("Concat", x, x, axis=1), "Concat", "along time",
                   "output_tensors"),
    "attention": (lambda net, x: net.op("MatMul", net.op("Squeeze", x, axis=[2]), net.op(
        "Squeeze", x, axis=[2]), transpose_b=1), "MatMul", "changes with time, too",
        "output_tensors"),
    "reversed": (lambda net, x: net.op("Reverse", x, axis=[1]), "Reverse", "may read any frames",
               "output_tensors"),
    "means_without_padding": (
        lambda net, x: net.op("Pooling", x, pooling_type=AVERAGE, kernels=[3, 1],
                              padding=EXPLICIT, padding_values=[2, 0, 0, 0]),
        "Pooling", "leaves out padded frames", "without padding"),
    "mirrored": (lambda net, x: net.op("Pad", x, paddings=[0, 0, 2, 0, 0, 0, 0, 0],
                                       pad_type="REFLECT"), "Pad", "mirrors later frames",
                 "pad with constants"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_causal_is_refused_with_the_node_and_the_cure(name):
    build, op, why, cure = REFUSED[name]
    with pytest.raises(NotStreamable) as error:
        made(one(build))
    message = str(error.value)
    assert message.startswith(f"{op} '") and why in message and cure in message


def test_frames_that_do_not_fill_a_stride_are_refused():
    with pytest.raises(NotStreamable, match="the 4 frames of a run do not fill its stride"):
        made(one(strided), count=4)


def test_a_wrong_stream_is_found():
    graph = one(causal)
    found = made(graph)
    state = next(iter(found.graph.states.values()))
    state.initial = np.ones((1, 2, 1, C), np.float32)
    with pytest.raises(Exception, match="the stream differs from the whole by"):
        check(graph, found)
