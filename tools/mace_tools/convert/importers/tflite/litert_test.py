"""Every TFLite operator that converts, on models of its own that LiteRT runs as well.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.convert.importers.tflite import READERS, TRANSFORM, registry
from mace_tools.convert.importers.tflite.flat import is_custom
from mace_tools.graph.run_io import first_values
from mace_tools.testing.by_litert import litert
from mace_tools.testing.quantized_grid import CASES as QUANTIZED
from mace_tools.testing.tflite_cases import CASES


def ours(path, feeds, outputs):
    graph = load("tflite", path)
    results = reference.run(graph, feeds | first_values(graph))
    return [results[name] for name in outputs]


def check(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)


def test_every_operator_has_a_case():
    elsewhere = {"READ_VARIABLE", "ASSIGN_VARIABLE",  # variables_test.py
                 *(f"{TRANSFORM}.{reader}" for reader in READERS)}  # signal_test.py
    assert {case.op for case in (*CASES, *QUANTIZED)} | elsewhere == {
        op for op in registry.supported() if not is_custom(op)}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_results_are_those_of_litert(tmp_path, case):
    m, feeds, outputs = case.model()
    path = m.save(tmp_path, list(feeds), outputs)
    for got, want in zip(ours(path, feeds, outputs), litert(path.read_bytes(), feeds)):
        check(got, want)
