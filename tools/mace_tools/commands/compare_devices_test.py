"""Models with runtime: cpu+gpu: both devices one after the other, compared; or one by --device.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np
import pytest

from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.workplace import Workplace


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    workplace = Workplace(tmp_path, monkeypatch, capfd)
    workplace.edit("runtime: cpu", "runtime: cpu+gpu")
    workplace.answer(3)
    return workplace


def report(place):
    return json.loads((place.folder / "r.json").read_text())["models"]["digits_onnx"]


def gpu_answer(place, change):
    (place.fake / "GPU").mkdir(exist_ok=True)
    output = np.load(place.fake / "probabilities.npy")
    np.save(place.fake / "GPU" / "probabilities.npy", change(output))



def test_both_run_and_are_compared(place):
    gpu_answer(place, lambda x: x * np.float32(1.001))
    code, out, err = place.call("run", "--round=4", "--json=r.json", "--output_dir=kept")
    assert code == 0, err
    cpu, gpu = place.calls()
    assert not any(f.startswith(("--device", "--gpu_data_type")) for f in cpu)
    assert "--device=GPU" in gpu and place.settings() == {"gpu_data_type": "fp16_fp32"}
    same = [f for f in cpu if f.startswith(("--model", "--input=", "--round", "--cpu_affinity"))]
    assert set(same) <= set(gpu) and len(same) == 5
    assert "* Run model digits_onnx on host, CPU *" in err
    assert "* Run model digits_onnx on host, GPU *" in err
    rows = [line.split() for line in out.splitlines()]
    assert ["digits_onnx", "CPU", "(ms)", "GPU", "(ms)"] in rows
    assert ["average", "2.000", "2.000"] in rows and ["init", "1.000", "1.000"] in rows
    (row,) = [r for r in rows if r[:1] == ["probabilities"]]
    assert row[1] == "1.000000" and float(row[3]) == pytest.approx(1e-3, rel=0.01)
    found = report(place)
    assert found["runtime"] == "cpu+gpu" and set(found["devices"]) == {"cpu", "gpu"}
    assert found["devices"]["gpu"]["latency"]["runs"] == 4
    assert found["comparison"]["agree"] and found["comparison"]["gpu_kernels"] == 3
    assert found["comparison"]["outputs"][0]["max_rel_error"] == pytest.approx(1e-3, rel=0.01)
    for device in ("cpu", "gpu"):
        kept = place.folder / "kept" / device / "probabilities.npy"
        assert kept.is_file() and str(kept.relative_to(place.folder)) in (
            found["devices"][device]["output_files"].values())


@pytest.mark.parametrize("change, message", [
    (lambda x: np.roll(x, 1), "the GPU's 'probabilities' differs from the CPU's: similarity 0."),
    (lambda x: x * np.float32(1.2), "relative error 0.2 (at most 0.05 is)"),
    (lambda x: x * np.float32(np.nan), "MACE has 10 NaN or infinite elements of 10"),
])
def test_devices_that_differ_are_named(place, change, message):
    gpu_answer(place, change)
    code, _, err = place.call("run", "--json=r.json")
    assert code == 0 and message in err and not report(place)["comparison"]["agree"]


def test_a_gpu_that_did_nothing_is_reported(place, monkeypatch):
    monkeypatch.setenv("FAKE_KERNELS", "0")
    code, _, err = place.call("run")
    assert code == 0 and "nothing ran on the GPU, so both runs are the CPU's" in err


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize("command", ["run", "benchmark"])
def test_one_is_picked(place, command, device):
    code, out, err = place.call(command, f"--device={device}", "--json=r.json")
    assert code == 0 and "GPU against CPU" not in out and ", CPU *" not in err
    (call,) = place.calls()
    assert ("--device=GPU" in call) == (device == "gpu")
    assert report(place)["device"] == device and "devices" not in report(place)


def test_benchmark_times_both(place):
    code, _, err = place.call("benchmark", "--trace=t.json", "--json=r.json")
    assert code == 0, err
    assert ["--device=GPU" in c for c in place.calls()] == [False, True]
    assert (place.folder / "t_cpu.json").is_file() and (place.folder / "t_gpu.json").is_file()
    assert report(place)["devices"]["gpu"]["init_ms"] == 1.0


def test_dump_prints_both(place):
    code, out, err = place.call("run", "--dump=plan")
    assert code == 0 and out == "the plan\nthe plan\n"
    assert err.index("digits_onnx on the CPU:") < err.index("digits_onnx on the GPU:")


@pytest.mark.full
def test_both_are_validated(place):
    pytest.importorskip("onnxruntime")
    picture = "--input=models/digits/images/3.png"
    gpu_answer(place, lambda x: x * np.float32(1.01))  # fp16 values may be so far off, floats not
    code, out, err = place.call("run", "--validate", picture, "--json=r.json")
    assert code == 0 and out.count("Similarity Test Passed") == 2, err
    assert err.count("running digits.onnx in ONNX Runtime") == 1
    runs = report(place)["devices"]
    assert runs["cpu"]["validation"]["max_rel_error"] == 1e-3
    assert runs["gpu"]["validation"]["max_rel_error"] == 5e-2
    gpu_answer(place, lambda x: x * np.float32(1.2))
    code, out, _ = place.call("run", "--validate", picture)
    assert code == ExitCode.VALIDATION_FAILED
    assert out.count("Similarity Test Passed") == out.count("Similarity Test Failed") == 1


@pytest.mark.parametrize("data_type, images", [("fp32", "fp32_fp32"), ("fp32_fp32", "fp32_fp32"),
                                               ("fp16_fp32", "fp16_fp32")])
def test_the_type_of_images(place, data_type, images):
    place.edit("runtime: cpu+gpu", f"runtime: cpu+gpu\n    data_type: {data_type}")
    assert place.call("run", "--device=gpu")[0] == 0
    assert place.settings() == {"gpu_data_type": images}


def test_both_are_tuned(place):
    place.edit("target_abis:", "target_socs: [host]\ntarget_abis:")
    code, out, err = place.call("convert", f"--mace_run={place.mace_run}", "--json=r.json")
    assert code == 0, err
    assert sorted("--device=GPU" in c for c in place.calls()) == [False, True]
    assert all("--dump=tuning" in c for c in place.calls())
    assert report(place)["tuning_file"] in out and report(place)["opencl_files"]["tuned"] in out


@pytest.mark.parametrize("runtime, device", [("cpu", "gpu"), ("gpu", "cpu")])
def test_a_device_that_the_model_is_not_for(place, runtime, device):
    place.edit("runtime: cpu+gpu", f"runtime: {runtime}")
    code, out, err = place.call("run", f"--device={device}")
    assert code == ExitCode.USAGE and out == "" and not place.pb.exists()
    assert f"digits_onnx.yml:11: model 'digits_onnx' has runtime: {runtime}; write runtime: " in err
    code, _, err = place.call("run", "--device=dsp")
    assert code == ExitCode.USAGE and "write runtime: cpu+dsp to run it on either" in err


def test_one_of_several_models_has_not_the_device(place):
    text = place.config.read_text()
    second = text[text.index("  digits_onnx:") :].replace("digits_onnx:", "second:", 1)
    place.config.write_text(text + second.replace("cpu+gpu", "cpu"))
    code, _, err = place.call("run", "--device=gpu")
    assert code == ExitCode.USAGE and "model 'second' has runtime: cpu;" in err
    assert "--model_name=digits_onnx runs one of them" in err
    code, _, err = place.call("run", "--device=gpu", "--model_name=digits_onnx")
    assert code == 0, err
