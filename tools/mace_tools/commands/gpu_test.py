"""A model on the GPU from its YAML to its answer, by PoCL: check, run, validate, benchmark.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import cache_dir
from mace_tools.testing import onnx_file
from mace_tools.testing.needed import need_pocl, need_tools
from mace_tools.testing.onnx_file import node

pytestmark = pytest.mark.full
YAML = """library_name: two
target_abis: [host]
models:
  two:
    platform: onnx
    model_file_path: {file}
    model_sha256_checksum: {sha}
    runtime: {runtime}
    data_type: {data_type}
    subgraphs:
      - input_tensors: x
        input_shapes: 1,16,64,64
        input_ranges: 0,1
        output_tensors: [features, best]
        output_shapes: [[1,32,64,64], [1,1,64,64]]
"""


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """Runs a command on two convolutions, large enough for a GPU, and an ArgMax, which it has not;
    returns the exit status, stdout, stderr and the report of --json."""
    monkeypatch.chdir(tmp_path)
    need_tools("bazel")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(need_pocl()))
    monkeypatch.setenv("POCL_CACHE_DIR", str(cache_dir() / "pocl"))

    def run(command, *more, data_type="fp16_fp32", scale=0.05, keys="", runtime="gpu"):
        file = _model(tmp_path / "two.onnx", scale)
        sha = hashlib.sha256(file.read_bytes()).hexdigest()
        text = YAML.format(file=file, sha=sha, data_type=data_type, runtime=runtime)
        (tmp_path / "two.yml").write_text(text.replace("    subgraphs", f"{keys}    subgraphs"))
        code = cli.main([command, "--config=two.yml", "--json=report.json", *more])
        out, err = capfd.readouterr()
        report = json.loads(Path("report.json").read_text())["models"]["two"] if code == 0 else {}
        return code, out, err, report

    return run


def _model(path, scale):
    """The second convolution takes the scale back."""
    rng = np.random.default_rng(1)
    w1 = (rng.random((32, 16, 3, 3)) * scale).astype(np.float32)
    w2 = (rng.standard_normal((32, 32, 1, 1)) / scale).astype(np.float32)
    nodes = [node("Conv", "x w1", "a", "c1", pads=[1, 1, 1, 1]),
             node("Conv", "a w2", "features", "c2"),
             node("ArgMax", "features", "best", "top", axis=1, keepdims=1)]
    return onnx_file.model(path, nodes, {"x": (1, 16, 64, 64)}, ("features", "best"),
                           {"w1": w1, "w2": w2})


@pytest.mark.parametrize("data_type, stored", [("fp16_fp32", "f16["), ("fp32_fp32", "f32[")])
def test_check_says_where_every_node_runs_and_why(call, data_type, stored):
    code, out, err, report = call("check", data_type=data_type)
    assert code == ExitCode.OK, err
    nodes = {n["name"]: n for n in report["nodes"]}
    assert nodes["c1/Conv2d"]["device"] == "GPU" and nodes["c1/Conv2d"]["reason"] == ""
    assert nodes["c1/Conv2d"]["macs"] == 64 * 64 * 32 * 16 * 9
    assert all(o.startswith(stored) for o in nodes["c1/Conv2d"]["outputs"])
    assert nodes["best"]["device"] == "CPU" and "has no kernel" in nodes["best"]["reason"]
    moved = {(m["tensor"], m["to"]): m["bytes"] for m in report["moves"]}
    assert moved[("x", "GPU")] == 4 * 16 * 64 * 64
    assert report["num_images"] > 0 and report["image_bytes"] > 0 and report["note"] == ""
    assert re.search(r"^ArgMax +best +CPU .*  the GPU of this build has no kernel$", out, re.M)
    assert "'x' to the GPU: 262144 bytes" in out


def test_validate(call):
    code, out, err, report = call("run", "--validate", data_type="fp32_fp32")
    assert code == ExitCode.OK, err
    assert "Similarity Test Passed" in out and report["validation"]["passed"]


def test_benchmark_has_the_times_of_its_kernels(call):
    code, out, err, report = call("benchmark", "--max_num_runs=3")
    assert code == ExitCode.OK, err
    ops = [op for op in report["ops"] if op["device"] == "GPU"]
    assert {op["name"] for op in ops} >= {"c1/Conv2d", "c2/Conv2d"}
    assert all(op["min_us"] > 0 and op["kernel"] in out for op in ops)
    # By events: the kernels alone, which run one after the other.
    assert sum(op["min_us"] for op in ops) < 1000 * report["run_with_statistics"]["max"]


def test_fp16_that_overflow_are_named_and_cured(call):
    code, _, err, _ = call("run", "--check_numerics", scale=3e3)
    assert code == ExitCode.RUN_FAILED
    assert "Conv2d 'c1/Conv2d' is the first with a bad value" in err
    assert "float32_nodes: [c1/Conv2d]" in err
    cured = "    float32_nodes: [c1/Conv2d]\n"
    code, _, err, _ = call("run", "--check_numerics", "--output_dir=half", scale=3e3, keys=cured)
    assert code == ExitCode.OK, err
    code, _, err, _ = call("run", "--output_dir=float", scale=3e3, data_type="fp32_fp32")
    assert code == ExitCode.OK, err
    half, full = (np.load(f"{folder}/features.npy") for folder in ("half", "float"))
    assert np.abs(half - full).max() < 2e-3 * np.abs(full).max()


def test_a_node_that_is_not_there(call):
    code, _, err, _ = call("run", keys="    float32_nodes: [top, c2/Conv2]\n")
    assert code == ExitCode.ERROR
    assert "two.yml:10: models.two.float32_nodes: the converted model has no node 'top'. " in err
    assert "Its nodes: 'c1/Transpose', 'c1/Conv2d', " in err


def test_both_devices(call):
    code, out, err, report = call("run", "--round=3", runtime="cpu+gpu")
    assert code == ExitCode.OK, err
    assert report["comparison"]["agree"] and report["comparison"]["gpu_kernels"] > 0
    first, best = report["comparison"]["outputs"]
    assert 0 < first["max_rel_error"] < 2e-3  # halves against floats
    assert {d: f["latency"]["runs"] for d, f in report["devices"].items()} == {"cpu": 3, "gpu": 3}
    code, _, err, report = call("check", runtime="cpu+gpu")
    assert code == ExitCode.OK, err
    assert {n["device"] for n in report["devices"]["cpu"]["nodes"]} == {"CPU"}
    assert {n["device"] for n in report["devices"]["gpu"]["nodes"]} == {"CPU", "GPU"}


def test_a_gpu_that_is_not_there(call, monkeypatch, tmp_path):
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    code, _, err, report = call("run", runtime="cpu+gpu")
    assert code == ExitCode.OK and report["comparison"]["gpu_kernels"] == 0
    assert "nothing ran on the GPU, so both runs are the CPU's" in err
