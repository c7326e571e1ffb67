"""The commands from their command line to their output, with a fake of the engine.

SPDX-License-Identifier: Apache-2.0

The model is models/digits in its three formats; the outputs are those that its source frameworks
gave (models/digits/expected.json).
"""

import functools
import hashlib
import json
import os
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from mace_tools import frameworks
from mace_tools.run import runner
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing import fake_mace_run
from mace_tools.testing.workplace import DIGITS, Workplace


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    return Workplace(tmp_path, monkeypatch, capfd)


def test_convert_writes_both_files_and_says_so(place):
    code, out, err = place.call("convert", "--json=r.json")
    assert code == ExitCode.OK, err
    assert "digits_onnx: converted" in out and "converting" in err
    assert place.pb.stat().st_size > 0 and place.data.stat().st_size > 80000
    report = json.loads((place.folder / "r.json").read_text())
    assert report["command"] == "convert" and report["exit_code"] == 0
    model = report["models"]["digits_onnx"]
    assert model["converted"] and model["num_ops"] == sum(model["ops"].values())


@pytest.mark.parametrize("what", ["nothing", "labels", "shape", "data", "pb", "stamp", "force"])
def test_convert_works_only_when_something_changed(place, what):
    assert place.call("convert")[0] == 0
    first, arguments, fresh = place.data.read_bytes(), [], "digits_onnx: converted"
    if what == "nothing":
        fresh = "up to date"
    elif what == "labels":
        place.edit("        labels: models/digits/labels.txt", "")
        fresh = "up to date"
    elif what == "shape":
        place.edit("input_shapes: 1,1,8,8", "input_shapes: [1, 1, 8, 8]\n"
                   "        input_data_formats: NCHW")
    elif what == "data":
        place.data.write_bytes(b"spoilt")
    elif what == "pb":
        place.pb.unlink()
    elif what == "stamp":
        (place.pb.parents[1] / "_tmp" / "digits_onnx.stamp.json").write_text("{")
    else:
        arguments = ["--force"]
    code, out, _ = place.call("convert", *arguments)
    assert code == 0 and fresh in out
    assert place.data.read_bytes() == first


def test_the_memory_plan_is_embedded_when_asked_for(place):
    place.edit("runtime: cpu", "runtime: cpu\n    embed_memory_plan: 1\n    num_threads: 2\n"
               "    memory_strategy: GREEDY_BY_SIZE\n    memory_savings: [views, concat]")
    code, _, err = place.call("convert", f"--mace_run={place.mace_run}")
    assert code == 0, err
    flags, _ = place.arguments()
    assert "--num_threads=2" in flags
    assert place.settings() == {"memory_strategy": "GREEDY_BY_SIZE",
                                "memory_savings": ["views", "concat"]}
    assert place.pb.read_bytes().endswith(fake_mace_run.EMBEDDED)
    place.edit("[views, concat]", "none")
    assert "converting" in place.call("convert", f"--mace_run={place.mace_run}")[2]
    assert place.settings()["memory_savings"] == []
    place.edit("num_threads: 2", "num_threads: 1")
    assert "converting" in place.call("convert", f"--mace_run={place.mace_run}")[2]
    code, _, err = place.call("convert", "--force", "--mace_run=nowhere")
    assert code == ExitCode.MISSING_TOOL and "`bazel build //tools:mace_run` makes one" in err


@pytest.mark.parametrize("key, flag, kept", [
    ("memory_limit: 67108864", "--memory_limit=67108864", {}),
    ("num_threads: 3", "--num_threads=3", {}),
    ("require: {cpu: 0.9}", "--require=cpu=0.9", {}),
    ("winograd: 0", "", {"winograd": 0}), ("float32_nodes: probabilities", "",
                                           {"float32_nodes": ["probabilities"]}),
    ("memory_savings: none", "", {"memory_savings": []}),
    ("memory_strategy: offsets/NAIVE", "", {"memory_strategy": "offsets/NAIVE"}),
])
def test_a_setting_is_in_the_model_or_a_flag(place, key, flag, kept):
    """What the model carries is not stated twice, so that apps and commands run the same."""
    place.answer(3)
    assert place.call("run")[0] == 0
    plain, _ = place.arguments()
    place.edit("runtime: cpu", f"runtime: cpu\n    {key}")
    code, _, err = place.call("run")
    assert code == 0 and ("converting digits_onnx" in err) == bool(kept), err
    own = {f for f in place.arguments()[0] if not f.startswith(("--input", "--json", "--output"))}
    assert own - set(plain) == ({flag} if flag else set()) and place.settings() == kept


