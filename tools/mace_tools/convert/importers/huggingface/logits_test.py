"""Logits of every architecture against transformers, from Hugging Face folders and GGUF files.

SPDX-License-Identifier: Apache-2.0

The graphs are computed in NumPy; test/golden/decoders_test.py has them computed by the engine.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.ir import NUMPY, Graph
from mace_tools.support.protos import REPO
from mace_tools.testing import decoder_cases as cases
from mace_tools.testing import gguf_file

TOLERANCE = 1e-4  # of the largest logit
DATA = REPO / "test" / "golden" / "testdata" / "decoders"
# Options that GGUF does not carry, so that a config.json lies beside the file.
BESIDE = {"mistral", "qwen2", "gemma2", "gemma3", "gpt_neox_sequential"}


def stated(name: str) -> dict:
    return json.loads((DATA / f"{name}.json").read_text())


def tensors(case: dict) -> dict[str, np.ndarray]:
    return cases.values(case["config"]["model_type"], case["shapes"])


def empty_states(graph: Graph) -> dict[str, np.ndarray]:
    return {n: np.zeros(graph.tensors[n].shape, NUMPY[graph.tensors[n].dtype])
            for n in graph.states}


def logits(platform: str, path: Path) -> np.ndarray:
    return logits_of(convert(importers.load(platform, path)))


def logits_of(graph: Graph) -> np.ndarray:
    """[tokens, words]: of the prompt at once, then of one token after the other."""
    states = empty_states(graph)
    ids, found = cases.ids(), []
    parts = [np.arange(cases.PROMPT)]
    parts += [np.array([k]) for k in range(cases.PROMPT, ids.shape[1])]
    for part in parts:
        made = reference.run(graph, {"input_ids": ids[:, part],
                                     "logits_at": np.arange(len(part)), **states})
        states = {n: made[s.next] for n, s in graph.states.items()}
        found.append(made["logits"][0])
    return np.concatenate(found)


def error(case: dict, found: np.ndarray) -> float:
    """Beside the largest logit."""
    picked = found[case["rows"], :: case["every"]]
    return float(np.abs(picked - np.array(case["logits"])).max() / case["largest"])


@pytest.mark.parametrize("name", cases.CASES)
def test_a_folder_gives_transformers_logits(tmp_path, name):
    case = stated(name)
    cases.write_folder(tmp_path, case["config"], tensors(case), 2)
    assert error(case, logits("huggingface", tmp_path)) < TOLERANCE


@pytest.mark.parametrize("name", cases.CASES)
def test_a_gguf_file_gives_the_same(tmp_path, name):
    case, path = stated(name), tmp_path / "m.gguf"
    gguf_file.write_decoder(path, case["config"], tensors(case))
    if name in BESIDE:
        (tmp_path / "config.json").write_text(json.dumps(case["config"]))
    assert error(case, logits("gguf", path)) < TOLERANCE


def test_all_architectures_have_a_case():
    from mace_tools.convert.decoders import tables

    tested = {model_type for model_type, _ in cases.CASES.values()}
    assert {t.name for t in tables.tables().values() if not tested & {*t.model_types}} == set()
