"""compare of quantized models: tensors that the engine stores as other integers, steps, states.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.commands.compare_test import call, change  # noqa: F401, the fixture
from mace_tools.testing.onnx_file import model, node
from mace_tools.testing.tflite_file import Maker


def drawn(seed, *shape):
    return np.random.default_rng(seed).integers(-127, 128, shape).astype(np.int8)


def convolutions(path, kind):
    """Two convolutions in QDQ, whose activations are uint8 or int8."""
    nodes = [node("QuantizeLinear", "x s z", "xq"), node("DequantizeLinear", "xq s z", "xd"),
             node("DequantizeLinear", "w ws wz", "wd"), node("Conv", "xd wd", "c", pads=[1] * 4),
             node("QuantizeLinear", "c s2 z", "cq"), node("DequantizeLinear", "cq s2 z", "cd"),
             node("Relu", "cd", "r"),
             node("QuantizeLinear", "r s2 z", "rq"), node("DequantizeLinear", "rq s2 z", "rd"),
             node("DequantizeLinear", "w2 ws wz", "wd2"), node("Conv", "rd wd2", "e", pads=[1] * 4),
             node("QuantizeLinear", "e s3 z", "eq"), node("DequantizeLinear", "eq s3 z", "y")]
    return model(path, nodes, {"x": (1, 3, 16, 16)}, ["y"], {
        "s": np.float32(1 / 128), "z": np.array(128 if kind == np.uint8 else 0, kind),
        "w": drawn(1, 8, 3, 3, 3), "wz": np.int8(0),
        "w2": drawn(2, 8, 8, 3, 3), "ws": np.float32(0.002),
        "s2": np.float32(0.03), "s3": np.float32(0.04)})


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_quantized_values_are_compared_by_the_numbers_for_which_they_stand(
        call, tmp_path, monkeypatch, kind):  # noqa: F811
    """The engine stores uint8 as int8, 128 less; and a value may be a step off, because ONNX
    Runtime computes in float32."""
    file = convolutions(tmp_path / "net.onnx", kind)
    code, out, _, (report,) = call(file, "--layers")
    assert (code, report["verdict"]) == (0, "agree"), report["text"]
    assert [one["reference"] for one in report["layers"]] == ["xq", "cq", "rq", "eq", "y"]
    assert all(one["alone"]["max_abs_error"] < 0.041 for one in report["layers"])

    def exchanged(graph):
        layer = [n for n in graph.nodes if n.op == "Conv2d"][1]
        weight = graph.tensors[layer.inputs[1]]
        weight.data = np.roll(weight.data, 1, 0)

    change(monkeypatch, exchanged)
    for more in ([], ["--layers"]):
        code, _, _, (report,) = call(file, *more)
        assert (code, report["first_wrong"]["reference"]) == (5, "eq")
        assert len([one for one in report["layers"] if one["wrong"]]) == 1


def streaming(folder):
    """An int8 buffer of four values, to which each run adds two."""
    m, once = Maker(), Maker()
    for maker, name in ((m, "handle"), (once, "of_it")):
        maker.tensor(name, (), "resource")
        maker.op("VAR_HANDLE", [], [name], "VarHandleOptions", Container="", SharedName="v")
    first = np.int8([[-3, -3, -3, -3]])
    once.tensor("first", (1, 4), "int8", first, 0.1, -3)
    once.op("ASSIGN_VARIABLE", ["of_it", "first"], [], "AssignVariableOptions")
    m.more.append((once, [], []))
    m.op("CALL_ONCE", [], [], "CallOnceOptions", InitSubgraphIndex=1)
    shapes = {"x": (1, 2), "flat": (2,), "again": (1, 2), "old": (1, 4), "all": (1, 6),
              "new": (1, 4)}
    for name, shape in shapes.items():
        m.tensor(name, shape, "int8", None, 0.1, -3)
    m.tensor("y", (1, 3), "int8", None, 0.2, 5)
    m.tensor("w", (3, 6), "int8", drawn(3, 3, 6), 0.01, 0)
    m.const("two", np.int32([2]))
    m.const("row", np.int32([1, 2]))
    for name, values in (("begin", [0, 2]), ("end", [1, 6]), ("by", [1, 1])):
        m.const(name, np.int32(values))
    m.op("RESHAPE", ["x", "two"], ["flat"], "ReshapeOptions")
    m.op("RESHAPE", ["flat", "row"], ["again"], "ReshapeOptions")
    m.op("READ_VARIABLE", ["handle"], ["old"], "ReadVariableOptions")
    m.op("CONCATENATION", ["old", "again"], ["all"], "ConcatenationOptions", Axis=1)
    m.op("STRIDED_SLICE", ["all", "begin", "end", "by"], ["new"], "StridedSliceOptions")
    m.op("ASSIGN_VARIABLE", ["handle", "new"], [], "AssignVariableOptions")
    m.op("FULLY_CONNECTED", ["all", "w"], ["y"], "FullyConnectedOptions")
    return m.save(folder, ["x"], ["y"])


def test_a_streaming_model_with_quantized_states(call, tmp_path, monkeypatch):  # noqa: F811
    file = streaming(tmp_path)
    code, out, err, (report,) = call(file, "--layers")
    assert (code, report["verdict"]) == (0, "agree"), err
    assert [one["output"] for one in report["outputs"]] == ["y"] and not report["only_on_one_side"]
    assert "Each layer alone does, too." in out
    assert all(one["alone"]["max_abs_error"] == 0 for one in report["layers"])

    def other(graph):
        layer = next(n for n in graph.nodes if n.op == "FullyConnected")
        graph.tensors[layer.inputs[1]].data = -graph.tensors[layer.inputs[1]].data

    change(monkeypatch, other)
    code, _, _, (report,) = call(file, "--layers")
    assert (code, report["first_wrong"]["reference"]) == (5, "y")
