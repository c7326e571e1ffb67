"""The bundled model from its source file to its answer, with the real engine.

SPDX-License-Identifier: Apache-2.0

mace_run is built by these tests when it is not up to date, as the commands do.
"""

import json
import subprocess
from pathlib import Path

import pytest

from mace_tools import cli
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

FORMATS = {"tf": "tensorflow", "onnx": "onnx", "tflite": "tflite"}
EXPECTED = json.loads((REPO / "models" / "digits" / "expected.json").read_text())


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """Runs a command on the digits of a format; returns stdout and the report of --json."""
    monkeypatch.chdir(REPO)

    def run(command, fmt, *more, config=""):
        config = config or f"models/digits/digits_{fmt}.yml"
        report = tmp_path / "report.json"
        code = cli.main([command, f"--config={config}", f"--output={tmp_path / 'build'}",
                         f"--json={report}", *more])
        out, err = capfd.readouterr()
        assert code == 0, err
        return out, json.loads(report.read_text())["models"][f"digits_{fmt}"]

    return run


@pytest.mark.parametrize("fmt", FORMATS)
def test_every_digit_is_named_with_the_probability_of_the_source(call, fmt):
    for digit in range(10):
        out, report = call("run", fmt, f"--input=models/digits/images/{digit}.png")
        (((best, *_),),) = report["top"].values()
        assert best["label"] == str(digit)
        assert best["score"] == pytest.approx(EXPECTED[fmt][digit][digit], abs=1e-5)
    assert "Average latency: " in out and "            init      warmup     run_avg" in out


@pytest.mark.parametrize("fmt", [
    pytest.param(fmt, marks=pytest.mark.full) if fmt == "tf" else fmt for fmt in FORMATS])
def test_outputs_agree_with_the_source_framework(call, fmt):
    out, report = call("run", fmt, "--validate", "--round=3", "--num_threads=1")
    assert "Similarity Test Passed" in out
    assert report["validation"]["outputs"][0]["max_abs_error"] < 1e-5
    assert report["latency"]["runs"] == 3


def test_benchmark_prints_the_tables_and_writes_a_trace(call, tmp_path):
    trace = tmp_path / "trace.json"
    out, report = call("benchmark", "tflite", "--max_num_runs=3", f"--trace={trace}")
    for title in ("Warm Up", "Run without statistics", "Run with statistics", "Sort by Run Order",
                  "Sort by Computation Time", "Stat by node type", "Summary of Ops' Stat"):
        assert title in out
    assert f"{len(report['ops'])} ops total." in out
    conv = next(op for op in report["ops"] if op["type"] == "Conv2d")
    assert conv["macs"] > 0 and conv["gflops"] > 0
    names = [e["name"] for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
    assert names.count("create engine") == 1 and names.count("run") == 2
    for op in report["ops"]:  # in the warm-up and in the run
        assert names.count(f"{op['type']} {op['name']}") == 2


def test_run_writes_a_trace(call, tmp_path):
    trace = tmp_path / "trace.json"
    call("run", "tflite", f"--trace={trace}")
    names = [e["name"] for e in json.loads(trace.read_text())["traceEvents"]]
    assert names.count("run") == 2


@pytest.mark.parametrize("stage, message", [("graph", "Softmax"), ("plan", "Softmax"),
                                            ("memory", "bytes")])
def test_dump_prints_a_stage(call, stage, message):
    out, _ = call("run", "onnx", f"--dump={stage}")
    assert message in out


def test_check_says_where_every_node_runs(call):
    out, report = call("check", "onnx", "--wide")
    nodes = report["nodes"]
    assert {n["device"] for n in nodes} == {"CPU"} and report["moves"] == []
    assert any(n["op"] == "Conv2d" and n["macs"] > 0 for n in nodes)
    assert f"CPU: {len(nodes)} of {len(nodes)} nodes" in out
    rows = [line.split("  ") for line in out.splitlines()]
    steps = [n for n in nodes if not n["part_of"]]
    assert all(any(row[0].strip() == n["op"] and n["name"] in map(str.strip, row) for row in rows)
               for n in steps)
    assert len(steps) < len(nodes)


@pytest.mark.parametrize("command", ["check", "benchmark", "plan"])
def test_tables_fit(call, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    more = ["--max_num_runs=2"] if command == "benchmark" else []
    out, _ = call(command, "onnx", *more)
    assert max(map(len, out.splitlines())) <= 80
    wide, _ = call(command, "onnx", "--wide", *more)
    assert max(map(len, wide.splitlines())) > 80 or command == "plan"


@pytest.mark.parametrize("data_type, error", [("fp16_fp32", 5e-4), ("bf16_fp32", 5e-3)])
def test_weights_stored_as_fp16_take_half_the_space(call, tmp_path, data_type, error):
    _, floats = call("convert", "onnx")
    text = Path("models/digits/digits_onnx.yml").read_text()
    text = text.replace("models/digits/", f"{REPO}/models/digits/")
    config = tmp_path / "halves.yml"
    config.write_text(text.replace("runtime: cpu", f"runtime: cpu\n    data_type: {data_type}"))
    _, halves = call("convert", "onnx", config=config)
    assert halves["weights_bytes"] < 0.55 * floats["weights_bytes"]
    for digit in range(10):
        _, report = call("run", "onnx", f"--input=models/digits/images/{digit}.png", config=config)
        (((best, *_),),) = report["top"].values()
        assert best["score"] == pytest.approx(EXPECTED["onnx"][digit][digit], abs=error)


@pytest.mark.parametrize("isa", ["host", "scalar"])
def test_packed_weights_are_used_or_packed_again(call, tmp_path, isa):
    """The latter by an engine that has better kernels than those they are for."""
    _, plain = call("convert", "tflite")
    text = Path("models/digits/digits_tflite.yml").read_text()
    text = text.replace("models/digits/", f"{REPO}/models/digits/")
    config = tmp_path / "packed.yml"
    config.write_text(text.replace("runtime: cpu", f"runtime: cpu\n    packed_weights: {isa}"))
    _, packed = call("convert", "tflite", config=config)
    assert packed["weights_bytes"] > 1.5 * plain["weights_bytes"]
    for digit in range(10):
        _, report = call("run", "tflite", f"--input=models/digits/images/{digit}.png",
                         config=config)
        (((best, *_),),) = report["top"].values()
        assert best["score"] == pytest.approx(EXPECTED["tflite"][digit][digit], abs=1e-5)
    data = Path(packed["weights"])
    damaged = bytearray(data.read_bytes())
    damaged[0] ^= 1
    data.write_bytes(damaged)
    binary = runner.find(Console(), None)
    done = subprocess.run([binary, f"--model_file={packed['graph']}", f"--model_data_file={data}"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "weights file is damaged" in done.stderr
