"""Functions in graphs that are no SavedModels, and bodies that are damaged.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.importers import load
from mace_tools.convert.importers.tensorflow import functions
from mace_tools.convert.importers.tensorflow.functions import DEEPEST, OUTPUTS
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker, run
from mace_tools.support.errors import ModelError


def function(maker, name, nodes, results, *arguments):
    """Adds a function. `nodes`: (name, op, inputs...)."""
    f = maker.graph.library.function.add()
    f.signature.name = name
    for argument in arguments:
        f.signature.input_arg.add(name=argument)
    for k, result in enumerate(results):
        f.signature.output_arg.add(name=f"out{k}")
        f.ret[f"out{k}"] = result
    for node, op, *inputs in nodes:
        f.node_def.add(name=node, op=op).input.extend(inputs)
    return f


def call(maker, name, of, *inputs):
    maker.node(name, "PartitionedCall", *inputs)
    maker.graph.node[-1].attr["f"].func.name = of


def test_a_graph_with_functions(tmp_path):
    m = Maker()
    m.placeholder("x")
    half = function(m, "half", [("c", "Const"), ("y", "Mul", "v", "c:output:0")], ["y:z:0"], "v")
    value = half.node_def[0].attr["value"].tensor
    value.dtype = 1
    value.float_val.append(0.5)
    function(m, "best", [("k", "Const"), ("t", "TopKV2", "a", "k:output:0"),
                         ("h", "half", "t:values:0")],
             ["t:indices:0", "h:out0:0", "a"], "a").node_def[0].attr["value"].tensor.CopyFrom(
                 type(value)(dtype=3, int_val=[2]))
    call(m, "call", "best", "x")
    m.node("y", "Add", "call:1", "call:1")
    x = np.float32([[1, 5, 3]])
    y, places, same = run(m, tmp_path, {"x": x}, ["y", "call", "call:2"])
    assert y.tolist() == [[5, 3]] and places.tolist() == [[1, 2]] and same.tolist() == x.tolist()


@pytest.mark.parametrize("nodes, result, message", [
    ([("y", "Relu", "z")], "y:y:0", "reads 'z', which is neither an argument nor a node"),
    ([("y", "Relu", "v")], "y:y", "names no output"),
    ([("y", "TopKV2", "v", "v")], "y:best:0", "which output of TopKV2 'y' the name 'best' means"),
    ([("y", "Fancy", "v"), ("z", "Add", "y:a:0", "y:b:0")], "z:z:0",
     "which output of Fancy 'y' the name 'b' means is not in the file"),
    ([("y", "half", "v", "v")], "y:out0:0", "gives 2 operands to the function 'half', which takes "
                                            "1"),
    ([("y", "half", "v")], "y:other:0", "has no output 'other'"),
    ([("y", "f", "v")], "y:out0:0", r"calls itself \(f -> f\)"),
])
def test_damaged_bodies(tmp_path, nodes, result, message):
    m = Maker()
    m.placeholder("x", 2)
    function(m, "half", [], ["v"], "v")
    function(m, "f", nodes, [result], "v")
    call(m, "y", "f", "x")
    with pytest.raises(ModelError, match=f"model.pb: .*{message}"):
        load("tensorflow", m.save(tmp_path))


def test_a_result_without_a_name(tmp_path):
    m = Maker()
    m.placeholder("x", 2)
    function(m, "f", [], ["v"], "v").ret.clear()
    call(m, "y", "f", "x")
    with pytest.raises(ModelError, match="does not say what its result 'out0' is"):
        load("tensorflow", m.save(tmp_path))


def test_calls_that_are_nested_without_end_or_that_multiply(tmp_path, monkeypatch):
    monkeypatch.setattr(functions, "MAX_NODES", 1000)
    deep, wide = Maker(), Maker()
    for m, calls in ((deep, 1), (wide, 2)):
        m.placeholder("x", 2)
        count = DEEPEST + 2 if calls == 1 else 30
        function(m, f"f{count}", [("r", "Relu", "v")], ["r:r:0"], "v")
        for k in range(count):
            nodes = [("a", f"f{k + 1}", "v")] + [("b", f"f{k + 1}", "a:out0:0")] * (calls - 1)
            function(m, f"f{k}", nodes, [f"{'ab'[calls - 1]}:out0:0"], "v")
        call(m, "y", "f0", "x")
    with pytest.raises(ModelError, match="nested more than 100 deep"):
        load("tensorflow", deep.save(tmp_path))
    with pytest.raises(ModelError, match="its functions make more than"):
        load("tensorflow", wide.save(tmp_path))


def test_names_of_outputs_are_those_of_tensorflow():
    definitions = pytest.importorskip("tensorflow.python.framework.op_def_registry")
    for op, names in OUTPUTS.items():
        assert tuple(a.name for a in definitions.get(op).output_arg) == names


def test_every_operator_with_several_outputs_is_listed():
    definitions = pytest.importorskip("tensorflow.python.framework.op_def_registry")
    from mace_tools.convert.importers.tensorflow import registry

    # Names with a dot are pairs of operators, which no file has.
    several = {op for op in registry.supported() if op != "Stack" and "." not in op
               and len(definitions.get(op).output_arg) > 1}
    assert several <= set(OUTPUTS)
