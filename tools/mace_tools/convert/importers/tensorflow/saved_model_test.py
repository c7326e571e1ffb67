"""SavedModels of both versions, read without TensorFlow, against TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

import shutil

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load, read, translate
from mace_tools.convert.importers.request import RequestError
from mace_tools.convert.importers.tensorflow.saved_model import PROTO
from mace_tools.graph.run_io import first_values
from mace_tools.support import protos
from mace_tools.support.errors import MaceError, ModelError, UnsupportedOps
from mace_tools.testing.lazily import tf, tf1

X = np.random.default_rng(3).uniform(-1, 1, (2, 6, 6, 3)).astype(np.float32)


def two_signatures():
    class Model(tf.Module):
        """Two signatures over the same variables, with calls within calls."""

        def __init__(self):
            super().__init__()
            self.w = tf.Variable(tf.reshape(tf.range(24, dtype=tf.float32) / 24, [2, 1, 3, 4]))
            self.scale = tf.Variable([1.0, 2.0, 3.0, 4.0], name="scale")
            self.count = tf.Variable(np.arange(40000, dtype=np.float32))  # a checksum in parts

        @tf.function
        def scaled(self, x):
            return x * self.scale + self.count[3]

        @tf.function(input_signature=[tf.TensorSpec([None, 6, 6, 3], tf.float32, "image")])
        def features(self, image):
            y = tf.nn.conv2d(image, self.w, 1, "SAME")
            first, second = tf.split(self.scaled(tf.nn.relu(y)), 2, axis=3)
            values, places = tf.math.top_k(first + self.scaled(y)[..., :2] * second, 2)
            return {"values": values, "places": places}

        @tf.function(input_signature=[tf.TensorSpec([4], tf.float32)])
        def twice(self, x):
            return self.scaled(self.scaled(x))

    return Model()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder, model = tmp_path_factory.mktemp("saved") / "m", two_signatures()
    tf.saved_model.save(model, str(folder), signatures={"features": model.features,
                                                        "twice": model.twice})
    return folder


@pytest.fixture
def copy(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "copy")


def check(folder, feeds, signature=""):
    """The outputs of a signature are TensorFlow's."""
    graph = load("tensorflow", folder, {k: v.shape for k, v in feeds.items()}, None, signature)
    got = reference.run(graph, feeds)
    ports = [name if ":" in name else f"{name}:0" for name in graph.outputs]
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.saved_model.load(session, ["serve"], str(folder))
        wanted = session.run(ports, {f"{name}:0": value for name, value in feeds.items()})
    for name, want in zip(graph.outputs, wanted):
        np.testing.assert_allclose(got[name], want, rtol=1e-5, atol=1e-5)
    return graph


def test_signatures_of_one_model(saved):
    graph = check(saved, {"features_image": X}, "features")
    assert len(graph.outputs) == 2
    check(saved, {"twice_x": np.float32([1, 2, 3, 4])}, "twice")
    assert read("tensorflow", saved, "features").inputs["features_image"].shape == (None, 6, 6, 3)
    assert read("tensorflow", saved / "saved_model.pb", "twice").outputs


def test_inputs_and_outputs_come_in_the_order_of_the_function(tmp_path):
    class Model(tf.Module):
        """Inputs whose order is not that of their names, and more than ten outputs."""

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "z10"),
                                      tf.TensorSpec([2], tf.float32, "a"),
                                      tf.TensorSpec([2], tf.float32, "z9")])
        def f(self, first, second, third):
            del second
            return [first * float(k) - third for k in range(12)]

    tf.saved_model.save(Model(), str(tmp_path))
    model = read("tensorflow", tmp_path)
    assert [model.role(i) for i in model.inputs] == ["z10", "a", "z9"]
    assert [model.role(o) for o in model.outputs] == [f"output_{k}" for k in range(12)]


def test_a_signature_that_is_not_there(saved):
    with pytest.raises(RequestError, match="no signature 'featurs'; did you mean 'features'") as e:
        read("tensorflow", saved, "featurs")
    assert e.value.key == "signature" and "'features', 'twice'" in str(e.value)
    with pytest.raises(RequestError, match="several signatures and none is called 'serving_def"):
        read("tensorflow", saved)


def test_signatures_of_files_that_have_none(tmp_path):
    with pytest.raises(RequestError, match="models of platform onnx have no signatures"):
        read("onnx", tmp_path, "serve")
    with pytest.raises(RequestError, match="is a graph, which has no signatures"):
        read("tensorflow", tmp_path / "m.pb", "serve")


