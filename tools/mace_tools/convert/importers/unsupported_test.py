"""What cannot be converted is named as such, all of it at once; only damaged files are called so.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker as TfMaker
from mace_tools.graph.run_io import first_values, own_inputs, own_outputs
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.by_litert import runs_of_litert
from mace_tools.testing.tflite_file import Maker as TfliteMaker

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

F32 = TensorProto.FLOAT


def refused(platform, path, **cut) -> dict[str, tuple[int, str]]:
    """Count of nodes and reason by operator."""
    with pytest.raises(UnsupportedOps) as e:
        load(platform, path, **cut)
    assert e.value.exit_code == 4
    assert str(e.value).startswith(f"{sum(len(o.nodes) for o in e.value.ops)} ")
    return {o.op: (len(o.nodes), o.reason) for o in e.value.ops}


def onnx_model(folder, nodes, inputs, outputs=("y",), constants=(), opset=18, **more):
    values = [i if not isinstance(i, tuple) else helper.make_tensor_value_info(i[0], F32, i[1])
              for i in inputs]
    graph = helper.make_graph(nodes, "g", values, [onnx.ValueInfoProto(name=o) for o in outputs],
                              list(constants), **more)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_every_4d_convolution_is_counted(tmp_path):
    """Each one hides behind the one before it."""
    w = numpy_helper.from_array(np.ones((2, 2, 3, 3, 3, 3), np.float32), "w")
    nodes, last = [helper.make_node("AveragePool", ["x"], ["p"], kernel_shape=[2] * 4)], "p"
    for k in range(20):
        attrs = {"kernel_shape": [3] * 4} if k % 2 else {}
        nodes += [helper.make_node("Conv", [last, "w"], [f"c{k}"], pads=[1] * 8, **attrs),
                  helper.make_node("Relu", [f"c{k}"], [f"r{k}"])]
        last = f"r{k}"
    nodes += [helper.make_node("GlobalAveragePool", [last], ["g"]),
              helper.make_node("Flatten", ["g"], ["f"]), helper.make_node("Fancy", ["f"], ["y"])]
    found = refused("onnx", onnx_model(tmp_path, nodes, [("x", [1, 2, 8, 8, 8, 8])], constants=[w]))
    assert {op: count for op, (count, _) in found.items()} == {
        "Conv": 20, "AveragePool": 1, "Fancy": 1}
    assert "4 spatial dimensions" in found["Conv"][1]


def test_what_a_node_behind_a_refused_one_cannot_know_is_no_reason(tmp_path):
    """Shapes, constants and types that only the refused node's result would have."""
    w = numpy_helper.from_array(np.ones((2, 2, 3, 3), np.float32), "w")
    nodes = [helper.make_node("Fancy", ["x"], ["a"]),
             helper.make_node("Conv", ["a", "w"], ["b"]),
             helper.make_node("Shape", ["b"], ["s"]),
             helper.make_node("Squeeze", ["b", "s"], ["c"]),
             helper.make_node("Resize", ["c", "", "", "s"], ["d"]),
             helper.make_node("Einsum", ["d", "d"], ["e"], equation="abc,abd->acd"),
             helper.make_node("Softmax", ["e"], ["y"])]
    found = refused("onnx", onnx_model(tmp_path, nodes, [("x", [1, 2, 8, 8])], constants=[w]))
    assert set(found) == {"Fancy"}


def test_values_of_onnx_that_are_no_tensors(tmp_path):
    sequence = helper.make_tensor_sequence_value_info("x", F32, [2])
    optional = helper.make_value_info("x", helper.make_optional_type_proto(
        helper.make_tensor_type_proto(F32, [2])))
    for value, kind in ((sequence, "sequence"), (optional, "optional")):
        path = onnx_model(tmp_path, [helper.make_node("Identity", ["x"], ["y"])], [value])
        assert refused("onnx", path) == {"Identity": (1, f"it reads a value of the kind '{kind}'")}


@pytest.mark.parametrize("kind, name", [(TensorProto.STRING, "strings"),
                                        (TensorProto.COMPLEX64, "complex64")])
def test_element_types_of_onnx_that_are_no_numbers_of_ours(tmp_path, kind, name):
    value = helper.make_tensor_value_info("x", kind, [2])
    path = onnx_model(tmp_path, [helper.make_node("Identity", ["x"], ["y"])], [value])
    assert refused("onnx", path) == {"Identity": (1, f"it reads a tensor of {name}")}


