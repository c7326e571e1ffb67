"""Models with odd inputs and outputs: what `init` drafts of them converts, and the engine runs it.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import Arrays, mace_run

from mace_tools import cli
from mace_tools.config.load import load
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker as TensorFlow
from mace_tools.convert.onnx_export.messages import info, node, onnx, tensor
from mace_tools.run import runner
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.tflite_file import Maker as Tflite

X = np.float32([[-2, -1, 0], [1, 2, 3]])
C = np.float32([4, 5])
RELU = np.maximum(X, 0)



def graph(nodes: list[Any], inputs: list[Any], outputs: list[Any], **constants: Any) -> Any:
    proto = onnx().GraphProto(name="g", node=nodes, input=inputs, output=outputs)
    proto.initializer.extend(tensor(name, value) for name, value in constants.items())
    return proto


def onnx_model(*parts: Any, **constants: Any) -> Callable[[Path], Path]:
    """A function that writes the model into a folder."""

    def write(folder: Path) -> Path:
        proto = onnx().ModelProto(ir_version=7, graph=graph(*parts, **constants))
        proto.opset_import.add(version=13)
        (folder / "model.onnx").write_bytes(proto.SerializeToString())
        return folder / "model.onnx"

    return write


def tflite_model(inputs: list[str], outputs: list[str], signature: Any = None,
                 shape: tuple[int, ...] = (2, 3)) -> Callable[[Path], Path]:
    """y = relu(x), and a constant c."""

    def write(folder: Path) -> Path:
        m = Tflite()
        m.tensor("x", shape)
        m.const("c", C)
        m.op("RELU", ["x"], ["y"])
        m.signatures = [("serve", *signature, 0)] if signature else []
        return m.save(folder, inputs, outputs)

    return write


def tensorflow_model(folder: Path) -> Path:
    m = TensorFlow()
    m.const("c", C)
    m.node("y", "Neg", "c")
    return m.save(folder)



def named(x: str, y: str) -> Callable[[Path], Path]:
    """y = relu(x), for names that hold spaces."""
    one = onnx().NodeProto(op_type="Relu", input=[x], output=[y])
    return onnx_model([one], [info(x, (2, 3))], [info(y, None)])


def several(names: list[str]) -> Callable[[Path], Path]:
    """Output k is x + k."""
    nodes = [onnx().NodeProto(op_type="Add", input=["x", f"k{k}"], output=[name])
             for k, name in enumerate(names)]
    return onnx_model(nodes, [info("x", (2, 3))], [info(n, None) for n in names],
                      **{f"k{k}": np.float32(k) for k in range(len(names))})


F, I64, BOOL = np.float32, np.int64, np.bool_
IF = [node("If", "c", "y", then_branch=graph([node("Relu", "x", "r")], [], [info("r", None)]),
           else_branch=graph([node("Neg", "x", "s")], [], [info("s", None)]))]
LOOP = [node("Loop", "n - x0", "y", body=graph(
    [node("Identity", "go", "on"), node("Add", "a x", "b")],
    [info("i", (), I64), info("go", (), BOOL), info("a", (2, 3))],
    [info("on", (), BOOL), info("b", (2, 3))]))]
SCAN = [node("Scan", "rows", "y", num_scan_inputs=1, body=graph(
    [node("Add", "row x", "sum")], [info("row", (3,))], [info("sum", (3,))]))]
INNER = node("If", "c", "t", then_branch=graph([node("Relu", "x", "r")], [], [info("r", None)]),
             else_branch=graph([node("Neg", "x", "s")], [], [info("s", None)]))
NESTED = [node("If", "c", "y", then_branch=graph([INNER], [], [info("t", None)]),
               else_branch=graph([node("Abs", "x", "u")], [], [info("u", None)]))]


@dataclass
class Case:
    write: Callable[[Path], Path]
    feeds: Mapping[str, Any]
    wanted: Mapping[str, Any]


NAMES = ["a/b", "a_b", "a:b", "a_b_2", "ä", "ö", "a" * 300, "a" * 301]
RELU_OF_X = [node("Relu", "x", "y")]
WIDE = F(np.arange(24).reshape(1, 2, 3, 4))
CASES = {
    "an output that is an input": Case(
        onnx_model(RELU_OF_X, [info("x", (2, 3))], [info("y", None), info("x", (2, 3))]),
        {"x": X}, {"y": RELU, "x": X}),
    "nothing but an input": Case(
        onnx_model([], [info("x", (1, 2, 3, 4))], [info("x", (1, 2, 3, 4))]),
        {"x": WIDE}, {"x": WIDE}),
    "an output that waits, and one that is an input": Case(
        onnx_model([node("NonZero", "x", "y")], [info("x", (2, 3))],
                   [info("y", None, I64), info("x", (2, 3))]),
        {"x": X}, {"y": np.stack(np.nonzero(X)), "x": X}),
    "constant outputs": Case(
        onnx_model([*RELU_OF_X, node("Add", "c c", "d")], [info("x", (2, 3))],
                   [info("c", (2,)), info("d", (2,)), info("y", None)], c=C),
        {"x": X}, {"c": C, "d": C + C, "y": RELU}),
    "no inputs": Case(onnx_model([node("Add", "c c", "d")], [], [info("d", (2,))], c=C),
                      {}, {"d": C + C}),
    "no inputs that the outputs need": Case(
        onnx_model([node("Add", "c c", "d")], [info("x", (2, 3))], [info("d", (2,))], c=C),
        {}, {"d": C + C}),
    "no inputs, TensorFlow": Case(tensorflow_model, {}, {"y": -C}),
    "names with spaces": Case(named("x ", " y "), {"x ": X}, {" y ": RELU}),
    "names of spaces": Case(named(" ", "\t"), {" ": X}, {"\t": RELU}),
    "names with line ends": Case(named("a\nb", "c\rd"), {"a\nb": X}, {"c\rd": RELU}),
    "names beyond ASCII": Case(named("naïve", "café"), {"naïve": X}, {"café": RELU}),
    "a long name": Case(named("x", "y" * 300), {"x": X}, {"y" * 300: RELU}),
    "names that give one file name": Case(several(NAMES), {"x": X},
                                          {n: X + k for k, n in enumerate(NAMES)}),
    "an output listed twice": Case(
        onnx_model(RELU_OF_X, [info("x", (2, 3))], [info("y", None), info("y", None)]),
        {"x": X}, {"y": RELU}),
    "TFLite: inputs and outputs listed twice": Case(
        tflite_model(["x", "x"], ["y", "x", "c", "y"]), {"x": X}, {"y": RELU, "x": X, "c": C}),
    "TFLite: several names of a tensor": Case(
        tflite_model(["x"], ["x", "y"], ({"a": "x"}, {"b": "x", "d": "y", "e": "y"})),
        {"a": X}, {"a": X, "d": RELU}),
    "TFLite: names of the signature are taken": Case(
        tflite_model(["x"], ["y"], ({"y": "x"}, {"x": "y"})), {"x": X}, {"y": RELU}),
    "TFLite: one name of an input and an output": Case(
        tflite_model(["x"], ["y"], ({"a": "x"}, {"a": "y"})), {"x": X}, {"y": RELU}),
    "TFLite: a dimension of 0": Case(
        tflite_model(["x"], ["y"], shape=(2, 0)), {"x": np.zeros((2, 0), F)},
        {"y": np.zeros((2, 0), F)}),
    "an input of branches": Case(
        onnx_model(IF, [info("x", (2, 3)), info("c", (), BOOL)], [info("y", None)]),
        {"x": X, "c": np.bool_(False)}, {"y": -X}),
    "an input of branches within branches": Case(
        onnx_model(NESTED, [info("x", (2, 3)), info("c", (), BOOL)], [info("y", None)]),
        {"x": X, "c": np.bool_(True)}, {"y": RELU}),
    "an input of a Loop": Case(
        onnx_model(LOOP, [info("n", (), I64), info("x0", (2, 3)), info("x", (2, 3))],
                   [info("y", None)]),
        {"n": np.int64(3), "x0": X, "x": X}, {"y": 4 * X}),
    "an input of a Scan": Case(
        onnx_model(SCAN, [info("rows", (2, 3)), info("x", (3,))], [info("y", None)]),
        {"rows": X, "x": X[0]}, {"y": X + X[0]}),
}  # fmt: skip


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outputs_of(folder: Path, feeds: Mapping[str, Any], *flags: str) -> Arrays:
    """What the engine makes of the converted model."""
    command = [mace_run(), "--model_file=b/m/model/m.pb", "--model_data_file=b/m/model/m.data",
               "--output_dir=out", "--warmup=0", *flags]
    for k, (name, array) in enumerate(feeds.items()):
        np.save(folder / f"in{k}.npy", np.asarray(array))
        command.append(f"--input={name}=in{k}.npy")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (model,) = load("m.yml").library.models.values()
    files = runner.files_of(model.subgraph.output_tensors)
    return {name: np.load(folder / "out" / file) for name, file in files.items()}


@pytest.mark.parametrize("name", CASES)
def test_the_draft_converts_and_runs(name, place, capfd):
    case = CASES[name]
    model = case.write(place)
    assert cli.main(["check", str(model)]) == ExitCode.OK, capfd.readouterr().err
    assert cli.main(["init", str(model), "--output=m.yml", "--model_name=m"]) == ExitCode.OK
    assert "converts and runs the model" in capfd.readouterr().err
    assert cli.main(["convert", "--config=m.yml", "--output=b"]) == ExitCode.OK
    assert set(load("m.yml").library.models["m"].subgraph.input_tensors) == set(case.feeds)
    found = outputs_of(place, case.feeds)
    assert set(found) == set(case.wanted)
    for output, wanted in case.wanted.items():
        assert found[output].shape == np.shape(wanted), output
        np.testing.assert_array_equal(found[output], wanted, output)


@pytest.mark.parametrize("name", ["names that give one file name", "names beyond ASCII",
                                  "no inputs", "an output that is an input"])
def test_run_keeps_every_output(name, place, capfd):
    case = CASES[name]
    cli.main(["init", str(case.write(place)), "--output=m.yml", "--model_name=m"])
    given = []
    for array in case.feeds.values():
        np.save(place / "x.npy", array)
        given = ["--input=x.npy"]
    code = cli.main(["run", "--config=m.yml", "--output=b", "--output_dir=kept",
                     f"--mace_run={mace_run()}", *given])
    assert code == ExitCode.OK, capfd.readouterr().err
    files = runner.files_of(case.wanted)
    assert {f.name for f in (place / "kept").iterdir()} == set(files.values())
    for output, wanted in case.wanted.items():
        np.testing.assert_array_equal(np.load(place / "kept" / files[output]), wanted, output)