def changed(folder, change):
    """Edits saved_model.pb."""
    path = folder / "saved_model.pb"
    model = protos.load(PROTO).SavedModel.FromString(path.read_bytes())
    change(model.meta_graphs[0])
    path.write_bytes(model.SerializeToString())
    return folder


def test_without_signature(copy):
    changed(copy, lambda m: m.signature_def.clear())
    with pytest.raises(ModelError, match="has no signature, .*export it with one"):
        read("tensorflow", copy)


def test_a_function_that_is_not_there(copy):
    changed(copy, lambda m: m.graph_def.library.function.__delitem__(slice(None)))
    with pytest.raises(ModelError, match="calls the function '.*', and there is none in the file"):
        read("tensorflow", copy, "twice")


def test_functions_that_call_themselves(copy):
    def ring(meta):
        for function in meta.graph_def.library.function:
            for node in function.node_def:
                if node.op.endswith("PartitionedCall"):
                    node.attr["f"].func.name = function.signature.name

    changed(copy, ring)
    with pytest.raises(ModelError, match="calls itself .* -> .*|operands to the function"):
        read("tensorflow", copy, "twice")


def test_damaged_graphs(copy):
    path = copy / "saved_model.pb"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ModelError, match="saved_model.pb: not the graph of a SavedModel, or cut"):
        read("tensorflow", copy, "twice")
    path.write_bytes(b"")
    with pytest.raises(ModelError, match="saved_model.pb: holds no graph"):
        read("tensorflow", copy, "twice")


@pytest.mark.parametrize("name, change, message", [
    ("index", None, "variables.index: cannot be read: No such file.*copy the whole folder"),
    ("index", lambda d: d[:-10], "variables.index: it is no index .*: it is cut off"),
    ("index", lambda d: d[:40] + b"\xff" + d[41:], "variables.index: .*checksum of the block"),
    ("data-00000-of-00001", None, "variables.data-00000-of-00001: cannot be read"),
    ("data-00000-of-00001", lambda d: d[:100], "lies at .* and the file has 100 bytes: it is cut"),
    ("data-00000-of-00001", lambda d: d[:-9000] + b"\1" + d[-8999:],
     "the checksum of the variable '.*' is wrong"),
])
def test_variables_that_are_missing_or_damaged(copy, name, change, message):
    path = copy / "variables" / f"variables.{name}"
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_bytes()))
    with pytest.raises(MaceError, match=message):
        read("tensorflow", copy, "twice")


def test_variables_without_values_are_refused_where_they_are_read(copy):
    def without_restore(meta):
        for function in meta.graph_def.library.function:
            for node in function.node_def:
                node.op = "NoOp" if node.op == "AssignVariableOp" else node.op

    changed(copy, without_restore)
    with pytest.raises(UnsupportedOps, match="it reads the variable '.*', which has no value"):
        load("tensorflow", copy, {"twice_x": (4,)}, None, "twice")


def build(training, resource):
    """A network as of TensorFlow 1, with all that training leaves behind; returns its ends."""
    x = tf1.placeholder(tf.float32, [None, 6, 6, 3], "x")
    with tf1.variable_scope("net", use_resource=resource):
        w, b = tf1.get_variable("w", [3, 3, 3, 4]), tf1.get_variable("b", [4])
        gamma = tf1.get_variable("gamma", [4], initializer=tf1.random_uniform_initializer())
        dense = tf1.get_variable("dense", [144, 5])
    y = tf.nn.conv2d(tf1.debugging.check_numerics(x, "odd"), w, 1, "SAME") + b
    mean, variance = tf.constant([1.0, 0, 2, 1]), tf.constant([4.0, 1, 9, 1])
    y = tf.nn.relu(tf.nn.batch_normalization(y, mean, variance, b, gamma, 1e-3))
    y = tf1.cond(training, lambda: tf1.nn.dropout(y, rate=0.5), lambda: tf.stop_gradient(y) * 1.5)
    with tf1.control_dependencies([tf1.assert_greater(tf.reduce_sum(x), -1e9)]):
        y = tf.reshape(y, [-1, 144])
    y = tf1.cond(tf.logical_not(training), lambda: tf.constant(2.0), lambda: tf.constant(3.0)) + y
    y = tf1.nn.dropout(y, keep_prob=tf1.placeholder_with_default(1.0, []))
    return x, tf.identity(y @ dense, "y")


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("functional", [False, True])
def test_version_1_with_leftovers_of_training(tmp_path, resource, functional):
    (tf1.enable_control_flow_v2 if functional else tf1.disable_control_flow_v2)()
    folder = str(tmp_path / "m")
    with tf.Graph().as_default(), tf1.Session() as session:
        x, y = build(tf1.placeholder_with_default(False, [], "is_training"), resource)
        session.run(tf1.global_variables_initializer())
        tf1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    tf1.enable_control_flow_v2()
    graph = check(tmp_path / "m", {"x": X})
    assert graph.inputs == ["x"] and graph.outputs == ["y"]


