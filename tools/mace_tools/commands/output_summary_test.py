"""What `run` and `benchmark` say of outputs, and of a device that did nothing.

SPDX-License-Identifier: Apache-2.0
"""

from types import SimpleNamespace

import numpy as np
import pytest

from mace_tools.commands import output_summary
from mace_tools.commands.commands_test import place  # noqa: F401, the fixture
from mace_tools.graph.model_quantization import stands_for


class Console:
    def __init__(self):
        self.lines = []

    def data(self, text, style=""):
        self.lines.append(text)

    warn = info = data


def net(scale=None, zero=0):
    quantization = SimpleNamespace(scales=[scale] if scale else [], zero_points=[zero])
    return SimpleNamespace(output_info=[SimpleNamespace(name="y", quantization=quantization)])


@pytest.mark.parametrize("array, scale, zero, message", [
    (np.float32([[0.5, -1, 2]]), None, 0, "y: float32[1, 3], -1 to 2, first: 0.5, -1, 2"),
    (np.int64(range(9)), None, 0, "y: int64[9], 0 to 8, first: 0, 1, 2, 3, 4, ..."),
    (np.uint8([128, 130, 120]), 0.5, 128, "y: uint8[3], quantized, -4 to 1, first: 0, 1, -4"),
    (np.float32([np.nan, 3]), None, 0, "y: float32[2], 3 to 3, first: nan, 3"),
    (np.float32([np.nan]), None, 0, "y: float32[1], nothing finite, first: nan"),
    (np.zeros((0, 4), np.float32), None, 0, "y: float32[0, 4], empty"),
    (np.array([True, False]), None, 0, "y: bool[2], 0 to 1, first: 1, 0"),
])
def test_an_output_in_a_line(array, scale, zero, message):
    console = Console()
    output_summary.show(console, net(scale, zero), {"y": array}, {})
    assert console.lines == [message, "--output_dir=FOLDER saves the outputs as .npy files"]
    console = Console()
    output_summary.show(console, net(scale, zero), {"y": array}, {"y": "out/y.npy"})
    assert console.lines == [f"{message}; saved as out/y.npy"]


def test_numbers_for_which_integers_stand():
    quantization = net(0.25, 3).output_info[0].quantization
    assert stands_for(np.int8([3, 7, -1]), quantization).tolist() == [0, 1, -1]
    floats = np.float32([1])
    assert stands_for(floats, quantization) is floats


def test_run_says_what_comes_out_where_there_are_no_labels(place):  # noqa: F811
    place.answer(4)
    config = place.folder / "models" / "digits" / "digits_onnx.yml"
    text = config.read_text()
    config.write_text("".join(s for s in text.splitlines(True) if "labels:" not in s))
    code, out, err = place.call("run", "--output_dir=kept")
    assert code == 0 and "probabilities: float32[1, 10], " in out, err
    assert "; saved as kept/probabilities.npy" in out and "first: " in out


@pytest.mark.parametrize("device", ["gpu", "cpu"])
def test_a_device_that_did_nothing_is_a_warning(place, monkeypatch, device):  # noqa: F811
    place.answer(3)
    place.edit("runtime: cpu", f"runtime: {device}")
    monkeypatch.setenv("FAKE_KERNELS", "0")
    code, _, err = place.call("run")
    message = "nothing ran on the GPU: the CPU computed everything" in " ".join(err.split())
    assert code == 0 and message == (device == "gpu")
    monkeypatch.setenv("FAKE_KERNELS", "3")
    assert "nothing ran" not in place.call("run")[2]


def test_a_benchmark_says_how_many_steps_ran_where():
    steps = [{"device": "GPU"}, {"device": "CPU"}, {"device": "GPU"}]
    console = Console()
    output_summary.say_where(console, "m", "gpu", {"ops": steps})
    assert console.lines == ["2 of 3 steps ran on the GPU"]
    console = Console()
    output_summary.say_where(console, "m", "dsp", {"ops": steps})
    assert "m: nothing ran on the DSP" in console.lines[0]
    console = Console()
    output_summary.say_where(console, "m", "cpu", {"ops": steps})
    output_summary.say_where(console, "m", "gpu", {"starts": [{}]})  # it is not known
    assert not console.lines
