"""Runs parts of a graph in the engine, all in one process.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.emit import write_model
from mace_tools.graph.extract import Arrays, Part
from mace_tools.run import input_data
from mace_tools.run.runner import files_of
from mace_tools.support.exit_codes import RunFailedError


@dataclass(frozen=True)
class Result:
    """The outputs by their names in the whole graph, or why there are none."""

    outputs: Arrays
    error: str = ""
    kernels: int | None = None  # that ran on the GPU, if mace_run says
    log: str = ""  # what mace_run wrote to stderr


@dataclass(frozen=True)
class Engine:
    """A device with its settings."""

    mace_run: Path
    device: str  # cpu or gpu
    flags: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)  # that the model carries
    stored: str = "f32"  # the type of float weights in the file

    def run(self, parts: Sequence[Part]) -> list[Result]:
        """A part that fails does not stop the others. Errors: RunFailedError if mace_run itself
        does."""
        if not parts:
            return []
        with tempfile.TemporaryDirectory(prefix="mace_compare.") as folder:
            jobs = [self._write(part, Path(folder) / str(k)) for k, part in enumerate(parts)]
            batch, report = Path(folder) / "batch.json", Path(folder) / "report.json"
            batch.write_text(json.dumps(jobs))
            command = [str(self.mace_run), f"--batch={batch}", f"--json={report}", "--allow_nan",
                       "--warmup=0", "--round=1", *self.flags]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  check=False)
            if not report.is_file():
                lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
                raise RunFailedError(f"mace_run failed: {lines[-1]}")
            found = json.loads(report.read_text())
            return [_read(part, job, entry, done.stderr)
                    for part, job, entry in zip(parts, jobs, found)]

    def _write(self, part: Part, folder: Path) -> dict[str, Any]:
        folder.mkdir()
        graph, weights = folder / "part.pb", folder / "part.data"
        write_model(part.graph, graph, weights, self.settings, self.stored)
        inputs = {}
        for name, array in part.feeds.items():
            inputs[name] = str(folder / f"{name}.npy")
            input_data.save(Path(inputs[name]), array)
        return {"model_file": str(graph), "model_data_file": str(weights), "inputs": inputs,
                "output_dir": str(folder / "outputs")}


def _read(part: Part, job: Mapping[str, Any], entry: Mapping[str, Any], log: str) -> Result:
    if entry["error"]:
        return Result({}, entry["error"], log=log)
    folder, files = Path(job["output_dir"]), files_of(part.outputs)
    outputs = {whole: np.load(folder / files[here]) for here, whole in part.outputs.items()}
    return Result(outputs, "", entry.get("last_run", {}).get("kernels"), log)
