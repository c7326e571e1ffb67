"""Decoders of every architecture, computed by the engine, against transformers.

SPDX-License-Identifier: Apache-2.0

A prompt at once; single tokens behind caches that NumPy filled; and many runs of one engine, which
keeps the caches itself. decoder_logits.py wrote what is expected.
"""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from golden import ROOT, Run, relative_error, run_all

from mace_tools.convert import importers, reference
from mace_tools.convert.importers import kv_caches
from mace_tools.convert.importers.huggingface.logits_test import (
    TOLERANCE,
    empty_states,
    stated,
    tensors,
)
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.ir import Graph
from mace_tools.support.protos import cache_dir
from mace_tools.testing import decoder_cases as cases

CAPACITY, ROUNDS = 64, 20
WITH_CACHE = [24, 39, 55]  # tokens that run alone


def graph_of(folder: Path, name: str, kind: str = "fp32") -> Graph:
    case = stated(name)
    cases.write_folder(folder / name, case["config"], tensors(case))
    read = kv_caches.sized(importers.read("huggingface", folder / name), CAPACITY, kind)
    graph = convert(importers.translate("huggingface", read))
    graph.open_dims = {"input_ids": OpenDims(("", "tokens")), "logits_at": OpenDims(("rows",))}
    return graph


def without_states(graph: Graph) -> Graph:
    """As a function of its states."""
    graph.states = {}
    return graph


def after(graph: Graph, count: int) -> dict[str, np.ndarray]:
    """The states behind the first tokens."""
    made = reference.run(graph, {"input_ids": cases.ids()[:, :count], "logits_at": np.array([-1]),
                                 **empty_states(graph)})
    return {name: made[state.next] for name, state in graph.states.items()}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Of each case: a run of the whole text, and one of each token of WITH_CACHE."""
    folder, ids = tmp_path_factory.mktemp("decoders"), cases.ids()
    found: dict[str, list[Run]] = {}
    for name in cases.CASES:
        graph = graph_of(folder, name)
        states = [after(graph, k) for k in WITH_CACHE]
        whole = Run(name, graph, {"input_ids": ids, "logits_at": np.arange(ids.shape[1])})
        bare = without_states(graph_of(folder, name))
        found[name] = [whole, *(
            Run(f"{name} {k}", bare, {"input_ids": ids[:, k : k + 1], "logits_at": np.array([0]),
                                      **state}) for k, state in zip(WITH_CACHE, states))]
    run_all([run for several in found.values() for run in several], folder / "runs")
    return found


@pytest.mark.parametrize("name", cases.CASES)
def test_logits_are_those_of_transformers(runs, name):
    case = stated(name)
    wanted = dict(zip(case["rows"], np.array(case["logits"])))
    whole, *steps = runs[name]
    for run in runs[name]:
        assert not run.error, run.error
    errors = [np.abs(whole.outputs["logits"][0, row, :: case["every"]] - values).max()
              for row, values in wanted.items()]
    errors += [np.abs(run.outputs["logits"][0, 0, :: case["every"]] - wanted[k]).max()
               for k, run in zip(WITH_CACHE, steps)]
    assert max(errors) / case["largest"] < TOLERANCE


@pytest.mark.parametrize("kind", kv_caches.TYPES)
def test_an_engine_keeps_its_caches(tmp_path, kind):
    """The same token again and again."""
    graph, token = graph_of(tmp_path, "gemma3", kind), np.array([[7]])
    states = empty_states(graph)
    for _ in range(ROUNDS):
        made = reference.run(graph, {"input_ids": token, "logits_at": np.array([-1]), **states})
        states = {name: made[state.next] for name, state in graph.states.items()}
    run = Run("rounds", graph, {"input_ids": token, "logits_at": np.array([-1])})
    run_all([run], tmp_path / "runs", [f"--round={ROUNDS}"])
    assert not run.error, run.error
    assert relative_error(run.outputs["logits"], made["logits"]) < (
        TOLERANCE if kind == "fp32" else 5e-3)


def test_a_text_longer_than_the_caches_is_refused(tmp_path):
    ids = np.zeros((1, CAPACITY), np.int64)
    full = Run("full", graph_of(tmp_path, "llama"), {"input_ids": ids, "logits_at": np.array([-1])})
    more = Run("more", full.graph, {**full.feeds, "input_ids": np.zeros((1, CAPACITY + 1), int)})
    run_all([full, more], tmp_path / "runs")
    assert not full.error and f"{CAPACITY}" in more.error


def transformers_python() -> Path:
    """Of an environment of its own, as torch brings 5 GB; it is installed if it is not there."""
    wanted, folder = ROOT / "test/golden/transformers.txt", cache_dir() / "transformers"
    python, installed = folder / "bin/python", folder / "requirements.txt"
    if not installed.is_file() or installed.read_bytes() != wanted.read_bytes():
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
                        "-r", wanted], check=True)
        shutil.copy(wanted, installed)
    return python


@pytest.mark.deep
def test_transformers_itself_agrees_with_what_is_stored(tmp_path):
    done = subprocess.run([transformers_python(), ROOT / "test/golden/decoder_logits.py",
                           f"--full={tmp_path}"],
                          env={**os.environ, "PYTHONPATH": str(ROOT / "tools")},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    for name in cases.CASES:
        case, found = stated(name), np.load(tmp_path / name / "logits.npy")
        picked = found[case["rows"], :: case["every"]]
        assert np.abs(picked - np.array(case["logits"])).max() < 1e-5 * case["largest"]
        graph = graph_of(tmp_path / "ours", name)
        run = Run(name, graph, {"input_ids": cases.ids(), "logits_at": np.arange(found.shape[0])})
        run_all([run], tmp_path / f"run_{name}")
        assert relative_error(run.outputs["logits"][0], found) < TOLERANCE
