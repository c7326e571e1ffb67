"""Runs many models and inputs in one process of mace_run.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.run import input_data
from mace_tools.run.runner import files_of
from mace_tools.support.exit_codes import RunFailedError

Job = dict[str, Any]  # an entry of the file that --batch names


def job(pb: Path, feeds: Mapping[str, Any], folder: Path) -> Job:
    """A run of the model whose weights lie beside `pb`. Writes its inputs to `folder`."""
    folder.mkdir(exist_ok=True)
    inputs = {}
    for name, array in feeds.items():
        inputs[name] = str(folder / f"{name}.npy")
        input_data.save(Path(inputs[name]), array)
    return {"model_file": str(pb), "model_data_file": str(pb.with_suffix(".data")),
            "inputs": inputs, "output_dir": str(folder / "outputs")}


def run(mace_run: Path, jobs: Sequence[Job], flags: Sequence[str], folder: Path
        ) -> tuple[list[dict[str, Any]], str]:
    """What mace_run reports of each job, of which one that fails does not stop the others, and what
    it wrote to stderr. Errors: RunFailedError if mace_run itself fails."""
    batch, report = folder / "batch.json", folder / "report.json"
    batch.write_text(json.dumps(jobs))
    command = [str(mace_run), f"--batch={batch}", f"--json={report}", "--allow_nan", "--warmup=0",
               "--round=1", *flags]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if not report.is_file():
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise RunFailedError(f"mace_run failed: {lines[-1]}")
    return json.loads(report.read_text()), done.stderr


def outputs(ran: Job, names: Mapping[str, str]) -> dict[str, np.ndarray]:
    """The outputs of a job, by other names: `names` has theirs."""
    folder, files = Path(ran["output_dir"]), files_of(names)
    return {other: np.load(folder / files[own]) for own, other in names.items()}
