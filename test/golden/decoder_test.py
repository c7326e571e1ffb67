"""Decoders with KV caches of fixed capacity: a prompt at once and at a position, with each type of
cache and of weights, against NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from golden import Run, run_all

from mace_tools.convert import reference
from mace_tools.testing.decoders import SIZES, Decoder

TINY = SIZES["tiny"]
TOKENS = np.array([[3, 14, 15, 92, 65, 35]])


def outputs(runs, folder):
    run_all(runs, folder)
    assert not any(run.error for run in runs), [run.error for run in runs]
    return [run.outputs["logits"] for run in runs]


def by_numpy(graph, tokens, position):
    states = {name: np.zeros(graph.shape(name), {"f32": np.float32, "f16": np.float16,
                                                 "i8": np.int8}[graph.tensors[name].dtype])
              for name in graph.states}
    feeds = {"tokens": tokens, "position": np.array([position]), **states}
    return reference.run(graph, feeds)["logits"]


def decoder(**choices):
    graph = Decoder(TINY, **choices).build()
    graph.topo_sort()
    return graph


@pytest.mark.parametrize("cache, tolerance", [("f32", 1e-5), ("f16", 1e-4), ("i8", 1e-4)])
def test_a_prompt_with_each_cache(tmp_path, cache, tolerance):
    graph = decoder(stored="f32", cache=cache)
    cases = [(TOKENS, 0), (TOKENS[:, :1], 0), (TOKENS, 9), (TOKENS[:, :3], TINY.capacity - 3)]
    runs = [Run(f"{t.shape[1]} at {at}", graph, {"tokens": t, "position": np.array([at])})
            for t, at in cases]
    for got, (tokens, at) in zip(outputs(runs, tmp_path), cases):
        want = by_numpy(graph, tokens, at)
        assert np.abs(got - want).max() < tolerance * np.abs(want).max()


def test_a_full_cache_is_an_error(tmp_path):
    run = Run("full", decoder(stored="f32"),
              {"tokens": TOKENS, "position": np.array([TINY.capacity - 5])})
    run_all([run], tmp_path)
    assert "6 rows at position 59 are not within the KV cache's capacity of 64 rows" in run.error


@pytest.mark.parametrize("stored", ["i8", "i8b", "i4", "i4z"])
def test_dynamic_quantization_is_near_float_arithmetic(tmp_path, stored):
    feeds = {"tokens": TOKENS, "position": np.array([0])}
    runs = [Run(f"dynamic {dynamic}", decoder(stored=stored, dynamic=dynamic), feeds)
            for dynamic in (False, True)]
    floats, dynamic = outputs(runs, tmp_path)
    difference = np.linalg.norm(dynamic - floats) / np.linalg.norm(floats)
    assert 0 < difference < 0.03