def test_operators_of_texts_are_named_as_such(tmp_path):
    value = helper.make_tensor_value_info("x", TensorProto.STRING, [2])
    nodes = [helper.make_node("StringNormalizer", ["x"], ["t"], case_change_action="LOWER"),
             helper.make_node("StringConcat", ["t", "t"], ["y"])]
    reason = "a text operator: the engine computes with numbers"
    assert refused("onnx", onnx_model(tmp_path, nodes, [value])) == {
        "StringNormalizer": (1, reason), "StringConcat": (1, reason)}


def test_constants_of_strings_matter_only_where_they_are_read(tmp_path):
    text = helper.make_tensor("t", TensorProto.STRING, [1], [b"a"])
    relu = helper.make_node("Relu", ["x"], ["y"])
    load("onnx", onnx_model(tmp_path, [relu], [("x", [2])], constants=[text]))
    nodes = [helper.make_node("Constant", [], ["c"], value_string=b"a"),
             helper.make_node("Equal", ["t", "c"], ["y"])]
    found = refused("onnx", onnx_model(tmp_path, nodes, [("x", [2])], constants=[text]))
    assert found == {"Equal": (1, "it reads a constant of strings")}


def test_what_a_loop_of_onnx_holds(tmp_path):
    """The loop itself converts; what its body computes may not."""
    def model(op: str):
        body = helper.make_graph(
            [helper.make_node("ReduceSum", ["v"], ["sum"], keepdims=0),
             helper.make_node("Less", ["sum", "limit"], ["c2"]),
             helper.make_node(op, ["v", "v"], ["v2"])],
            "body", [helper.make_tensor_value_info(n, t, s) for n, t, s in
                     (("i", TensorProto.INT64, []), ("c", TensorProto.BOOL, []), ("v", F32, [2]))],
            [helper.make_tensor_value_info(n, t, s) for n, t, s in
             (("c2", TensorProto.BOOL, []), ("v2", F32, [2]))],
            [numpy_helper.from_array(np.float32(9), "limit")])
        return onnx_model(tmp_path, [helper.make_node("Loop", ["", "", "x"], ["y"], body=body)],
                          [("x", [2])])

    graph = load("onnx", model("Add"))
    assert [n.op for n in graph.nodes] == ["Loop"]
    assert reference.run(graph, {"x": np.float32([1, 2])})["y"].tolist() == [8, 16]
    assert refused("onnx", model("Fancy")) == {"Fancy": (1, "no importer knows this operator")}


