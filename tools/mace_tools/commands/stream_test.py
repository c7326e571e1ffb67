"""stream: from the deployment file to a model with states that the engine runs.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.onnx_file import info, node, onnx, tensor

T, C, H = 24, 4, 3


def save(folder, before, after, length=T):
    """x [1, C, T] -> a convolution over three frames -> GRU -> y [T, 1, 1, H]."""
    random = np.random.default_rng(1)
    proto = onnx().ModelProto(ir_version=8)
    proto.opset_import.add(version=13)
    proto.graph.input.append(info("x", (1, C, length)))
    proto.graph.output.append(info("y", None))
    weights = {"w": (C, C, 3), "gw": (1, 3 * H, C), "gr": (1, 3 * H, H), "gb": (1, 6 * H)}
    proto.graph.initializer.extend(
        [tensor(n, random.normal(size=s).astype(np.float32) / 2) for n, s in weights.items()])
    proto.graph.node.extend([
        node("Conv", "x w", "c", pads=[before, after]), node("Relu", "c", "r"),
        node("Transpose", "r", "t", perm=[2, 0, 1]),
        node("GRU", "t gw gr gb", "y", hidden_size=H)])
    folder.mkdir(exist_ok=True)
    (folder / "m.onnx").write_bytes(proto.SerializeToString())
    return folder / "m.onnx"


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    mace_run = runner.find(Console(), None)

    def made(before, after, *arguments):
        save(tmp_path, before, after)
        assert cli.main(["init", "m.onnx", "--output=m.yml"]) == 0
        code = cli.main(["stream", "--config=m.yml", "--axis=2", "--json=r.json",
                         f"--mace_run={mace_run}", *arguments])
        (tmp_path / "m.yml").unlink()
        out, err = capfd.readouterr()
        return code, out, " ".join(err.split())

    made.folder, made.mace_run = tmp_path, mace_run
    return made


@pytest.mark.parametrize("frames", [1, 4])
def test_the_engine_goes_on_where_its_last_run_ended(call, frames):
    """The same frames in each run, so that mace_run can repeat it; the right outputs are those of
    ONNX Runtime for the whole sequence."""
    code, out, err = call(2, 0, f"--frames={frames}")
    assert code == ExitCode.OK, err
    report = json.loads((call.folder / "r.json").read_text())["models"]["m"]
    assert report["frames"] == {"x": frames} and report["delay"] == {"y": 0}
    assert sorted(report["states"].values()) == [4 * H, 4 * 2 * C]
    assert f"a run takes {frames} of the {T} frames of 'x'" in out
    assert f"equal to the whole in {T // frames} runs" in out and "bytes of activations" in out
    assert report["stream"]["arena_bytes"] < report["whole"]["arena_bytes"]
    x = np.random.default_rng(2).normal(size=(1, C, frames)).astype(np.float32)
    np.save(call.folder / "x.npy", x)
    runs = T // frames
    subprocess.run([call.mace_run, f"--model_file={report['graph']}",
                    f"--model_data_file={report['weights']}", "--input=x=x.npy", "--warmup=0",
                    f"--round={runs}", "--output_dir=out"], check=True, stdout=subprocess.DEVNULL)
    right = Session((call.folder / "m.onnx").read_bytes()).run(["y"], {"x": np.tile(x, runs)})[0]
    np.testing.assert_allclose(np.load(call.folder / "out" / "y.npy"), right[-frames:], rtol=1e-4,
                               atol=1e-5)


def test_a_network_that_reads_later_frames_is_refused(call):
    code, _, err = call(1, 1)
    assert code == ExitCode.UNSUPPORTED_OPS, err
    assert "Conv2d 'c/Conv2d' cannot be streamed" in err
    assert "it is not causal: an output reads 1 frames after its own" in err
    assert "pad only before the first frame" in err
    assert not (call.folder / "build").exists()


@pytest.mark.parametrize("axis, message", [
    ("3", "input 'x' has 3 axes, and '3' is none of them; write x=0 to x=2"),
    ("y=2", "model 'm' has no input 'y'"), ("x=time", "'time' is none of them")])
def test_wrong_axes(call, axis, message):
    code, _, err = call(2, 0, f"--axis={axis}")
    assert code == ExitCode.USAGE and message in err