def test_convert_refuses_nodes_that_are_not_there(place):
    place.edit("runtime: cpu", "runtime: cpu\n    float32_nodes: [probabilities, probabilitys]")
    code, _, err = place.call("convert")
    assert code == ExitCode.ERROR and not place.pb.exists()
    assert "digits_onnx.yml:12: models.digits_onnx.float32_nodes: the converted model has" in err
    assert "no node 'probabilitys'; did you mean 'probabilities'?" in err


def test_a_failed_conversion_leaves_nothing(place):
    place.edit("output_tensors: probabilities", "output_tensors: probability")
    code, out, err = place.call("convert")
    assert code == ExitCode.ERROR and out == ""
    assert "no tensor 'probability'; did you mean 'probabilities'?" in err
    assert not place.pb.exists() and not place.data.exists()


@pytest.mark.parametrize("how, message", [
    ("1", "the engine refuses the converted model, so nothing was written: the engine says no"),
    ("signal", "nothing was written: ends with SIGSEGV")])
def test_a_model_that_the_engine_refuses_does_not_convert(place, monkeypatch, how, message):
    monkeypatch.setenv("FAKE_FAILS", how)
    code, _, err = place.call("convert", f"--mace_run={place.mace_run}")
    assert code == ExitCode.RUN_FAILED and message in err
    assert not place.pb.exists() and not place.data.exists()


def test_converting_needs_no_engine(place, monkeypatch):
    monkeypatch.setattr(runner, "is_built", lambda tool: False)
    code, _, err = place.call("convert")
    assert code == ExitCode.OK and place.pb.is_file()
    assert "was not tried by an engine: no mace_run is built (`check` builds one)" in err


def test_a_remote_model_is_fetched_once_and_converted(place, monkeypatch):
    monkeypatch.setenv("MACE_CACHE", str(place.folder / "cache"))
    served = functools.partial(SimpleHTTPRequestHandler, directory=str(DIGITS))
    with ThreadingHTTPServer(("127.0.0.1", 0), served) as http:
        threading.Thread(target=http.serve_forever, args=[0.01], daemon=True).start()
        address = f"http://127.0.0.1:{http.server_port}/digits.onnx"
        place.edit("models/digits/digits.onnx", address)
        code, out, err = place.call("convert")
        http.shutdown()
    assert code == 0 and "converted" in out and f"downloading {address}" in err
    place.data.unlink()
    assert place.call("convert")[0] == 0  # the server is gone, the file is not


def test_a_model_for_the_gpu_is_run_there(place):
    place.edit("runtime: cpu", "runtime: gpu\n    data_type: fp32_fp32")
    place.answer(3)
    code, _, err = place.call("run", "--gpu_perf_hint=1")
    assert code == 0, err
    flags, _ = place.arguments()
    assert {"--gpu_perf_hint=1", "--gpu_priority_hint=3"} <= set(flags)
    assert "--device=GPU" in flags and place.settings() == {"gpu_data_type": "fp32_fp32"}
    kept = place.pb.parents[1] / "opencl"
    assert f"--gpu_storage_path={kept.relative_to(place.folder)}" in flags and kept.is_dir()


@pytest.mark.parametrize("runtime", ["dsp", "cpu+dsp"])
@pytest.mark.parametrize("command", ["convert", "run", "check", "benchmark"])
def test_a_model_for_the_dsp_in_floats_is_refused_with_the_cure(place, runtime, command):
    assert place.call("convert")[0] == 0  # also if it is converted already
    place.edit("runtime: cpu", f"runtime: {runtime}")
    for _ in range(2):
        code, _, err = place.call(command)
        assert code == ExitCode.ERROR
        assert f"runtime: {runtime} needs an int8 model" in " ".join(err.split())
        assert "add `quantize: {samples: FOLDER}`" in " ".join(err.split())
        place.pb.unlink(missing_ok=True)
    assert not place.pb.exists()


