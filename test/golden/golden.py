"""Converts models and runs them with the engine, many in one process, for golden tests.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from mace_tools.convert.emit import write_model
from mace_tools.convert.importers import read, translate
from mace_tools.convert.importers.request import input_shapes
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.ir import Graph
from mace_tools.graph.run_io import own_outputs
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError

ROOT = Path(__file__).resolve().parents[2]
Arrays = dict[str, np.ndarray]


def data_folder(*parts: str) -> Path:
    """A folder of the test data; the whole module is skipped if it does not exist."""
    root = Path(os.environ.get("MACE_TEST_DATA") or ROOT.parent / "shared")
    folder = root.joinpath(*parts)
    if not folder.exists():
        pytest.skip(f"test data: no {folder}; MACE_TEST_DATA names the folder of models and such",
                    allow_module_level=True)
    return folder


@functools.cache
def mace_run() -> Path:
    """The runner: $MACE_RUN, or this checkout's, built if necessary."""
    given = os.environ.get("MACE_RUN")
    return runner.find(Console(), Path(given) if given else None)


@dataclass
class Run:
    """A model, its inputs and its results."""

    name: str
    graph: Graph
    feeds: Arrays
    outputs: Arrays = field(default_factory=dict)
    error: str = ""
    ms: float = 0


def import_model(platform: str, path: Path, feeds: Arrays, outputs: Sequence[str] | None) -> Graph:
    """The canonical graph of a source model, at the shapes of the feeds; without them, of a batch
    of 1."""
    model = read(platform, path)
    shapes = {k: v.shape for k, v in feeds.items()} or {
        model.signed(k): shape for k, shape in input_shapes(model).items()}
    return convert(translate(platform, model, shapes, outputs))


def try_import(platform: str, path: Path, feeds: Arrays, outputs: Sequence[str]) -> Graph | str:
    """The graph, or the reason why there is none."""
    try:
        return import_model(platform, path, feeds, outputs)
    except MaceError as e:
        return f"does not convert: {e}"


def run_all(runs: Sequence[Run], folder: Path, flags: Sequence[str] = (),
            stored: str = "f32") -> str:
    """Runs all graphs with these flags of mace_run, filling in `outputs` and `ms`, or `error`;
    `stored` as of write_model.

    Returns what was logged."""
    jobs = [_job(run, folder / str(k), stored) for k, run in enumerate(runs)]
    batch, report = folder / "jobs.json", folder / "report.json"
    batch.write_text(json.dumps(jobs))
    command = [mace_run(), "--batch", batch, "--json", report, "--warmup=0", "--allow_nan",
               *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if not report.is_file():
        pytest.fail(f"mace_run ended with {done.returncode}:\n{done.stderr[-3000:]}")
    for run, job, result in zip(runs, jobs, json.loads(report.read_text())):
        run.error = result["error"]
        if not run.error:
            run.ms = min(result["run_ms"])
            files = runner.files_of(own_outputs(run.graph))
            run.outputs = {name: np.load(Path(job["output_dir"]) / files[name])
                           for name in own_outputs(run.graph)}
    return done.stderr


def _job(run: Run, folder: Path, stored: str) -> dict:
    folder.mkdir(parents=True)
    write_model(run.graph, folder / "model.pb", folder / "model.data", stored=stored)
    inputs = {}
    for k, (name, array) in enumerate(run.feeds.items()):
        inputs[name] = str(folder / f"in_{k}.npy")
        np.save(inputs[name], np.asarray(array, order="C"))
    return {"model_file": str(folder / "model.pb"), "model_data_file": str(folder / "model.data"),
            "inputs": inputs, "output_dir": str(folder / "out")}


def relative_error(got: np.ndarray, want: np.ndarray) -> float:
    """The largest difference over the largest expected magnitude; NaNs must agree."""
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    got, want = got.astype(np.float64), want.astype(np.float64)
    assert np.array_equal(np.isnan(got), np.isnan(want)), "NaNs differ"
    difference = np.abs(np.nan_to_num(got) - np.nan_to_num(want)).max(initial=0)
    return float(difference / max(np.abs(np.nan_to_num(want)).max(initial=0), 1e-30))
