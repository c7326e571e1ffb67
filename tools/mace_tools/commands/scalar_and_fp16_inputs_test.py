"""Scalar and fp16 inputs, and models for one shape only, from the deployment file to the answer.

SPDX-License-Identifier: Apache-2.0

mace_run is built by these tests when it is not up to date, as the commands do.
"""

import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.onnx_file import graph, info, node, onnx, tensor

pytest.importorskip("onnxruntime")
needs_engine = pytest.mark.skipif(shutil.which("bazel") is None, reason="bazel is not installed")
CONFIG = """
library_name: odd
target_abis: [host]
models:
  odd:
    platform: onnx
    model_file_path: odd.onnx
    model_sha256_checksum: {checksum}
    runtime: {runtime}
    subgraphs:
      - input_tensors: [{names}]
        input_shapes: {shapes}
        output_tensors: [{outputs}]
        input_ranges: "1,9"
"""


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    """Writes a model and its deployment file, and runs a command on them."""
    monkeypatch.chdir(tmp_path)

    def call(nodes: list[Any], inputs: dict[str, tuple[Any, Any]], outputs: dict[str, Any],
             constants: dict[str, Any], shapes: str, *command: str, runtime: str = "cpu"):
        proto = onnx().ModelProto(ir_version=8)
        proto.opset_import.add(version=13)
        proto.graph.node.extend(nodes)
        proto.graph.input.extend(info(n, s, k) for n, (s, k) in inputs.items())
        proto.graph.output.extend(info(n, None, k) for n, k in outputs.items())
        proto.graph.initializer.extend(tensor(n, a) for n, a in constants.items())
        Path("odd.onnx").write_bytes(proto.SerializeToString())
        checksum = hashlib.sha256(Path("odd.onnx").read_bytes()).hexdigest()
        Path("odd.yml").write_text(CONFIG.format(
            checksum=checksum, runtime=runtime, names=", ".join(inputs), shapes=shapes,
            outputs=", ".join(outputs)))
        code = cli.main([command[0], "--config=odd.yml", *command[1:]])
        return code, *capfd.readouterr()

    return call


def mace_run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [runner.find(Console(), None), "--model_file=build/odd/model/odd.pb",
         "--model_data_file=build/odd/model/odd.data", *arguments],
        capture_output=True, text=True, check=False)


SCALED = ([node("Cast", "sr", "f", to=1), node("Mul", "x f", "y"), node("Add", "sr sr", "z")],
          {"x": ((1, 4), np.float32), "sr": ((), np.int64)}, {"y": np.float32, "z": np.int64}, {})


@needs_engine
@pytest.mark.parametrize("runtime", ["cpu", "gpu"])
def test_scalars(place, runtime):
    code, out, err = place(*SCALED, '["1,4", []]', "run", "--validate", "--output_dir=out",
                           runtime=runtime)
    assert code == ExitCode.OK, err
    assert "Similarity Test Passed" in out and np.load("out/z.npy").shape == ()
    assert mace_run("--input_shape=sr=[]").returncode == 0
    np.save("sr.npy", np.array(7))
    np.save("x.npy", np.ones((1, 4), np.float32))
    done = mace_run("--input=sr=sr.npy", "--input=x=x.npy", "--output_dir=out")
    assert done.returncode == 0, done.stderr
    assert np.load("out/z.npy") == 14 and (np.load("out/y.npy") == 7).all()


@needs_engine
def test_wrong_shapes_of_scalars(place):
    code, _, err = place(*SCALED, '["1,4", "1"]', "convert")
    assert code == ExitCode.ERROR
    assert "input_shapes: 1 has 1 dimensions, but the model's 'sr' has 0: []" in err
    assert place(*SCALED, '["1,4", "[]"]', "convert")[0] == ExitCode.OK
    for shape, message in (("sr=1", "input 'sr': expected a shape like [], found [1]"),
                           ("sr=[", "'[' is no shape; write it like 1,224,224,3, or [] for a "
                                    "scalar"),
                           ("x=[]", "input 'x': expected a shape like [1,4], found []")):
        done = mace_run(f"--input_shape={shape}")
        assert done.returncode != 0 and message in done.stdout + done.stderr


@needs_engine
@pytest.mark.parametrize("runtime", ["cpu", "gpu"])
def test_an_fp16_model(place, runtime):
    rng = np.random.default_rng(0)
    weights = {"w": rng.normal(0, 0.1, (8, 4, 3, 3)).astype(np.float16),
               "b": rng.normal(size=8).astype(np.float16)}
    code, out, err = place([node("Conv", "x w b", "c"), node("Relu", "c", "y")],
                           {"x": ((1, 4, 16, 16), np.float16)}, {"y": np.float16}, weights,
                           "1,4,16,16", "run", "--validate", "--output_dir=out", runtime=runtime)
    assert code == ExitCode.OK, err
    assert "Similarity Test Passed" in out and np.load("out/y.npy").dtype == np.float16
    assert Path("build/odd/model/odd.data").stat().st_size < 2.2 * weights["w"].size
    assert mace_run().returncode == 0  # on made-up numbers


@needs_engine
def test_a_model_whose_if_depends_on_shapes_takes_these_shapes_only(place):
    nodes = [node("Shape", "x", "s"), node("Gather", "s k", "d"), node("Equal", "d four", "c"),
             node("If", "c", "y", "choose", then_branch=graph("a", [node("Neg", "x", "t")], {},
                                                              ["t"]),
                  else_branch=graph("b", [node("Abs", "x", "t")], {}, ["t"]))]
    code, _, err = place(nodes, {"x": ((1, "n"), np.float32)}, {"y": np.float32},
                         {"k": np.array(1), "four": np.array(4)}, "1,4", "run", "--validate")
    assert code == ExitCode.OK, err
    done = mace_run("--input_shape=x=1,5")
    assert done.returncode == 1
    assert "input 'x': expected [1,4], found [1,5]; the model is for the shapes" in done.stderr
    assert "If 'choose' of the source model depends on them: convert it again" in done.stderr
    code, _, err = place(nodes, {"x": ((1, "n"), np.float32)}, {"y": np.float32},
                         {"k": np.array(1), "four": np.array(4)}, "1,5", "run", "--validate")
    assert code == ExitCode.OK, err


@needs_engine
@pytest.mark.parametrize(("nodes", "message"), [
    ([node("Slice", "x n n", "y")], "Slice 'y' for its starts"),
    ([node("Cast", "n", "c", to=9),
      node("If", "c", "y", "choose", then_branch=graph("a", [node("Neg", "x", "t")], {}, ["t"]),
           else_branch=graph("b", [node("Abs", "x", "t")], {}, ["t"]))],
     "for its condition"),
])
def test_converting_says_where_the_plan_waits(place, nodes, message):
    code, out, err = place(nodes, {"x": ((4,), np.float32), "n": ((1,), np.int64)},
                           {"y": np.float32}, {}, '["4", "1"]', "convert")
    assert code == ExitCode.OK, err
    assert "the plan waits for data" in out + err and message in out + err