def test_a_damaged_converted_model_is_reported(place):
    place.answer(0)
    assert place.call("run")[0] == 0
    times = place.pb.stat()
    place.pb.write_bytes(b"\xff" * times.st_size)
    os.utime(place.pb, ns=(times.st_atime_ns, times.st_mtime_ns))
    code, _, err = place.call("run")
    assert code == ExitCode.ERROR and "is damaged; `convert --force` makes it again" in err


def test_declared_types_and_shapes_are_compared_with_the_model(place):
    place.edit("output_shapes: 1,10", "output_shapes: 1,11")
    code, _, err = place.call("convert")
    assert code == 0 and "output_shapes: this says 1,11 for 'probabilities', but the model" in err
    place.edit("output_shapes: 1,11", "output_data_types: int32")
    code, _, err = place.call("convert")
    assert code == ExitCode.ERROR and "but the model has float32; write float32" in err


def test_run_converts_first_and_passes_the_tables_through(place):
    place.answer(3)
    code, out, err = place.call("run", "--round=4", "--restart_round=2", "--json=r.json",
                                "--num_threads=3", "--vlog_level=2", "--cpu_affinity_policy=2",
                                "--output_dir=kept")
    assert code == 0, err
    assert "converting digits_onnx (not converted yet)" in err
    assert out.count("Average latency: 2.000 ms") == 2
    flags, vlog = place.arguments()
    assert {"--round=4", "--num_threads=3", "--cpu_affinity_policy=2"} <= set(flags)
    assert vlog == "2" and not any(f.startswith("--gpu") for f in flags)
    assert f"--model_file={place.pb.relative_to(place.folder)}" in flags
    latency = json.loads((place.folder / "r.json").read_text())["models"]["digits_onnx"]["latency"]
    assert latency["runs"] == 8 and latency["avg_ms"] == 2.0
    kept = np.load(place.folder / "kept" / "probabilities.npy")
    assert kept.argmax() == 3
    assert "converting" not in place.call("run")[2]


def test_run_feeds_a_picture_and_names_it(place):
    place.answer(7)
    code, out, err = place.call("run", "--input=models/digits/images/7.png", "--json=r.json")
    assert code == 0, err
    assert "Top 5 of probabilities\n  1  7  0.999977" in out
    fed = np.load(place.fake / "inputs" / "input.npy")
    assert fed.shape == (1, 1, 8, 8) and 0.9 < fed.max() <= 1
    top = json.loads((place.folder / "r.json").read_text())["models"]["digits_onnx"]["top"]
    assert top["probabilities"][0][0] == {
        "label": "7", "index": 7, "score": pytest.approx(0.999977, abs=1e-6)}


def test_run_without_input_is_seeded(place):
    place.answer(0)
    fed = []
    for seed in (1, 1, 2):
        assert place.call("run", f"--seed={seed}")[0] == 0
        fed.append(np.load(place.fake / "inputs" / "input.npy"))
    assert np.array_equal(fed[0], fed[1]) and not np.array_equal(fed[0], fed[2])
    assert fed[0].min() >= 0 and fed[0].max() <= 1  # input_ranges: 0,1


def test_dump_prints_what_the_engine_says(place):
    code, out, _ = place.call("run", "--dump=plan")
    assert code == 0 and out == "the plan\n"


def test_check_needs_a_plan_from_the_engine(place):
    code, out, err = place.call("check")
    assert code == ExitCode.RUN_FAILED and "printed no plan" in err and not out


@pytest.mark.parametrize("platform", [  # caffe: caffe_test.py
    "onnx", pytest.param("tensorflow", marks=pytest.mark.full), "tflite"])
