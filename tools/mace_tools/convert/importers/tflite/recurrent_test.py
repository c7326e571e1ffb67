"""Recurrent TFLite operators against LiteRT, over several runs that hand on their states.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.importers import load
from mace_tools.graph.run_io import own_inputs, own_outputs
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.by_litert import runs_of_litert
from mace_tools.testing.tflite_file import Maker
from mace_tools.testing.tflite_recurrent import BI, UNI, lstm, models, rnn, runs_of_ours

MODELS = models()


@pytest.mark.parametrize("name", MODELS)
def test_runs_are_those_of_litert(name, tmp_path):
    m = MODELS[name]
    path = m.save(tmp_path)
    xs = [m.draw(*m.shape) for _ in range(4)]
    for got, want in zip(runs_of_ours(path, xs), runs_of_litert(path, xs)):
        for output, array in zip(m.outputs, want):
            assert got[output].shape == array.shape
            np.testing.assert_allclose(got[output], array, rtol=1e-5, atol=2e-6)


def test_merged_outputs_with_the_batch_first_are_those_side_by_side(tmp_path):
    """LiteRT mixes up the sequences of such a node; its own two outputs show what is right."""
    merged, apart = (lstm(f"{BI}LSTM", TimeMajor=False, MergeOutputs=merges)
                     for merges in (True, False))
    xs = [merged.draw(*merged.shape)]
    got = runs_of_ours(merged.save(tmp_path), xs)[0]["y"]
    want = np.concatenate(runs_of_litert(apart.save(tmp_path), xs)[0], -1)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=2e-6)


def test_one_node_whatever_the_steps(tmp_path):
    g = load("tflite", lstm(f"{UNI}LSTM").save(tmp_path))
    assert [n.op for n in g.nodes].count("Lstm") == 1
    assert set(g.states) == {"s18", "s19"} and own_inputs(g) == ["x"] and own_outputs(g) == ["y"]


def refusal(tmp_path, model) -> str:
    with pytest.raises(UnsupportedOps) as e:
        load("tflite", model.save(tmp_path))
    return str(e.value)


def test_what_is_refused(tmp_path):
    assert "no fused activation" in refusal(tmp_path, lstm("LSTM", FusedActivationFunction=0))
    assert "fused activation RELU_N1_TO_1" in refusal(
        tmp_path, rnn("RNN", FusedActivationFunction=2))
    assert "given by their diagonals" in refusal(
        tmp_path, lstm(f"{UNI}LSTM", DiagonalRecurrentTensors=True))
    m = rnn("RNN")
    m.maker.variables.clear()
    m.maker.tensors[m.maker.index["s4"]] = ("s4", (2, 5), "float32", np.ones((2, 5), "f"), None)
    assert "is no variable tensor" in refusal(tmp_path, m)
    m = rnn(f"{BI}RNN")
    m.names[9] = "x"
    assert "a second input" in refusal(tmp_path, m)


def test_a_weight_that_is_no_constant_float(tmp_path):
    m = rnn("RNN")
    k = m.maker.index["w1"]
    m.maker.tensors[k] = ("w1", (5, 3), "int8", np.ones((5, 3), np.int8),
                          (np.float32([0.5]), np.int64([0]), 0))
    assert "its weight 'w1' is computed or no float" in refusal(tmp_path, m)


def test_the_basic_kernel(tmp_path):
    """Its states are operands and results."""
    from mace_tools.testing.by_litert import litert
    from mace_tools.testing.grid import computed

    rng, batch, width, inputs = np.random.default_rng(3), 2, 5, 3
    m, feeds = Maker(), {}
    for name, columns in (("x", inputs), ("h", width), ("c", width)):
        m.tensor(name, (batch, columns))
        feeds[name] = rng.uniform(-1, 1, (batch, columns)).astype("f")
    weights = [m.const("w", rng.uniform(-1, 1, (4 * width, inputs + width)).astype("f")),
               m.const("b", rng.uniform(-1, 1, 4 * width).astype("f"))]
    for name, columns in (("y", width), ("s", width), ("t", inputs + width), ("u", 4 * width)):
        m.tensor(name, (batch, columns))
    m.op("LSTM", ["x", "h", *weights, "c"], ["y", "s", "t", "u"], "LSTMOptions", KernelType=1,
         FusedActivationFunction=4)
    path = m.save(tmp_path, list(feeds), ["y", "s"])
    got = computed(load("tflite", path), feeds)
    for name, want in zip("ys", litert(path.read_bytes(), feeds)):
        np.testing.assert_allclose(got[name], want, rtol=1e-5, atol=2e-6)
