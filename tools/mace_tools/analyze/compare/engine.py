"""Runs parts of a graph in the engine, all in one process.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mace_tools.convert.emit import write_model
from mace_tools.graph.extract import Arrays, Part
from mace_tools.run import batch


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
            found, log = batch.run(self.mace_run, jobs, self.flags, Path(folder))
            return [_read(part, job, entry, log)
                    for part, job, entry in zip(parts, jobs, found)]

    def _write(self, part: Part, folder: Path) -> batch.Job:
        folder.mkdir()
        graph = folder / "part.pb"
        write_model(part.graph, graph, graph.with_suffix(".data"), self.settings, self.stored)
        return batch.job(graph, part.feeds, folder)


def _read(part: Part, job: batch.Job, entry: Mapping[str, Any], log: str) -> Result:
    if entry["error"]:
        return Result({}, entry["error"], log=log)
    kernels = entry.get("last_run", {}).get("kernels")
    return Result(batch.outputs(job, part.outputs), "", kernels, log)