def test_validate_compares_with_the_source_framework(place, platform):
    name = {"tensorflow": "tf"}.get(platform, platform)
    place.config = place.config.with_name(f"digits_{name}.yml")
    picture = "--input=models/digits/images/4.png"
    place.answer(4)
    code, out, err = place.call("run", "--validate", picture, "--json=r.json")
    assert code == 0, err
    assert f"probabilities MACE VS {platform.upper()} similarity: 1.000000" in out
    assert "* Similarity Test Passed *" in out
    report = json.loads((place.folder / "r.json").read_text())["models"][f"digits_{name}"]
    assert report["validation"]["passed"]
    assert report["validation"]["outputs"][0]["max_abs_error"] < 1e-5
    place.answer(4, scale=1.01)  # the same direction, another scale
    code, out, err = place.call("run", "--validate", picture, "--json=r.json")
    assert code == ExitCode.VALIDATION_FAILED
    assert "similarity: 1.000000" in out and "* Similarity Test Failed *" in out
    assert json.loads((place.folder / "r.json").read_text())["exit_code"] == code


def test_an_onnx_model_may_be_asked_for_nhwc(place):
    place.edit("input_shapes: 1,1,8,8", "input_shapes: 1,8,8,1\n        input_data_formats: NHWC")
    place.answer(4)
    code, out, err = place.call("run", "--validate", "--input=models/digits/images/4.png")
    assert code == 0, err
    assert "Similarity Test Passed" in out and "Top 5 of probabilities\n  1  4" in out
    assert np.load(place.fake / "inputs" / "input.npy").shape == (1, 8, 8, 1)
    net = protos.mace().NetDef.FromString(place.pb.read_bytes())
    assert list(net.input_info[0].dims) == [1, 8, 8, 1]


def test_nan_in_an_output_is_noted(place):
    place.answer(0, scale=np.nan)
    code, _, err = place.call("run")
    assert code == 0 and "output 'probabilities' has 10 NaN or infinite elements of 10" in err


def test_validate_uses_the_given_inputs(place):
    np.save(place.folder / "given.npy", np.full((1, 1, 8, 8), 0.25, np.float32))
    place.edit("        labels:", "        validation_inputs_data: given.npy\n        labels:")
    place.answer(0)
    assert place.call("run", "--validate")[0] == ExitCode.VALIDATION_FAILED
    assert (np.load(place.fake / "inputs" / "input.npy") == 0.25).all()


def test_a_missing_framework_is_reported_before_any_work(place, monkeypatch):
    monkeypatch.setitem(frameworks.FRAMEWORKS, "onnx", ("ONNX Runtime", "no_such", "onnxruntime"))
    code, _, err = place.call("run", "--validate")
    assert code == ExitCode.MISSING_TOOL
    assert "ONNX Runtime, which is not installed: run `tools/setup.sh --for validate`" in err
    assert "-m pip install 'onnxruntime>=" in err and not place.pb.exists()


def test_benchmark_passes_tables_through_and_writes_a_trace(place):
    code, out, err = place.call("benchmark", "--trace=t.json", "--max_num_runs=5",
                                "--max_time=0.5", "--warmup_runs=2", "--json=r.json")
    assert code == 0, err
    assert "Sort by Run Order" in out and (place.folder / "t.json").exists()
    assert {"--benchmark", "--max_num_runs=5", "--max_time=0.5", "--warmup=2"} <= set(
        place.arguments()[0])
    assert json.loads((place.folder / "r.json").read_text())["models"]["digits_onnx"]["init_ms"]


def test_a_failing_engine_is_reported(place, monkeypatch):
    assert place.call("convert")[0] == ExitCode.OK
    monkeypatch.setenv("FAKE_FAILS", "1")
    code, _, err = place.call("run", "--json=r.json")
    assert code == ExitCode.RUN_FAILED
    assert "ERROR: the engine says no" in err and "failed with status 1" in err
    assert not (place.folder / "r.json").exists()
    monkeypatch.setenv("FAKE_FAILS", "signal")
    code, _, err = place.call("benchmark")
    assert code == ExitCode.RUN_FAILED and "ended by SIGSEGV" in err


