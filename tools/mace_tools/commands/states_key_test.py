"""states: inputs and outputs of a model that the engine keeps from run to run.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert import importers, reference
from mace_tools.convert.importers import declared_states
from mace_tools.graph.states import Pair
from mace_tools.support.protos import mace
from mace_tools.testing.onnx_file import info, node, onnx, tensor

TYPES = {"x": (2, 3), "h": (2, 3), "n": (), "w": ("batch", 3), "past": ("rows", 3)}


def onnx_file(folder):
    """hn = tanh(x + h), y = 2 hn, nn = n + 1; a state of another shape, and one whose shape is
    open."""
    proto = onnx().ModelProto(ir_version=8)
    proto.opset_import.add(version=13)
    for name, shape in TYPES.items():
        proto.graph.input.append(info(name, shape, np.int64 if name == "n" else np.float32))
    for name in ("y", "hn", "nn", "wn", "sum", "all"):
        proto.graph.output.append(info(name, None))
    proto.graph.initializer.extend([tensor("two", np.array(2, "f")), tensor("one", np.array(1))])
    proto.graph.node.extend([
        node("Add", "x h", "s"), node("Tanh", "s", "hn"), node("Mul", "hn two", "y"),
        node("Add", "n one", "nn"), node("Add", "w x", "wn"),
        node("ReduceSum", "hn", "sum", keepdims=0), node("Concat", "past x", "all", axis=0)])
    path = folder / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def test_states_go_from_run_to_run(tmp_path):
    read = importers.read("onnx", onnx_file(tmp_path))
    pairs = {"h": Pair("hn"), "n": Pair("nn")}
    assert declared_states.shapes(read, pairs) == {"h": (2, 3), "n": ()}
    graph = importers.translate("onnx", read, {"x": (2, 3), **declared_states.shapes(read, pairs)},
                                declared_states.outputs(["y", "hn"], pairs))
    declared_states.keep(graph, ["y", "hn"], pairs)
    assert graph.inputs == ["x", "h", "n"] and graph.outputs[:2] == ["y", "hn"]
    states = declared_states.zeros(read, pairs)
    h = np.zeros((2, 3), np.float32)
    for k in range(3):
        x = np.full((2, 3), 0.25 * k - 0.1, np.float32)
        made = reference.run(graph, {"x": x, **states})
        h = np.tanh(x + h)
        np.testing.assert_allclose(made["y"], 2 * h, rtol=1e-6)
        np.testing.assert_allclose(made["hn"], h, rtol=1e-6)
        states = {name: made[graph.states[name].next] for name in states}
    assert states["n"] == 3


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Converts by a deployment file with these lines."""
    monkeypatch.chdir(tmp_path)
    file = onnx_file(tmp_path)
    sha = hashlib.sha256(file.read_bytes()).hexdigest()

    def run(more: str, inputs: str = "x"):
        shapes = "[[2, 3], [2, 3]]" if "," in inputs else "2,3"
        (tmp_path / "d.yml").write_text(f"""\
library_name: lib
target_abis: [host]
models:
  net:
    platform: onnx
    model_file_path: {file}
    model_sha256_checksum: {sha}
    runtime: cpu
    subgraphs:
      - input_tensors: {inputs}
        input_shapes: {shapes}
        output_tensors: y
        {more}
""")
        return cli.main(["convert", "--config=d.yml"]), capfd.readouterr().err

    return run


@pytest.mark.parametrize("more, variables, inputs", [
    ("states: {h: hn}", {"h": [2, 3]}, ["x"]),
    ("states: {h: {next: hn, shape: [2, 3]}}", {"h": [2, 3]}, ["x"]),
    ("states: {w: {next: wn, shape: '2,3'}, h: hn}", {"w": [2, 3], "h": [2, 3]}, ["x"]),
])
def test_a_deployment_file_names_the_states(command, tmp_path, more, variables, inputs):
    code, err = command(more)
    assert code == 0, err
    net = mace().NetDef.FromString((tmp_path / "build/lib/model/net.pb").read_bytes())
    assert [i.name for i in net.input_info] == inputs
    assert [o.name for o in net.output_info] == ["y"]
    assert {v.tensor.name: list(v.tensor.dims) for v in net.variables} == variables


@pytest.mark.parametrize("more, most", [("", []), (", max_shape: '8,3'", [8, 3])])
def test_a_state_may_grow(command, tmp_path, more, most):
    code, err = command(f"states: {{h: hn, past: {{next: all, shape: '-1,3'{more}}}}}")
    assert code == 0, err
    net = mace().NetDef.FromString((tmp_path / "build/lib/model/net.pb").read_bytes())
    state = net.variables[1].tensor
    assert (state.name, list(state.dims), list(state.max_dims)) == ("past", [-1, 3], most)


WRONG = {
    "an unknown input": ("states: {g: hn}", "the model has no input 'g'; its inputs: 'x', 'h'"),
    "an unknown output": ("states: {h: hm}", "no output 'hm', which is to be the next value of"),
    "another type": ("states: {h: nn, n: nn}",
                     "the state 'h' is f32 2,3, and 'nn', its next value, i64"),
    "another shape": ("states: {h: sum}", "'sum', its next value, f32 []"),
    "an open shape": ("states: {w: wn}", "and a state has a shape that is fixed"),
    "a shape that does not fit": ("states: {w: {next: wn, shape: [2, 4]}}",
                                  "2,4 does not fit the model's input 'w', of which the file"),
    "growth of a fixed extent": ("states: {past: {next: all, shape: '-1,-1'}}",
                                 "?,? does not fit the model's input 'past', of which the file"),
    "a name of an extent": ("states: {w: {next: wn, shape: 'n,3'}}",
                            "has the name 'n': no run chooses the extents of a state"),
    "a limit of nothing": ("states: {w: {next: wn, shape: '2,3', max_shape: '4,3'}}",
                           "max_shape limits the extents that are -1 in shape"),
    "a limit that is open": ("states: {w: {next: wn, shape: '-1,3', max_shape: '-1,3'}}",
                             "max_shape limits the extents that are -1 in shape"),
    "a limit of another extent": ("states: {w: {next: wn, shape: '-1,3', max_shape: '9,4'}}",
                                  "and repeats the others"),
    "no next": ("states: {h: {shape: [2, 3]}}", "has no `next`"),
    "another key": ("states: {h: {next: hn, first: 0}}", "has the key 'first'"),
    "no mapping": ("states: [h, hn]", "is not a mapping from inputs to outputs"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_does_not_fit_is_refused_with_its_line(kind, command):
    more, message = WRONG[kind]
    code, err = command(more)
    assert code != 0 and message in err, err
    assert "d.yml:13: models.net.subgraphs[0].states" in err.replace(".0.", "[0].")
    assert "Traceback" not in err


def test_a_state_is_no_input(command):
    code, err = command("states: {h: hn}", inputs="[x, h]")
    assert code != 0 and "a state is given by nobody, the engine keeps it" in err, err
