"""Models give the same results whatever optional work of planning is left out.

SPDX-License-Identifier: Apache-2.0

Each optimization is turned off by itself, and then all together. The results are the same bits
where the engine promises that (threads, memory, packed weights, the placement among equal devices),
and within the stated errors of Winograd's and Strassen's methods (docs/converter.md) where sums are
added up in another order.
"""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from golden import Arrays, Run, mace_run, relative_error, run_all
from models_test import CASES, DETECTORS, make_run

# What is turned off, and whether the bits must stay.
OFF: dict[str, tuple[list[str], bool]] = {
    "threads": (["--num_threads=1"], True),
    "savings": (["--memory_savings=none"], True),
    "sharing": (["--memory_strategy=NAIVE"], True),
    "kv_cache": (["--plan_without=kv_cache"], True),
    "fusion": (["--plan_without=fusion"], False),
    "winograd": (["--winograd=0"], False),
}
ALL_OFF = ["--num_threads=1", "--memory_savings=none", "--memory_strategy=NAIVE",
           "--plan_without=fusion,placement,fp16,kv_cache", "--winograd=0"]
BASE = ["--num_threads=3"]
# Of the largest output. Errors of a layer are below 5e-6 with tiles of 4x4; models have up to a
# hundred layers, and what detectors find is at a threshold.
TOLERANCE, DETECTOR_TOLERANCE = 1e-4, 1e-3
# One model of each front end, for the full ring.
FEW = ("tensorflow/", "tflite/", "onnx/", "caffe/")


def few() -> list[str]:
    chosen = []
    for front_end in FEW:
        names = [name for name in CASES if name.startswith(front_end)]
        chosen += sorted(names, key=lambda name: CASES[name].model.stat().st_size)[:1]
    return chosen


def results(names: list[str], folder: Path, flags: list[str]) -> dict[str, list[Arrays]]:
    """The outputs of each case."""
    runs: dict[str, list[Run]] = {name: make_run(name, CASES[name]) for name in names}
    run_all([run for several in runs.values() for run in several], folder, flags)
    for name, several in runs.items():
        assert not any(run.error for run in several), (name, several[0].error)
    return {name: [run.outputs for run in several] for name, several in runs.items()}


def compare(names: list[str], folder: Path, off: list[str], same_bits: bool) -> None:
    chosen = {flag.partition("=")[0] for flag in off}
    without_base = [flag for flag in BASE if flag.partition("=")[0] not in chosen]
    whole, without = (results(names, folder / kind, flags)
                      for kind, flags in (("whole", BASE), ("without", [*without_base, *off])))
    wrong = {}
    for name in names:
        detector = CASES[name].model.parent.name in DETECTORS
        most = 0 if same_bits else DETECTOR_TOLERANCE if detector else TOLERANCE
        for a, b in zip(whole[name], without[name]):
            for output in a:
                error = relative_error(b[output], a[output])
                if error > most or (same_bits and not np.array_equal(
                        a[output], b[output], equal_nan=True)):
                    wrong[f"{name}: {output}"] = error
    assert not wrong, wrong


@pytest.fixture(autouse=True)
def made(tmp_path):
    for kind in ("whole", "without"):
        (tmp_path / kind).mkdir()


@pytest.mark.full
@pytest.mark.parametrize("what", OFF)
def test_a_model_of_each_front_end_without(what, tmp_path):
    compare(few(), tmp_path, *OFF[what])


@pytest.mark.full
def test_a_model_of_each_front_end_without_all(tmp_path):
    compare(few(), tmp_path, ALL_OFF, False)


def packed(names: list[str], folder: Path) -> None:
    """The same bits with weights that are packed when a model is converted, not when an engine is
    created."""
    runs = [run for name in names for run in make_run(name, CASES[name])]
    run_all(runs, folder, BASE)
    jobs = json.loads((folder / "jobs.json").read_text())
    for job in jobs:
        files = [f"--model_file={job['model_file']}", f"--model_data_file={job['model_data_file']}"]
        to = Path(job["model_file"]).with_name("packed")
        subprocess.run([mace_run(), *files, "--pack_weights=host", f"--packed_model={to}"],
                       check=True, capture_output=True)
        job.update(model_file=f"{to}.pb", model_data_file=f"{to}.data",
                   output_dir=str(to.with_name("packed_out")))
    batch = folder / "packed.json"
    batch.write_text(json.dumps(jobs))
    subprocess.run([mace_run(), "--batch", batch, "--warmup=0", "--allow_nan", *BASE], check=True,
                   capture_output=True)
    for run, job in zip(runs, jobs):
        assert not run.error, (run.name, run.error)
        found = {path.name: np.load(path) for path in Path(job["output_dir"]).iterdir()}
        for path in Path(job["output_dir"]).with_name("out").iterdir():
            assert np.array_equal(found[path.name], np.load(path), equal_nan=True), run.name


@pytest.mark.full
def test_a_model_of_each_front_end_packed_ahead(tmp_path):
    packed(few(), tmp_path / "whole")


@pytest.mark.deep
def test_all_models_packed_ahead(tmp_path):
    packed(list(CASES), tmp_path / "whole")


@pytest.mark.deep
@pytest.mark.parametrize("what", OFF)
def test_all_models_without(what, tmp_path):
    compare(list(CASES), tmp_path, *OFF[what])


@pytest.mark.deep
def test_all_models_without_all(tmp_path):
    compare(list(CASES), tmp_path, ALL_OFF, False)


def test_an_unknown_part_of_planning_is_refused():
    done = subprocess.run([mace_run(), "--plan_without=nonsense", "--list_ops"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and re.search("plan_without.*nonsense", done.stderr), done.stderr
