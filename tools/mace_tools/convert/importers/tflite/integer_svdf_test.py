"""SVDF in int8 against LiteRT's reference kernels, value by value, over runs that hand on the
state.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.run_io import first_values
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.by_litert import runs_of_litert
from mace_tools.testing.integer_svdf import CASES, RELU, Svdf
from mace_tools.testing.tflite_file import Maker


def runs_of_ours(path: Any, xs: list[np.ndarray]) -> list[dict[str, np.ndarray]]:
    """The outputs of runs of the converted model, one after the other, in NumPy."""
    graph = convert(load("tflite", path))
    states, results = first_values(graph), []
    for x in xs:
        got = reference.run(graph, {"x": x, **states})
        states = {name: got[state.next] for name, state in graph.states.items()}
        results.append(got)
    return results


@pytest.mark.parametrize("case", CASES, ids=str)
def test_quantized_values_are_those_of_the_reference(case, tmp_path):
    path, xs = case.save(tmp_path), case.feeds()
    quantized = set()
    for got, (want,) in zip(runs_of_ours(path, xs), runs_of_litert(path, xs, reference=True)):
        np.testing.assert_array_equal(got["y"], want)
        assert got["y"].dtype == want.dtype
        quantized.update(want.reshape(-1).tolist())
    assert len(quantized) > 3 or case.y != Svdf.y


def test_a_sample_by_hand(tmp_path):
    """Published numbers: rank 1, memory 2, three steps."""
    m = Maker()
    m.tensor("x", (1, 1), "int8", None, 0.05, 2)
    m.tensor("f", (1, 1), "int8", np.int8([[100]]), 0.01, 0)
    m.tensor("t", (1, 2), "int16", np.int16([[16384, -32767]]), 2.0**-15, 0)
    m.tensor("b", (1,), "int32", np.int32([5000]), 2.0**-25, 0)
    m.tensor("s", (1, 2), "int16", None, 2.0**-10, 0)
    m.variables.add("s")
    m.tensor("y", (1, 1), "int8", None, 0.02, -4)
    m.op("SVDF", ["x", "f", "t", "b", "s"], ["y"], "SVDFOptions", Rank=1,
         FusedActivationFunction=RELU)
    runs = runs_of_ours(m.save(tmp_path, ["x"], ["y"]), [np.int8([[q]]) for q in (50, -70, 127)])
    assert [int(got["y"][0, 0]) for got in runs] == [-124, 127, -128]


@pytest.mark.parametrize("case, text", [
    (Svdf(activation=0), "fused activation NONE on quantized tensors"),
    (Svdf(state_type="int8"), "with a state of i8"),
    (Svdf(rank=3, units=4), None),
])
def test_what_is_refused(case, text, tmp_path):
    path = case.save(tmp_path)
    if text is None:
        load("tflite", path)
        return
    with pytest.raises(UnsupportedOps, match=text):
        load("tflite", path)