# The arguments, the exit status, and the message.
WRONG = [
    (["run", "--input=none.npy"], ExitCode.ERROR, "input 'input': there is no file 'none"),
    (["run", "--input=imput=x.npy"], ExitCode.ERROR, "did you mean 'input'?"),
    (["run", "--input=models/digits/labels.txt"], ExitCode.ERROR, "neither a .npy file nor a"),
    (["run", "--omp_num_threads=0"], ExitCode.USAGE, "'0' is not -1 (as many as"),
    (["run", "--omp_num_threads=1025"], ExitCode.USAGE, "or a number from 1 to 1024"),
    (["run", "--omp_num_threads=1024", "--round=0"], ExitCode.USAGE, "a whole number from 1"),
    (["run", "--round=0"], ExitCode.USAGE, "'0' is not a whole number from 1"),
    (["run", "--round=many"], ExitCode.USAGE, "'many' is not a whole number"),
    (["run", "--cpu_affinity_policy=7"], ExitCode.USAGE, "invalid choice: 7"),
    (["run", "--mace_run=none"], ExitCode.MISSING_TOOL, "--mace_run=none is not a program"),
    (["run", "--output_dir=/proc/x"], ExitCode.ERROR,
     "--output_dir=/proc/x: No such file or directory; the folder /proc takes no new files"),
    (["run", "--output_dir=models/digits/labels.txt"], ExitCode.ERROR, "is a file, so nothing can"),
    (["run", "--json=no/where.json"], ExitCode.ERROR, "the folder no does not exist"),
    (["run", "--frobnicate"], ExitCode.USAGE, "there is no option '--frobnicate'"),
    (["run", "--input=/nope/x.npy"], ExitCode.ERROR,
     "there is no file '/nope/x.npy': there is no folder /nope"),
    (["run", "--input=models/digits/images/33.png"], ExitCode.ERROR, "; did you mean '3.png'?"),
    (["run", "--target_abis=hots"], ExitCode.USAGE, "--target_abis: 'hots' is not one of host"),
    (["benchmark", "--max_time=-1"], ExitCode.USAGE, "'-1' is not a time in seconds above 0"),
    (["benchmark", "--trace=no/where.json"], ExitCode.ERROR, "--trace=no/where.json: the folder"),
    (["convert", "--config=none.yml"], ExitCode.ERROR, "none.yml: the deployment file does not"),
    (["convert", "--output=models/digits/digits.pb"], ExitCode.ERROR,
     "models/digits/digits.pb is a file, so nothing can lie below it"),
    (["convert", "--output=/proc/x"], ExitCode.ERROR,
     "the folder /proc takes no new files: choose another folder"),
]  # fmt: skip


@pytest.mark.parametrize("arguments, code, message", WRONG, ids=lambda x: str(x)[:40])
def test_wrong_use_is_reported(place, arguments, code, message):
    found, out, err = place.call(*arguments)
    assert found == code and message in err and "Traceback" not in err and out == ""


@pytest.mark.parametrize("damage, code", [
    (lambda b: b[: len(b) // 2], ExitCode.BAD_MODEL), (lambda b: b"hello", ExitCode.BAD_MODEL),
    (lambda b: bytes(1000), ExitCode.BAD_MODEL),
    (lambda b: b[:5000] + bytes(x ^ 0x55 for x in b[5000:5100]) + b[5100:], None),
])
def test_damaged_source_models_are_reported(place, damage, code):
    model = place.folder / "models" / "digits" / "digits.onnx"
    sha = hashlib.sha256(model.read_bytes()).hexdigest()
    model.write_bytes(damage(model.read_bytes()))
    found, _, err = place.call("convert")
    assert found == ExitCode.ERROR and "another checksum" in err
    place.edit(sha, hashlib.sha256(model.read_bytes()).hexdigest())
    found, _, err = place.call("convert")
    assert "Traceback" not in err and "internal error" not in err
    if code is not None:  # flipped bits in weights cannot be told from weights
        assert found == code and not place.pb.exists() and not place.data.exists()
