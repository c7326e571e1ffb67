"""Networks with FakeQuant compute on quantized values, and agree with TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.lazily import tf

RANDOM = np.random.default_rng(8)
IMAGE = RANDOM.uniform(-1, 1, (1, 6, 6, 3)).astype(np.float32)


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(0, 0.4, shape).astype(np.float32)


def rounded(x, least: float, most: float, **attrs):
    return tf.raw_ops.FakeQuantWithMinMaxVars(inputs=x, min=least, max=most, **attrs)


def save(path, make) -> tuple[object, np.ndarray]:
    """A frozen graph that `make` builds on the image, and TensorFlow's result."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, IMAGE.shape, "x")
        tf.identity(make(x), "y")
        with tf.compat.v1.Session(graph=graph) as session:
            want = session.run("y:0", {"x:0": IMAGE})
        path.write_bytes(graph.as_graph_def().SerializeToString())
    return path, want


def network(x):
    """Weights per channel and per tensor, a clamp, and a residual sum."""
    w = normal(3, 3, 3, 8)
    reach = np.abs(w).max((0, 1, 2))
    wide = tf.raw_ops.FakeQuantWithMinMaxVarsPerChannel(
        inputs=w, min=-reach, max=reach, narrow_range=True)
    x = tf.nn.bias_add(tf.nn.conv2d(rounded(x, -1.0, 1.0), wide, 1, "SAME"), normal(8))
    x = rounded(tf.nn.relu6(x), 0.0, 3.0)
    deep = rounded(normal(1, 1, 8, 8), -1.1, 1.2, narrow_range=True)
    y = rounded(tf.nn.conv2d(x, deep, 1, "VALID"), -4.0, 4.0)
    return rounded(y + x, -4.0, 5.0)


def test_a_trained_network_computes_quantized(tmp_path):
    path, want = save(tmp_path / "net.pb", network)
    graph = convert(importers.load("tensorflow", path, {"x": IMAGE.shape}, ["y"]))
    assert all(graph.is_quantized(n) for n in graph.nodes)
    assert {n.op for n in graph.nodes} == {"Quantize", "Conv2d", "Eltwise", "Dequantize"}
    scales = [graph.tensors[n.inputs[1]].quant.scale.size for n in graph.nodes if n.op == "Conv2d"]
    assert scales == [8, 1]
    got = reference.run(graph, {"x": IMAGE})["y"]
    step = 9 / 255
    assert np.abs(got - want).max() <= 1.01 * step and np.abs(got - want).mean() <= 0.1 * step


@pytest.mark.parametrize("least, most", [(1, 1), (2, 1), (np.nan, 1), (0, np.inf)])
def test_ranges_that_cannot_be(tmp_path, least, most):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (2, 3), "x")
        rounded(x, np.float32(least), np.float32(most), name="rounded")
    path = tmp_path / "m.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    with pytest.raises(ModelError) as e:
        importers.load("tensorflow", path, outputs=["rounded"])
    assert "FakeQuantWithMinMaxVars 'rounded': its range is" in str(e.value)
    assert "calibrate or train the model again" in str(e.value)


def test_a_computed_range_is_refused(tmp_path):
    path, _ = save(tmp_path / "m.pb", lambda x: rounded(x, tf.reduce_min(x), tf.reduce_max(x)))
    with pytest.raises(UnsupportedOps) as e:
        importers.load("tensorflow", path, {"x": IMAGE.shape}, ["y"])
    assert "is computed while the model runs" in str(e.value)
