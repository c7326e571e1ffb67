"""mace_run --config: what it computes is what converter.py run computes.

SPDX-License-Identifier: Apache-2.0

The program is built when it is not up to date.
"""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

pytestmark = pytest.mark.skipif(shutil.which("bazel") is None, reason="bazel is not installed")
DIGITS = REPO / "models" / "digits"
OUTPUT = "probabilities.npy"


def model_of(fmt):
    """The lines of a model of the digits' own deployment files."""
    text = (DIGITS / f"digits_{fmt}.yml").read_text()
    return text.partition("models:\n")[2]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with two converted models of one deployment file, and an input of each."""
    folder = tmp_path_factory.mktemp("deployed")
    shutil.copytree(DIGITS, folder / "models" / "digits")
    tflite = model_of("tflite").replace("runtime: cpu", "runtime: cpu\n    num_threads: 1")
    (folder / "two.yml").write_text("library_name: two\ntarget_abis: [host]\nmodels:\n"
                                    + model_of("onnx") + tflite)
    here = os.getcwd()
    os.chdir(folder)
    try:
        assert cli.main(["convert", "--config=two.yml"]) == 0
    finally:
        os.chdir(here)
    picture = np.random.default_rng(1).random((1, 1, 8, 8), np.float32)
    np.save(folder / "onnx.npy", picture)
    np.save(folder / "tflite.npy", picture.transpose(0, 2, 3, 1))
    return folder


@pytest.fixture(scope="module")
def mace_run():
    return runner.find(Console(), None)


@pytest.fixture
def call(place, mace_run):
    """Runs it in an empty environment; the exit status, stdout and stderr."""

    def run(*flags, folder=place):
        done = subprocess.run([mace_run, *flags], capture_output=True, text=True, check=False,
                              cwd=folder, env={"PATH": "/nowhere"}, timeout=120)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.parametrize("fmt", ["onnx", "tflite"])
def test_outputs_are_those_of_the_converters_run(call, place, monkeypatch, tmp_path, fmt):
    monkeypatch.chdir(place)
    tag, source = f"digits_{fmt}", place / f"{fmt}.npy"
    assert cli.main(["run", "--config=two.yml", f"--model_name={tag}", f"--input={source}",
                     f"--output_dir={tmp_path / 'converter'}"]) == 0
    code, out, err = call("--config=two.yml", f"--model_name={tag}", f"--input=input={source}",
                          f"--output_dir={tmp_path / 'mace_run'}")
    assert code == 0, err
    assert "Average latency: " in out and tag not in out
    ours, theirs = (np.load(tmp_path / of / OUTPUT) for of in ("mace_run", "converter"))
    np.testing.assert_array_equal(ours, theirs)
    assert ours.sum() == pytest.approx(1, abs=1e-5)


def test_all_models_run_with_a_heading_each(call, tmp_path):
    report = tmp_path / "report.json"
    code, out, err = call("--config=two.yml", "--round=2", f"--json={report}",
                          f"--output_dir={tmp_path}")
    assert code == 0, err
    lines = out.splitlines()
    assert [line for line in lines if line.startswith("digits_")] == [
        "digits_onnx on the CPU", "digits_tflite on the CPU"]
    models = json.loads(report.read_text())["models"]
    for tag in ("digits_onnx", "digits_tflite"):
        assert len(models[tag]["run_ms"]) == 2 and models[tag]["error"] == ""
        assert models[tag]["device"] == "cpu"
        assert np.load(tmp_path / tag / OUTPUT).shape == (1, 10)


def test_a_benchmark_and_a_dump_are_of_each_model(call, tmp_path):
    report = tmp_path / "report.json"
    code, out, _ = call("--config=two.yml", "--benchmark", "--max_num_runs=2", f"--json={report}")
    assert code == 0 and out.count("Summary of Ops' Stat") == 2
    assert all(m["ops"] for m in json.loads(report.read_text())["models"].values())
    code, out, _ = call("--config=two.yml", "--dump=graph")
    assert code == 0 and out.count("digits_tflite on the CPU") == 1 and out.count("Softmax") >= 2


def test_settings_of_the_file_reach_the_engine_and_flags_go_before_them(call, place, tmp_path):
    report = tmp_path / "report.json"
    strategy = place / "strategy.yml"
    strategy.write_text((place / "two.yml").read_text().replace(
        "runtime: cpu\n", "runtime: cpu\n    memory_strategy: EQUALITY\n"))

    def used(*flags):
        code, _, err = call(f"--config={strategy}", "--model_name=digits_onnx", "--dump=memory",
                            f"--json={report}", *flags)
        assert code == 0, err
        return json.loads(report.read_text())["models"]["digits_onnx"]["strategy"]

    assert used() == "objects/EQUALITY"
    assert used("--memory_strategy=offsets/NAIVE") == "offsets/NAIVE"
    strategy.write_text(strategy.read_text().replace("EQUALITY\n",
                                                     "AUTO\n    memory_limit: 1000\n"))
    code, out, err = call(f"--config={strategy}", "--model_name=digits_onnx")
    assert code == 1 and "1000" in err and not out


def test_random_inputs_are_within_input_ranges(call, place, tmp_path):
    text = (place / "two.yml").read_text()
    (place / "range.yml").write_text(text.replace("input_ranges: 0,1", "input_ranges: 3,3"))
    outputs = []
    for k, flags in enumerate((["--config=range.yml"],
                               ["--config=two.yml", "--input_range=3,3"],
                               ["--config=two.yml"])):
        folder = tmp_path / str(k)
        code, _, err = call(*flags, "--model_name=digits_onnx", f"--output_dir={folder}")
        assert code == 0, err
        outputs.append(np.load(folder / OUTPUT))
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert not np.array_equal(outputs[0], outputs[2])


def test_models_are_found_beside_the_file_and_in_a_folder(call, place, tmp_path):
    assert call(f"--config={place / 'two.yml'}", folder=tmp_path)[0] == 0
    shutil.copytree(place / "build" / "two" / "model", tmp_path / "pushed")
    shutil.copy(place / "two.yml", tmp_path)
    assert call("--config=two.yml", "--model_dir=pushed", folder=tmp_path)[0] == 0
    code, out, err = call("--config=two.yml", folder=tmp_path)
    assert code == 1 and not out
    assert err.startswith("ERROR: model 'digits_onnx' is not converted: there is no build/two/")
    assert "`tools/converter.py convert --config=two.yml` makes it" in err


def test_a_model_that_fails_does_not_stop_the_others(call, place, tmp_path):
    models, report = tmp_path / "models", tmp_path / "report.json"
    shutil.copytree(place / "build" / "two" / "model", models)
    (models / "digits_onnx.data").write_bytes(b"")
    code, out, err = call("--config=two.yml", f"--model_dir={models}", f"--json={report}")
    assert code == 1 and "bytes of weights" in err and out.count("Average latency") == 1
    found = json.loads(report.read_text())["models"]
    assert found["digits_onnx"]["error"] and found["digits_tflite"]["error"] == ""


@pytest.mark.parametrize("flags, status, message", [
    (["--model_name=digits"], 2, "--model_name: two.yml has no model 'digits'"),
    (["--input=input=onnx.npy"], 2, "--input is of one model, and two.yml has 2"),
    (["--trace=t.json"], 2, "--trace is of one model on one device"),
    (["--model_file=x.pb"], 2, "--model_file: --config=two.yml names the models"),
    (["--batch=x.json"], 2, "--batch: --config=two.yml names the models"),
    (["--model_dir=/nowhere"], 2, "--model_dir"),
    (["--device=TPU"], 2, "--device"),
])
def test_a_wrong_flag_is_reported(call, flags, status, message):
    code, out, err = call("--config=two.yml", *flags)
    assert (code, out) == (status, "") and err.startswith("ERROR: ") and message in err


def test_flags_of_a_deployment_file_need_one(call):
    for flag in ("--model_name=a", "--model_dir=."):
        code, out, err = call(flag)
        assert (code, out) == (2, "") and "name that with --config=X.yml" in err


@pytest.mark.parametrize("text, message", [
    ("", "x.yml:1: the file is empty"),
    ("[1, 2", "x.yml:1: this is not valid YAML: "),
    ("library_name: l\nmodel: {}\n", "x.yml:2: model: unknown key; did you mean 'models'?"),
])
def test_a_wrong_file_is_reported_with_its_line(call, tmp_path, text, message):
    (tmp_path / "x.yml").write_text(text)
    code, out, err = call("--config=x.yml", folder=tmp_path)
    assert (code, out) == (1, "") and err.startswith("ERROR: x.yml") and message in err


def test_a_runtime_that_cannot_be(call, place, tmp_path):
    message = "two.yml:8: models.digits_onnx.runtime: 'npu' is not one of cpu, gpu, dsp, cpu+gpu"
    lines = (place / "two.yml").read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if "runtime: cpu" in line)
    lines[at] = "    runtime: npu"
    (tmp_path / "two.yml").write_text("\n".join(lines))
    code, out, err = call("--config=two.yml", f"--model_dir={place / 'build' / 'two' / 'model'}",
                          folder=tmp_path)
    assert (code, out) == (1, "") and message.replace(":8:", f":{at + 1}:") in err