def test_models_of_other_operator_sets_only(tmp_path):
    """As converters of classical models and of training write them."""
    for domain in ("ai.onnx.ml", "ai.onnx.preview.training"):
        graph = helper.make_graph([helper.make_node("Thing", ["x"], ["y"], domain=domain)], "g",
                                  [helper.make_tensor_value_info("x", F32, [2])],
                                  [onnx.ValueInfoProto(name="y")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, 1)])
        (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
        assert set(refused("onnx", tmp_path / "m.onnx")) == {f"{domain}.Thing"}


@pytest.mark.parametrize("test, wanted", [
    ("cond", {"Digamma", "Lgamma"}),
    ("less", {"Enter", "Merge", "Switch", "Digamma", "NextIteration", "Exit", "Lgamma"})])
def test_loops_of_frozen_graphs(tmp_path, test, wanted):
    """tf.while_loop as freezing writes it, with all that hangs on it and lies in its body; and
    without LoopCond, which makes it no loop."""
    m = TfMaker()
    m.placeholder("x", 2)
    m.node("enter", "Enter", "x", frame_name="f")
    m.node("merge", "Merge", "enter", "next")
    m.node("less", "Less", "merge", m.const("limit", np.float32(9)))
    if test == "cond":
        m.node("cond", "LoopCond", "less")
    m.node("switch", "Switch", "merge", test)
    m.node("body", "Digamma", "switch:1")
    m.node("next", "NextIteration", "body")
    m.node("exit", "Exit", "switch")
    m.node("y", "Lgamma", "exit")
    found = refused("tensorflow", m.save(tmp_path))
    assert {op: count for op, (count, _) in found.items()} == dict.fromkeys(wanted, 1)


@pytest.mark.parametrize("op, inputs", [
    ("Enter", []), ("Exit", ["x", "x"]), ("NextIteration", []), ("LoopCond", []),
    ("Switch", ["x"]), ("RefSwitch", ["x", "x", "x"])])
def test_damaged_nodes_of_loops(tmp_path, op, inputs):
    m = TfMaker()
    m.placeholder("x", 2)
    m.node("node", op, *inputs)
    m.node("y", "Relu", "node")
    with pytest.raises(ModelError, match=f"{op} 'node' has {len(inputs)} operands, it must have"):
        load("tensorflow", m.save(tmp_path))


def test_loops_and_branches_as_tensorflow_itself_freezes_them(tmp_path):
    """An operator in the body that has no importer is refused by its name."""
    tf = pytest.importorskip("tensorflow")
    for old in (True, False):
        (tf.compat.v1.disable_control_flow_v2 if old else tf.compat.v1.enable_control_flow_v2)()
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [2], "x")
            y = tf.while_loop(lambda v: tf.reduce_sum(v) < 9,
                              lambda v: (tf.math.lgamma(v) + 1,), (x,))[0]
            tf.identity(y, "y")
        (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
        assert set(refused("tensorflow", tmp_path / "m.pb", outputs=["y"])) == {"Lgamma"}
    tf.compat.v1.enable_control_flow_v2()


def test_placeholders_of_tensorflow_that_hold_no_numbers(tmp_path):
    m = TfMaker()
    m.placeholder("x", 2)
    m.graph.node[-1].attr["dtype"].type = 7
    m.node("y", "Identity", "x")
    assert refused("tensorflow", m.save(tmp_path)) == {
        "Identity": (1, "it reads a tensor of string")}
    m.graph.node[-1].op = "StringLower"
    assert refused("tensorflow", m.save(tmp_path)) == {
        "StringLower": (1, "a text operator: the engine computes with numbers")}


def test_lstm_with_its_state_in_variable_tensors(tmp_path):
    """As Keras 2 exports it. What reads a state behind the node reads its next value."""
    m = TfliteMaker()
    m.tensor("x", (1, 5, 3))
    weights = [m.const(f"w{k}", np.ones((4, 3 if k < 4 else 4), np.float32)) for k in range(8)]
    biases = [m.const(f"b{k}", np.ones(4, np.float32)) for k in range(4)]
    states = [m.tensor(name, (1, 4)) for name in ("h", "c")]
    m.variables.update(states)
    m.op("UNIDIRECTIONAL_SEQUENCE_LSTM",
         ["x", *weights, *[""] * 3, *biases, "", "", *states], ["y"],
         "UnidirectionalSequenceLSTMOptions", FusedActivationFunction=4)
    m.op("ADD", ["y", "h"], ["z"], "AddOptions")
    g = load("tflite", m.save(tmp_path, ["x"], ["z"]))
    assert [n.op for n in g.nodes].count("Lstm") == 1 and set(g.states) == {"h", "c"}
    assert g.inputs_of("z") == ["x", "h", "c"]  # of them h only through the node
    assert "h" not in g.producer("z").inputs


def test_lstm_of_keras_in_tflite(tmp_path):
    tf = pytest.importorskip("tensorflow")
    from mace_tools.testing.by_litert import litert

    model = tf.keras.Sequential([tf.keras.Input((5, 3), batch_size=1), tf.keras.layers.LSTM(4),
                                 tf.keras.layers.Dense(2)])
    path = tmp_path / "m.tflite"
    path.write_bytes(tf.lite.TFLiteConverter.from_keras_model(model).convert())
    graph = load("tflite", path)
    assert [n.op for n in graph.nodes].count("Loop") == 1
    x = {graph.inputs[0]: np.random.default_rng(7).uniform(-1, 1, (1, 5, 3)).astype(np.float32)}
    want, = litert(path.read_bytes(), x)
    np.testing.assert_allclose(reference.run(graph, x)[graph.outputs[0]], want, rtol=1e-5,
                               atol=1e-6)


def test_nodes_with_quantized_tensors_are_counted_not_the_tensors(tmp_path):
    m = TfliteMaker()
    m.tensor("x", (1, 4), "int4", scale=0.5)
    for k, name in enumerate("abc"):
        m.tensor(name, (1, 4), "int4", scale=0.25)
        m.op("ADD", ["xabc"[k], "x"], [name], "AddOptions")
    m.op("DEQUANTIZE", ["c"], ["y"])
    found = refused("tflite", m.save(tmp_path, ["x"], ["y"]))
    assert {op: count for op, (count, _) in found.items()} == {"ADD": 3, "DEQUANTIZE": 1}
    assert all("a computed tensor of INT4" in reason for _, reason in found.values())
    path = m.save(tmp_path, ["x"], ["x"])  # no node at all
    assert refused("tflite", path)["model input or output"][0] == 1


def test_an_empty_shape_of_tflite_is_a_constant(tmp_path):
    """tf.reshape(x, []): a shape operand without elements, which no buffer holds."""
    m = TfliteMaker()
    m.tensor("x", (1, 1))
    m.op("RESHAPE", ["x", m.const("shape", np.zeros(0, np.int32))], ["y"])
    assert load("tflite", m.save(tmp_path, ["x"], ["y"])).shape("y") == ()


def test_variables_and_loops_of_tflite(tmp_path):
    tf = pytest.importorskip("tensorflow")

    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable([1.0, 2.0])

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def __call__(self, x):
            self.v.assign_add(x)
            return tf.while_loop(lambda a: tf.reduce_sum(a) < 9, lambda a: (a + 1,), (self.v,))[0]

    counter = Counter()
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [counter.__call__.get_concrete_function()], counter)
    converter.experimental_enable_resource_variables = True
    path = tmp_path / "m.tflite"
    path.write_bytes(converter.convert())
    graph = load("tflite", path)
    assert len(graph.states) == 1 and [n.op for n in graph.nodes].count("Loop") == 1
    states, xs = first_values(graph), [np.float32([k, 2 * k]) for k in range(3)]
    for x, want in zip(xs, runs_of_litert(path, xs)):
        got = reference.run(graph, {own_inputs(graph)[0]: x, **states})
        states = {name: got[state.next] for name, state in graph.states.items()}
        np.testing.assert_array_equal(got[own_outputs(graph)[0]], want[0])


