"""RNN, GRU and LSTM against ONNX Runtime: directions, lengths, states and every attribute.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from mace_tools.convert import importers, reference
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.by_onnxruntime import Session

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}
WAYS = ("forward", "reverse", "bidirectional")
RNG = np.random.default_rng(4)
STEPS, BATCH, INPUTS, HIDDEN = 4, 3, 5, 6


def draw(*shape: int) -> np.ndarray:
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def operands(op: str, way: str, has: str, batch_first: bool, steps: int = STEPS
             ) -> list[np.ndarray | None]:
    """`has` are some of the words bias, lens, states and peepholes."""
    d, rows, words = 1 + (way == "bidirectional"), GATES[op] * HIDDEN, has.split()
    x = draw(BATCH, steps, INPUTS) if batch_first else draw(steps, BATCH, INPUTS)
    state = (BATCH, d, HIDDEN) if batch_first else (d, BATCH, HIDDEN)
    found = [x, draw(d, rows, INPUTS), draw(d, rows, HIDDEN),
             draw(d, 2 * rows) if "bias" in words else None,
             np.int32([steps, 1, 2]) if "lens" in words else None,
             draw(*state) if "states" in words else None]
    if op == "LSTM":
        found += [draw(*state) if "states" in words else None,
                  draw(d, 3 * HIDDEN) if "peepholes" in words else None]
    return found


def small(arrays: list[np.ndarray | None]) -> list[np.ndarray | None]:
    """The same with weights under which activations without bounds do not explode."""
    return [arrays[0], *(None if a is None else a * np.float32(0.2) for a in arrays[1:])]


def model(op: str, arrays: list[np.ndarray | None], **attrs: Any) -> onnx.ModelProto:
    names = [f"i{k}" if a is not None else "" for k, a in enumerate(arrays)]
    outputs = ["y", "y_h", "y_c"][: 3 if op == "LSTM" else 2]
    node = helper.make_node(op, names, outputs, "cell", **{"hidden_size": HIDDEN, **attrs})
    constants = [numpy_helper.from_array(a, n) for a, n in zip(arrays[1:], names[1:])
                 if a is not None]
    x = helper.make_tensor_value_info("i0", 1, arrays[0].shape)
    graph = helper.make_graph([node], "g", [x], [onnx.ValueInfoProto(name=o) for o in outputs],
                              constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def load(tmp_path: Path, made: onnx.ModelProto) -> Any:
    path = tmp_path / "m.onnx"
    onnx.save(made, path)
    return importers.load("onnx", path)


def check(tmp_path: Path, op: str, arrays: list[np.ndarray | None], by: Any = None,
          **attrs: Any) -> None:
    made = model(op, arrays, **attrs)
    by = Session(made.SerializeToString()) if by is None else by(made)
    graph = load(tmp_path, made)
    assert [n.op for n in graph.nodes] == [op.capitalize()]
    got = reference.run(graph, {"i0": arrays[0]})
    for name, want in zip(graph.outputs, by.run(None, {"i0": arrays[0]})):
        np.testing.assert_allclose(got[name], want, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("has", ["", "bias", "bias lens", "bias states", "lens states peepholes"])
def test_operands(op, way, has, tmp_path):
    check(tmp_path, op, operands(op, way, has, False), direction=way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("op, attrs", [
    ("RNN", {"clip": 0.3}), ("GRU", {"clip": 0.3}), ("GRU", {"linear_before_reset": 1}),
    ("GRU", {"linear_before_reset": 1, "clip": 0.3}), ("LSTM", {"clip": 0.3}),
    ("LSTM", {"input_forget": 1}), ("LSTM", {"input_forget": 1, "clip": 0.5})])
def test_attributes(op, way, attrs, tmp_path):
    has = "bias states peepholes" if op == "LSTM" else "bias states"
    check(tmp_path, op, operands(op, way, has, False), direction=way, **attrs)


@pytest.mark.parametrize("way", WAYS)
def test_a_sequence_without_steps_leaves_its_state(way, tmp_path):
    """Where ONNX Runtime returns zeros instead, against its own rule for shorter sequences."""
    arrays = operands("GRU", way, "lens states", False)
    arrays[4][:] = 0
    got = reference.run(load(tmp_path, model("GRU", arrays, direction=way)), {"i0": arrays[0]})
    np.testing.assert_array_equal(got["y_h"], arrays[5])
    assert not got["y"].any()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("op", GATES)
def test_the_batch_may_come_first(op, way, tmp_path):
    """ONNX Runtime refuses this layout, and ONNX's evaluator runs it forwards only: it is the
    other one with its axes moved."""
    first = operands(op, way, "bias lens states", True)
    last = [a.swapaxes(0, 1).copy() if k in (0, 5, 6) and a is not None else a
            for k, a in enumerate(first)]
    results = [reference.run(load(tmp_path, model(op, arrays, direction=way, layout=layout)),
                             {"i0": arrays[0]})
               for layout, arrays in ((1, first), (0, last))]
    np.testing.assert_array_equal(results[0]["y"], results[1]["y"].transpose(2, 0, 1, 3))
    np.testing.assert_array_equal(results[0]["y_h"], results[1]["y_h"].swapaxes(0, 1))
    if way == "forward" and op != "LSTM":  # of which the evaluator fails
        check(tmp_path, op, operands(op, way, "bias", True, 1), ReferenceEvaluator, layout=1)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("kind", ["LeakyRelu", "HardSigmoid", "Elu", "Softsign", "Softplus", "Relu",
                                  "Sigmoid", "Tanh"])
def test_activations(op, kind, tmp_path):
    n = FUNCTIONS[op]
    check(tmp_path, op, small(operands(op, "forward", "bias", False)), activations=[kind] * n)
    check(tmp_path, op, small(operands(op, "bidirectional", "bias", False)),
          direction="bidirectional",
          activations=[kind] * n * 2, activation_alpha=[0.3] * n * 2,
          activation_beta=[0.2] * n * 2)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("kind", ["Affine", "ThresholdedRelu", "ScaledTanh"])
def test_activations_without_defaults(op, kind, tmp_path):
    n = FUNCTIONS[op]
    arrays = small(operands(op, "forward", "bias", False))
    check(tmp_path, op, arrays, activations=[kind] * n, activation_alpha=[0.3, 0.4, 0.5][:n],
          activation_beta=[0.2, 0.1, 0.3][:n])
    with pytest.raises(UnsupportedOps, match=f"activation {kind} without all of its parameters"):
        load(tmp_path, model(op, arrays, activations=[kind] * n))


def test_parameters_belong_to_the_activations_that_have_some(tmp_path):
    check(tmp_path, "LSTM", operands("LSTM", "forward", "bias", False),
          activations=["Sigmoid", "HardSigmoid", "LeakyRelu"], activation_alpha=[0.3, 0.4],
          activation_beta=[0.2])


def test_the_number_of_steps_changes_nothing_but_shapes(tmp_path):
    short, long = (load(tmp_path, model("GRU", operands("GRU", "forward", "", False, steps)))
                   for steps in (2, 3000))
    assert [(n.op, n.attrs) for n in short.nodes] == [(n.op, n.attrs) for n in long.nodes]


def test_weights_may_be_computed(tmp_path):
    arrays = operands("GRU", "forward", "", False)
    made = model("GRU", arrays)
    made.graph.initializer.pop(0)
    made.graph.input.append(helper.make_tensor_value_info("i1", 1, arrays[1].shape))
    assert len(load(tmp_path, made).nodes) == 1


def test_what_is_refused(tmp_path):
    arrays = operands("GRU", "bidirectional", "", False)

    def load_with(**attrs: Any) -> None:
        load(tmp_path, model("GRU", arrays, **{"direction": "bidirectional", **attrs}))

    with pytest.raises(UnsupportedOps, match="other activations in the reverse direction"):
        load_with(activations=["Sigmoid", "Tanh", "Sigmoid", "Relu"])
    with pytest.raises(UnsupportedOps, match="activation Swish"):
        load_with(activations=["Swish", "Tanh"] * 2)
    with pytest.raises(UnsupportedOps, match=r"2 activations for 2 direction\(s\)"):
        load_with(activations=["Sigmoid", "Tanh"])
    with pytest.raises(ModelError, match="hidden_size is 7, its recurrent weights are for 6"):
        load_with(hidden_size=7)
    with pytest.raises(ModelError, match="direction is 'both'"):
        load_with(direction="both")
