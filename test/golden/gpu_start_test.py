"""MobileNet on the GPU (PoCL): when programs are compiled, stored, split and tuned.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from golden import mace_run
from models_test import CASES, make_run

from mace_tools.convert.emit import write_model
from mace_tools.run import runner
from mace_tools.support.protos import cache_dir
from mace_tools.testing.needed import need_pocl

pytestmark = pytest.mark.full
MODEL = next((n for n in CASES if "mobilenet_v1" in n), None)


class Place:
    """A folder with the model, and the first of its Runs in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = make_run(MODEL, CASES[MODEL])[0]
        write_model(self.run.graph, folder / "model.pb", folder / "model.data")
        self.inputs = []
        for k, (name, array) in enumerate(self.run.feeds.items()):
            np.save(folder / f"{k}.npy", np.asarray(array, order="C"))
            self.inputs.append(f"--input={name}={folder / f'{k}.npy'}")

    def start(self, *flags: str) -> tuple[dict, list[np.ndarray]]:
        """The counters of mace_run, and the outputs."""
        out, report = self.folder / "out", self.folder / "report.json"
        subprocess.run([
            mace_run(), f"--model_file={self.folder / 'model.pb'}",
            f"--model_data_file={self.folder / 'model.data'}", *self.inputs, "--device=GPU",
            f"--gpu_storage_path={self.folder}", "--warmup=0", f"--output_dir={out}",
            f"--json={report}", *flags], check=True, timeout=600)
        names = self.run.graph.outputs
        files = runner.files_of(names)
        return json.loads(report.read_text()), [np.load(out / files[n]) for n in names]


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    """The folder, and the results of the first process in it."""
    if MODEL is None:
        pytest.skip("test data: no MobileNet below MACE_TEST_DATA")
    driver = need_pocl()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(driver))
        patch.setenv("POCL_CACHE_DIR", str(cache_dir() / "pocl"))
        place = Place(tmp_path_factory.mktemp("start"))
        yield place, *place.start()


def test_everything_is_compiled_at_creation(cold):
    _, report, _ = cold
    assert report["created"]["compiled_programs"] >= 3
    assert report["created"]["kernels"] == 0
    assert report["last_run"]["compiled_programs"] == report["last_run"]["loaded_programs"] == 0
    assert report["last_run"]["kernels"] > 25


def test_a_warm_creation_compiles_nothing(cold):
    place, report, outputs = cold
    warm, again = place.start()
    assert warm["created"]["compiled_programs"] == 0
    assert warm["created"]["loaded_programs"] == report["created"]["compiled_programs"]
    assert warm["last_run"] == report["last_run"]
    assert all(np.array_equal(a, b) for a, b in zip(again, outputs, strict=True))


def test_split_and_tuned_kernels_give_the_same_result(cold):
    place, report, outputs = cold
    tuning = [f"--tuning_file={place.folder / 'tuned.bin'}", "--gpu_kernel_micros=1000"]
    first, once = place.start("--tune=1000", *tuning)
    assert first["created"]["measurements"] > 0
    assert first["last_run"]["kernels"] == report["last_run"]["kernels"]
    assert first["last_run"]["measurements"] == 0
    second, again = place.start(*tuning)
    assert second["created"]["measurements"] == 0
    assert second["last_run"] == first["last_run"]
    for found in (once, again):
        assert all(np.array_equal(a, b) for a, b in zip(found, outputs, strict=True))