def test_element_types_that_become_others_are_noted(tmp_path):
    """float64 and unsigned tensors: which ones, with those that a caller sees first."""
    wide = numpy_helper.from_array(np.float64([1, 2]), "w")
    x = helper.make_tensor_value_info("x", TensorProto.DOUBLE, [2])
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    notes = load("onnx", onnx_model(tmp_path, nodes, [x], constants=[wide])).notes
    assert notes == ["2 float64 tensor(s) are computed and returned as float32, which is all that "
                     "the engine has: 'x', 'w'"]
    nodes = [helper.make_node("Cast", ["x"], ["a"], to=TensorProto.UINT64),
             helper.make_node("Cast", ["a"], ["y"], to=1)]
    notes = load("onnx", onnx_model(tmp_path, nodes, [("x", [2])])).notes
    assert notes == ["1 uint64 tensor(s) are computed and returned as int64, which is all that "
                     "the engine has: 'a'"]
    m = TfMaker()
    m.placeholder("x", 2)
    m.graph.node[-1].attr["dtype"].type = 2
    m.node("y", "Neg", "x")
    m.graph.node[-1].attr["T"].type = 2
    assert load("tensorflow", m.save(tmp_path)).notes == [
        "2 float64 tensor(s) are computed and returned as float32, which is all that the engine "
        "has: 'x', 'y'"]
    lite = TfliteMaker()
    lite.tensor("x", (2,))
    lite.op("NEG", ["x"], ["y"])
    assert load("tflite", lite.save(tmp_path, ["x"], ["y"])).notes == []


def test_every_old_quantized_operator_of_tensorflow_converts_or_has_a_cure():
    tf = pytest.importorskip("tensorflow")
    from mace_tools.convert.importers.tensorflow import registry
    from mace_tools.convert.importers.tensorflow.quantized_tensors import READERS

    names = [n for n in dir(tf.raw_ops)
             if n.startswith(("Quantize", "Requant")) and not n.endswith("Grad")]
    assert len(names) > 40
    assert set(READERS) <= {*names, "Dequantize"} & set(registry.supported())
    for name in set(names) - set(READERS):
        assert "FakeQuant" in registry.advice().get(name, ""), name