def test_a_condition_that_the_deployment_file_decides(tmp_path):
    """A frozen graph whose is_training is an input without a default."""
    from mace_tools.convert.importers import translate
    from mace_tools.convert.importers.fixed_inputs import with_values

    tf1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        x, y = build(tf1.placeholder(tf.bool, [], "is_training"), False)
        session.run(tf1.global_variables_initializer())
        frozen = tf1.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), ["y"])
        wanted = session.run(y, {x: X, "is_training:0": False})
    tf1.enable_control_flow_v2()
    (tmp_path / "m.pb").write_bytes(frozen.SerializeToString())
    model = read("tensorflow", tmp_path / "m.pb")
    with pytest.raises(UnsupportedOps, match="RandomUniform(.|\n)*input_values"):
        translate("tensorflow", model, {"x": X.shape, "is_training": ()}, ["y"])
    decided = translate("tensorflow", with_values(model, {"is_training": False}),
                        {"x": X.shape}, ["y"])
    np.testing.assert_allclose(reference.run(decided, {"x": X})["y"], wanted, 1e-5, 1e-5)


def test_several_graphs(copy):
    path = copy / "saved_model.pb"
    model = protos.load(PROTO).SavedModel.FromString(path.read_bytes())
    other = model.meta_graphs.add()
    other.CopyFrom(model.meta_graphs[0])
    other.meta_info_def.tags.append("gpu")
    other.signature_def.clear()
    path.write_bytes(model.SerializeToString())
    assert read("tensorflow", copy, "twice").outputs  # the one for serving alone
    for graph in model.meta_graphs:
        graph.meta_info_def.tags[:] = ["train"]
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match="no graph of it has the tag 'serve'.*train; train"):
        read("tensorflow", copy, "twice")


def counting():
    class Model(tf.Module):
        """Variables that are read before and after they are assigned."""

        def __init__(self):
            super().__init__()
            self.last = tf.Variable([1.0, 2.0])
            self.total = tf.Variable([0.0, 10.0])
            self.twice = tf.Variable(0.0)
            self.inside = tf.Variable([0.0, 0.0])

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "x")])
        def keep(self, x):
            before = self.last + 0.0
            self.last.assign(x * 2.0)
            self.total.assign_add(x)
            return {"before": before, "after": self.last + 0.0, "total": self.total + 0.0}

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "x")])
        def odd(self, x):
            self.twice.assign(x[0])
            self.twice.assign(x[1] + self.twice)
            return x + self.twice

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "x")])
        def loop(self, x):
            for _ in tf.range(tf.cast(x[0], tf.int32)):
                self.inside.assign_add(x)
            return self.inside + 0.0

    return Model()


def test_variables_that_a_run_assigns_keep_their_values(tmp_path):
    model = counting()
    tf.saved_model.save(model, str(tmp_path), signatures={
        name: getattr(model, name) for name in ("keep", "odd", "loop")})
    read_model = read("tensorflow", tmp_path, "keep")
    graph = translate("tensorflow", read_model)
    held = first_values(graph)
    assert len(held) == 2
    for x in np.float32([[1, 2], [3, 4], [-5, 6]]):
        found = reference.run(graph, {"keep_x": x, **held})
        want = model.keep(x)
        for name in read_model.outputs:
            assert found[name].tolist() == want[read_model.role(name)].numpy().tolist()
        held = {name: found[state.next] for name, state in graph.states.items()}
    for name, reason in (("odd", "several times"), ("loop", "inside of a loop or a branch")):
        with pytest.raises(UnsupportedOps, match=f"assigns {reason}.*\n.*`states` in the YAML"):
            load("tensorflow", tmp_path, None, None, name)
