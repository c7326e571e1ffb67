"""Every TFLite operator that converts, on models of its own that LiteRT runs as well.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import pickle
import tempfile

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from mace_tools import reference
from mace_tools.importers import load
from mace_tools.importers.tflite import registry
from mace_tools.importers.tflite.flat import is_custom
from mace_tools.testing.quantized_grid import CASES as QUANTIZED
from mace_tools.testing.tflite_cases import CASES


def litert(model, feeds):
    """What LiteRT computes, by its own kernels without a delegate.

    In a process of its own, which LiteRT ends for some models that it cannot run."""
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if child == 0:
            try:
                pickle.dump(_in_child(model, feeds), file)
            except Exception as e:
                pickle.dump(str(e), file)
            file.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert status == 0, f"LiteRT ended with status {status}"
        file.seek(0)
        results = pickle.load(file)
    assert not isinstance(results, str), results
    return results


def _in_child(model, feeds):
    run = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=
                      OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    run.allocate_tensors()
    places = {d["name"]: d["index"] for d in run.get_input_details()}
    for name, array in feeds.items():
        run.set_tensor(places[name], array)
    run.invoke()
    return [run.get_tensor(d["index"]) for d in run.get_output_details()]


def ours(path, feeds, outputs):
    results = reference.run(load("tflite", path), feeds)
    return [results[name] for name in outputs]


def check(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)


def test_every_operator_has_a_case():
    assert {case.op for case in (*CASES, *QUANTIZED)} == {
        op for op in registry.supported() if not is_custom(op)}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_results_are_those_of_litert(tmp_path, case):
    m, feeds, outputs = case.model()
    path = m.save(tmp_path, list(feeds), outputs)
    for got, want in zip(ours(path, feeds, outputs), litert(path.read_bytes(), feeds)):
        check(got, want)
