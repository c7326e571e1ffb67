"""Memory plans in converted models: offsets that a TFLite file gives, and those that do not fit.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert.importers.tflite.offline_plan import NAME
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.tflite_file import Maker

TENSORS = ["x", "a", "b", "c", "y"]  # of 256 bytes each


@pytest.fixture(scope="module")
def mace_run():
    return runner.find(Console(), None)


@pytest.fixture
def place(tmp_path, monkeypatch, capfd, mace_run):
    """Converts a network with this metadata; the notes, and the offsets of its tensors."""
    monkeypatch.chdir(tmp_path)

    def convert(words, keys="embed_memory_plan: 1"):
        m = Maker()
        for name in TENSORS:
            m.tensor(name, (8, 8))
        m.const("dims", np.int32([1, 0]))
        m.op("SOFTMAX", ["x"], ["a"], "SoftmaxOptions", Beta=1.0)
        m.op("TRANSPOSE", ["a", "dims"], ["b"], "TransposeOptions")
        m.op("SOFTMAX", ["b"], ["c"], "SoftmaxOptions", Beta=1.0)
        m.op("BATCH_MATMUL", ["c", "a"], ["y"], "BatchMatMulOptions")
        m.metadata = {NAME: np.array(words, "<i4").tobytes()}
        m.save(tmp_path, ["x"], ["y"])
        (tmp_path / "m.yml").unlink(missing_ok=True)
        assert cli.main(["init", "model.tflite", "--output=m.yml", "--model_name=m"]) == 0
        text = (tmp_path / "m.yml").read_text()
        (tmp_path / "m.yml").write_text(text.replace("    runtime:", f"    {keys}\n    runtime:"))
        capfd.readouterr()
        code = cli.main(["convert", "--config=m.yml", f"--mace_run={mace_run}", "--force"])
        err = " ".join(capfd.readouterr().err.split())
        assert code == ExitCode.OK, err
        folder = tmp_path / "build/m/model"
        done = subprocess.run(
            [mace_run, f"--model_file={folder / 'm.pb'}", "--dump=memory_json",
             f"--model_data_file={folder / 'm.data'}"], capture_output=True, text=True, check=True)
        plan = json.loads(done.stdout)
        return err, {r["name"]: at for r, at in zip(plan["records"], plan["offsets"])}

    return convert


def words_of(**offsets: int) -> list[int]:
    names = [*TENSORS, "dims"]
    return [1, 0, len(names), *(offsets.get(name, -1) for name in names)]


def test_offsets_of_the_file_are_taken(place):
    _, own = place(words_of())
    name = next(n for n in own if n in TENSORS)
    err, found = place(words_of(**{name: 4096}))
    assert f"have the offsets of the file's {NAME}" in err and found[name] == 4096
    assert own[name] != 4096
    err, found = place(words_of(**{name: 4096}), "obfuscate: 0")
    assert f"the file has a memory plan ({NAME}), which `embed_memory_plan: 1` takes" in err
    assert found == own


@pytest.mark.parametrize("words, message", [
    (words_of(a=4100, b=4100, c=4100), "is not used: "),
    ([2, 0, 6, -1, -1, -1, -1, -1, -1], "is left out: "),
    ([1, 0, 5, -1, -1, -1, -1, -1], "5 offsets for the 6 tensors of graph 0"),
    ([1, 0, 7], "expected version 1, a subgraph, and a number of offsets"),
    (words_of(a=-2), "the offset -2 is negative"), ([], "it begins with [] and has 0 words"),
])
def test_plans_that_do_not_fit_are_left_out(place, words, message):
    _, own = place(words_of())
    err, found = place(words)
    assert message in err and found == own
