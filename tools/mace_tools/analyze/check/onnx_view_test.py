"""The ONNX view, as the onnx package reads it.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx

from mace_tools.analyze.check import onnx_view, report
from mace_tools.convert import importers
from mace_tools.testing import onnx_file
from mace_tools.testing.onnx_file import node

PLAN = {"nodes": [
    {"name": "conv/Conv2d + y", "op": "Conv2d+Pooling", "device": "GPU", "kernel": "winograd 4",
     "reason": "", "part_of": "", "macs": 900, "stored": "f16", "outputs": ["f16[1,8,1,1]"]},
    {"name": "conv/Conv2d", "op": "Conv2d", "device": "GPU", "kernel": "", "reason": "",
     "part_of": "conv/Conv2d + y", "macs": 900, "stored": "f16", "outputs": ["f16[1,6,6,8]"]}]}


def network(folder):
    path = onnx_file.model(
        folder / "net.onnx",
        [node("Conv", "x w b", "c", "conv"), node("Clip", "c lo -", "k", "clip"),
         node("GlobalAveragePool", "k", "y", "pool")],
        {"x": [1, 3, 8, 8]}, ["y"],
        {"w": np.ones((8, 3, 3, 3), np.float32), "b": np.ones(8, np.float32),
         "lo": np.float32(-1)})
    return report.check_source(path, "onnx", importers.read("onnx", path), {}, ())


def attributes(shown):
    return {a.name: onnx.helper.get_attribute_value(a) for a in shown.attribute}


def test_the_checker_accepts_it_and_it_has_no_weights(tmp_path):
    found = network(tmp_path)
    data = onnx_view.render(found.net)
    shown = onnx.ModelProto.FromString(data)
    onnx.checker.check_model(shown, full_check=True)
    assert {n.domain for n in shown.graph.node} == {"mace"}
    assert [n.op_type for n in shown.graph.node] == [op.type for op in found.net.op]
    assert not shown.graph.initializer and len(data) < 4000
    conv = next(n for n in shown.graph.node if n.op_type == "Conv2d")
    assert attributes(conv)["input_1"] == b"w: float32[8,3,3,3]"
    assert attributes(conv)["strides"] == [1, 1] or "strides" not in attributes(conv)


def test_every_tensor_between_nodes_has_its_shape_and_type(tmp_path):
    found = network(tmp_path)
    graph = onnx.ModelProto.FromString(onnx_view.render(found.net)).graph
    known = {v.name: v.type.tensor_type for v in (*graph.input, *graph.value_info, *graph.output)}
    assert set(known) == {name for n in graph.node for name in (*n.input, *n.output) if name}
    conv = next(n for n in graph.node if n.op_type == "Conv2d")
    shape = [d.dim_value for d in known[conv.output[0]].shape.dim]
    assert shape == [1, 6, 6, 8] and known[conv.output[0]].elem_type == onnx.TensorProto.FLOAT


def test_what_the_plan_and_a_benchmark_say(tmp_path):
    found = network(tmp_path)
    data = onnx_view.render(found.net, PLAN, {"conv/Conv2d + y": 0.25})
    shown = onnx.ModelProto.FromString(data)
    onnx.checker.check_model(shown, full_check=True)
    conv = attributes(next(n for n in shown.graph.node if n.op_type == "Conv2d"))
    assert conv["device"] == b"GPU" and conv["kernel"] == b"winograd 4"
    assert conv["stored_as"] == b"f16[1,6,6,8]" and conv["weights_stored_as"] == b"f16"
    assert conv["part_of_step"] == b"conv/Conv2d + y" and conv["multiply_adds"] == 900
    assert conv["milliseconds_of_step"] == 0.25


def test_absent_inputs_keep_the_place_of_later_ones(tmp_path):
    path = onnx_file.model(tmp_path / "m.onnx", [node("Where", "c k x", "y", "where")],
                           {"x": [2]}, ["y"], {"c": np.array([True, False]),
                                               "k": np.float32([1, 2])})
    found = report.check_source(path, "onnx", importers.read("onnx", path), {}, ())
    graph = onnx.ModelProto.FromString(onnx_view.render(found.net)).graph
    chosen = next(n for n in graph.node if n.op_type != "Transpose")
    assert list(chosen.input) == ["", "", "x"]
    assert {"input_0", "input_1"} <= set(attributes(chosen))
