"""From a deployment file to answers on the DSP's emulator, by every command that runs models.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
import shutil

import numpy as np
import pytest
from golden import mace_run

from mace_tools import cli
from mace_tools.support.protos import REPO

DIGITS = REPO / "models" / "digits"


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """Runs a command on the digits, quantized, in a folder of its own."""
    shutil.copytree(DIGITS, tmp_path / "models" / "digits")
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "models" / "digits" / "digits_onnx.yml"
    config.write_text(config.read_text().replace(
        "runtime: cpu", "runtime: cpu+dsp\n    dsp_takes_all: 1\n"
        "    quantize: {samples: models/digits/images}"))

    def run(command, *arguments):
        code = cli.main([command, f"--config={config}", f"--mace_run={mace_run()}", *arguments])
        out, err = capfd.readouterr()
        return code, out, " ".join(err.split())

    run.folder, run.config = tmp_path, config
    return run


def report(call):
    return json.loads((call.folder / "r.json").read_text())["models"]["digits_onnx"]


PICTURE = "--input=models/digits/images/3.png"


def test_a_float_model_and_quantize_give_the_answer(call):
    code, out, err = call("run", PICTURE, "--json=r.json", "--output_dir=kept", "--round=2")
    assert code == 0, err
    found = report(call)
    assert found["comparison"]["agree"] and found["comparison"]["dsp_kernels"] > 5
    assert found["comparison"]["max_rel_error"] == 0
    assert "DSP against CPU" in out and "an emulator" in err
    assert [found["devices"][d]["top"]["probabilities"][0][0]["label"] for d in ("cpu", "dsp")] == (
        ["3", "3"]), found
    cpu, dsp = (np.load(call.folder / "kept" / d / "probabilities.npy") for d in ("cpu", "dsp"))
    np.testing.assert_array_equal(cpu, dsp)


def test_it_is_validated(call):
    pytest.importorskip("onnxruntime")
    code, out, err = call("run", "--device=dsp", "--validate", PICTURE)
    assert code == 0 and out.count("Similarity Test Passed") == 1, err


def test_check_says_what_runs_where(call):
    code, out, err = call("check", "--device=dsp", "--json=r.json", "--html=c.html", "--wide")
    assert code == 0, err
    nodes = report(call)["nodes"]
    assert len(nodes) > 5 and {n["device"] for n in nodes} == {"DSP"}  # from floats to floats
    assert re.search(r"^DSP: \d+ of \d+ nodes, .* million multiply-adds", out, re.MULTILINE), out
    assert "in a region" in (call.folder / "c.html").read_text()


def test_plan_and_benchmark_show_packets(call):
    code, out, err = call("run", "--device=dsp", "--dump=plan", "--wide")
    assert code == 0, err
    assert re.search(r"    Conv2d '.*': \d+ packets, \d+ multiply-adds", out), out
    code, out, err = call("benchmark", "--device=dsp", "--max_num_runs=2", "--wide",
                          "--json=r.json")
    assert code == 0, err
    assert re.search(r"Conv2d .* \d+ packets", out), out
    ops = report(call)["ops"]
    assert {"DSP"} == {op["device"] for op in ops}
    assert all("packets" in op["kernel"] for op in ops if op["device"] == "DSP")


def test_by_cost_a_small_model_stays_on_the_cpu_with_a_message(call):
    call.config.write_text(call.config.read_text().replace("    dsp_takes_all: 1\n", ""))
    code, out, err = call("run", PICTURE)
    assert code == 0 and "nothing ran on the DSP, so both runs are the CPU's" in err, err
    code, out, err = call("check", "--device=dsp", "--wide")
    assert code == 0 and "moving its tensors would cost more than it gains" in out, err


def test_settings_reach_the_engine(call):
    text = call.config.read_text()
    call.config.write_text(text.replace("runtime: cpu+dsp", "runtime: dsp\n    dsp_corner: 3\n"
                                        "    nnlib_graph_mode: 1"))
    code, out, err = call("run", "--dump=plan")
    assert code == 0 and "no effect in the DSP's emulator: dsp_corner, nnlib_graph_mode" in out, err
