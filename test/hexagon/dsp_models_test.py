"""Quantized models on the DSP's emulator: those of LiteRT's reference kernels, and of the CPU.

SPDX-License-Identifier: Apache-2.0

The suite `dsp` of tools/test.sh runs this, because it needs the compiler for the DSP.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
from golden import Run, import_model, mace_run, run_all
from quantized_models_test import CASES, check_every_value

from mace_tools.commands import dsp
from mace_tools.convert.emit import write_model
from mace_tools.run import runner
from mace_tools.support.console import Console


@pytest.fixture(scope="session")
def on_the_dsp() -> list[str]:
    """The flags of mace_run."""
    program = dsp.program(Console(), None)
    return runner.flags({"device": "HEXAGON", "dsp_program": program, "num_threads": 1})


@pytest.fixture(scope="module")
def runs(on_the_dsp, tmp_path_factory) -> dict[str, Run]:
    found = {name: Run(name, import_model("tflite", model, feeds, list(wanted)), feeds)
             for name, (model, feeds, wanted) in CASES.items()}
    logged = run_all(list(found.values()), tmp_path_factory.mktemp("models"), on_the_dsp)
    assert "takes over" not in logged and "no room" not in logged, logged
    return found


@pytest.mark.parametrize("name", CASES)
def test_every_value_is_the_one_of_the_reference(name, runs):
    check_every_value(name, runs[name])


def one_of_each() -> dict[str, str]:
    """A case of each model."""
    return {model.name: name for name, (model, _, _) in reversed(CASES.items())}


def dumped(folder: Path, name: str, on_the_dsp: list[str], stage: str, *more: str) -> str:
    model, feeds, wanted = CASES[name]
    graph = import_model("tflite", model, feeds, list(wanted))
    files = folder / "m.pb", folder / "m.data"
    write_model(graph, *files)
    return subprocess.run(
        [mace_run(), f"--model_file={files[0]}", f"--model_data_file={files[1]}", *on_the_dsp,
         f"--dump={stage}", "--wide", *more], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", one_of_each().values())
def test_most_of_the_work_is_the_dsp_s(name, on_the_dsp, tmp_path):
    plan = json.loads(dumped(tmp_path, name, on_the_dsp, "plan_json"))
    assert plan["note"] == ""
    work = {"CPU": 0, "DSP": 0}
    for node in plan["nodes"]:
        work[node["device"]] += node["macs"]
    assert work["DSP"] > 0.99 * (work["CPU"] + work["DSP"]), work


def test_a_plan_shows_what_each_node_took(on_the_dsp, tmp_path):
    name = one_of_each()["vww_96_int8.tflite"]
    text = dumped(tmp_path, name, on_the_dsp, "plan")
    rows = re.findall(r"^    (\w+) '.*': (\d+) packets, (\d+) multiply-adds", text, re.MULTILINE)
    assert {"Conv2d", "DepthwiseConv2d"} <= {op for op, _, _ in rows}
    # Two vrmpy of 128 multiply-adds fit a packet.
    assert all(int(packets) > int(macs) / 256 for _, packets, macs in rows), text
