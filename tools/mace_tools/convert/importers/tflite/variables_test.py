"""Resource variables of TFLite become states of the engine.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import numpy as np
import pytest

from mace_tools.convert.importers import load
from mace_tools.graph.run_io import first_values, own_inputs, own_outputs
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.by_litert import runs_of_litert
from mace_tools.testing.tflite_file import Maker
from mace_tools.testing.tflite_recurrent import runs_of_ours


def counter(folder: Path, first: bool = True) -> Path:
    """y = 2 x + v and v += x, by operators in this order."""
    m, once = Maker(), Maker()
    for maker, name in ((m, "handle"), (once, "of_it")):
        maker.tensor(name, (), "resource")
        maker.op("VAR_HANDLE", [], [name], "VarHandleOptions", Container="", SharedName="v")
    if first:
        once.const("first", np.float32([10, 20]))
        once.op("ASSIGN_VARIABLE", ["of_it", "first"], [], "AssignVariableOptions")
    m.more.append((once, [], []))
    m.tensor("x", (2,))
    m.op("CALL_ONCE", [], [], "CallOnceOptions", InitSubgraphIndex=1)
    for name in ("old", "new", "sum", "y"):
        m.tensor(name, (2,))
    m.op("READ_VARIABLE", ["handle"], ["old"], "ReadVariableOptions")
    m.op("ADD", ["old", "x"], ["new"], "AddOptions")
    m.op("ASSIGN_VARIABLE", ["handle", "new"], [], "AssignVariableOptions")
    m.op("READ_VARIABLE", ["handle"], ["sum"], "ReadVariableOptions")
    m.op("ADD", ["sum", "x"], ["y"], "AddOptions")
    return m.save(folder, ["x"], ["y"])


def test_runs_are_those_of_litert(tmp_path):
    path = counter(tmp_path)
    xs = [np.float32([k, 2 * k + 1]) for k in range(4)]
    g = load("tflite", path)
    assert list(g.states) == ["v"] and own_inputs(g) == ["x"] and own_outputs(g) == ["y"]
    for got, want in zip(runs_of_ours(path, xs), runs_of_litert(path, xs)):
        np.testing.assert_array_equal(got["y"], want[0])


def test_a_variable_that_nothing_initializes_is_refused(tmp_path):
    with pytest.raises(UnsupportedOps, match="a constant first value"):
        load("tflite", counter(tmp_path, first=False))


def test_a_graph_to_run_once_that_is_not_there(tmp_path):
    m = Maker()
    m.tensor("x", (2,))
    m.op("CALL_ONCE", [], [], "CallOnceOptions", InitSubgraphIndex=7)
    m.op("ABS", ["x"], ["y"])
    with pytest.raises(ModelError, match="graph 7 to run before graph 0, of 1"):
        load("tflite", m.save(tmp_path, ["x"], ["y"]))


def test_variables_as_tensorflow_exports_them(tmp_path):
    tf = pytest.importorskip("tensorflow")

    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.v, self.u = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def __call__(self, x):
            self.v.assign_add(x)
            self.u.assign(self.v + 1.0)
            return self.v * 2.0 + self.u

    counts = Counter()
    function = counts.__call__.get_concrete_function()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([function], counts)
    converter.experimental_enable_resource_variables = True
    path = tmp_path / "m.tflite"
    path.write_bytes(converter.convert())
    g = load("tflite", path)
    xs = [np.float32([k + 1, 2 * k]) for k in range(3)]
    states = first_values(g)
    from mace_tools.testing.grid import computed

    for x, want in zip(xs, runs_of_litert(path, xs)):
        got = computed(g, {own_inputs(g)[0]: x, **states})
        states = {name: got[state.next] for name, state in g.states.items()}
        np.testing.assert_array_equal(got[own_outputs(g)[0]], want[0])
