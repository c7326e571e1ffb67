"""TensorFlow's own results for single operators, against converter and engine.

SPDX-License-Identifier: Apache-2.0

KNOWN_UNSUPPORTED says why a vector cannot pass; one that is listed and passes fails the test.
"""

import json
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from golden import Arrays, Run, data_folder, relative_error, run_all

from mace_tools.convert.importers.source import cut
from mace_tools.convert.importers.tensorflow import read, registry
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError

ARCHIVE = data_folder("models", "tensorflow", "op_vectors.tar.gz")
TOLERANCE = 1e-4
PRINTED = 1e-7  # the stored values were printed with 8 decimals

KNOWN_UNSUPPORTED = {
    "topk__rank3_k3": "sorted=False: the order is whatever TensorFlow's kernel leaves",
}
# Operands that the engine must know when it plans (shapes, paddings, values to pad with): inputs in
# the archive, constants here. By what a vector's name starts with.
PLAN_TIME = {
    "broadcast_to__": ["in_1"],
    "emptyArrayTests__fill": ["in_0"],
    "emptyArrayTests__range": ["in_0", "in_1", "in_2"],
    "pad__": ["in_1", "in_2"],
    "space_to_batch__": ["in_1"],
}
# Stored as [1], where the graph wants scalars.
SCALARS = ("emptyArrayTests__fill", "emptyArrayTests__range", "stack__rank0")


@dataclass
class Vector:
    name: str
    model: Path
    feeds: Arrays
    wanted: Arrays


@pytest.fixture(scope="session")
def vectors(tmp_path_factory) -> dict[str, Vector]:
    folder = tmp_path_factory.mktemp("op_vectors")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder)
    return {p.parent.name: _read(p) for p in sorted(folder.glob("*/*/case.json"))}


def _read(path: Path) -> Vector:
    case = json.loads(path.read_text())
    feeds = {n.removesuffix(":0"): np.load(path.parent / i["file"])
             for n, i in case["inputs"].items()}
    wanted = {n.removesuffix(":0"): np.load(path.parent / o["file"])
              for n, o in case["outputs"].items()}
    return Vector(path.parent.name, path.parent / case["model"], feeds, wanted)


def make_run(vector: Vector) -> Run:
    """Errors: MaceError."""
    model, feeds = read(vector.model), dict(vector.feeds)
    for name, array in vector.feeds.items():
        info = model.inputs.get(name)
        is_scalar = info and info.shape == () or vector.name.startswith(SCALARS)
        if is_scalar and array.size == 1:
            feeds[name] = array.reshape(())
    for name in next((v for k, v in PLAN_TIME.items() if vector.name.startswith(k)), ()):
        if name in feeds:
            model.constants[name] = feeds.pop(name)
            del model.inputs[name]
    part = cut(model, {n: a.shape for n, a in feeds.items()}, list(vector.wanted))
    return Run(vector.name, convert(registry.translate(part)), feeds)


@pytest.fixture(scope="session")
def problems(vectors, tmp_path_factory) -> dict[str, str]:
    """What is wrong with each vector; "" where all is well."""
    found, runs = {}, []
    for vector in vectors.values():
        try:
            runs.append(make_run(vector))
        except MaceError as e:
            found[vector.name] = f"does not convert: {e}"
    run_all(runs, tmp_path_factory.mktemp("runs"))
    found.update((run.name, run.error or _differences(run, vectors[run.name])) for run in runs)
    return found


def _differences(run: Run, vector: Vector) -> str:
    for (name, want), output in zip(vector.wanted.items(), run.graph.outputs):
        got = run.outputs[output]  # its name may differ, where an input is an output as well
        if want.shape == (1,) and got.shape == ():
            got = got.reshape(1)
        if got.shape != want.shape:
            return f"'{name}' has shape {got.shape}, expected {want.shape}"
        error = relative_error(got, want)
        if error > TOLERANCE and np.abs(got - want).max() > PRINTED:
            return f"'{name}' is off by {error:.2g} of its largest magnitude"
    return ""


def names() -> list[str]:
    with tarfile.open(ARCHIVE) as archive:
        return sorted(Path(m).parent.name for m in archive.getnames() if m.endswith("/case.json"))


NAMES = names()


@pytest.mark.parametrize("name", NAMES)
def test_vector(name, problems):
    if name in KNOWN_UNSUPPORTED:
        assert problems[name], f"passes: take {name} out of KNOWN_UNSUPPORTED"
    else:
        assert not problems[name], problems[name]


def test_the_table_names_vectors_that_exist():
    assert set(KNOWN_UNSUPPORTED) <= set(NAMES) and len(NAMES) == 247
