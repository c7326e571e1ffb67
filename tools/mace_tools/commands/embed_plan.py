"""Adds a memory plan to a converted model: the engine's own, around the offsets that a TFLite file
gives its tensors.

SPDX-License-Identifier: Apache-2.0
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mace_tools.config.schema import Model
from mace_tools.convert.importers.tflite import offline_plan
from mace_tools.graph import settings
from mace_tools.graph.ir import Graph
from mace_tools.run import runner
from mace_tools.support.atomic import atomic_files
from mace_tools.support.exit_codes import RunFailedError

ONLINE = -1  # the offset of a tensor that the engine is to place


def embed(
    mace_run: Path | None, model: Model, graph: Graph, source: Path, pb: Path, data: Path
) -> list[str]:
    """Adds the plan for the declared input shapes, as this machine makes it, if the deployment file
    asks for one. Returns notes for the user. REQUIRES: mace_run, if it asks."""
    given = offline_plan.Given()
    if model.platform == "tflite":
        given = offline_plan.read(source, model.signature or "")
    notes = list(given.notes)
    if not model.embed_memory_plan:
        return notes + ([f"the file has a memory plan ({offline_plan.NAME}), which "
                         "`embed_memory_plan: 1` takes over"] if given.offsets else [])
    assert mace_run is not None
    flags = [f"--model_file={pb}", f"--model_data_file={data}",
             *settings.flags({"num_threads": model.num_threads}, "cpu")]
    with tempfile.TemporaryDirectory(prefix="mace_plan.") as folder:
        planned, words = Path(folder) / pb.name, Path(folder) / "offsets"
        embed_it = f"--embed_memory_plan={planned}"
        found = _words(mace_run, flags, graph, given.offsets) if given.offsets else []
        used = sum(offset != ONLINE for offset in found)
        try:
            if used:
                np.array([1, 0, len(found), *found], "<i4").tofile(words)
                runner.output(mace_run, [*flags, embed_it, f"--offline_memory_plan={words}"])
                notes.append(f"{used} of {len(found)} tensors have the offsets of the file's "
                             f"{offline_plan.NAME}")
        except RunFailedError as e:
            used = 0
            notes.append(f"the file's {offline_plan.NAME} is not used: {e}")
        if not used:
            runner.output(mace_run, [*flags, embed_it])
        with atomic_files(pb) as (out,):
            out.write(planned.read_bytes())
    return notes


def _words(
    mace_run: Path, flags: list[str], graph: Graph, offsets: Mapping[str, int]
) -> list[int]:
    """An offset, or ONLINE, for each record of the engine's plan."""
    plan = json.loads(runner.output(mace_run, [*flags, "--dump=memory_json"]))
    found = []
    for record in plan["records"]:
        source, _ = graph.origins.get(record["name"], (record["name"], []))
        found.append(offsets.get(source, ONLINE))
    return found
