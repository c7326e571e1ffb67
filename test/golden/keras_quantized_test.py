"""SavedModels of Keras models after quantize('int8') and quantize('int4'): as Keras computes them.

SPDX-License-Identifier: Apache-2.0
"""

import os

import numpy as np
import pytest
from golden import Run, run_all

from mace_tools.convert import emit
from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert

pytestmark = pytest.mark.full  # TensorFlow alone takes seconds to start


def nets(keras):
    """By name: a model and an input."""
    layers, random = keras.layers, np.random.default_rng(0)
    rows = random.standard_normal((1, 5, 16)).astype(np.float32)
    words, x = np.int32([[1, 4, 7, 0, 49, 3]]), keras.Input((5, 16))
    return {
        "dense": (keras.Sequential([keras.Input((5, 16)), layers.Dense(96, activation="relu"),
                                    layers.Dense(4)]), rows),
        "embedding": (keras.Sequential([keras.Input((6,), dtype="int32"),
                                        layers.Embedding(50, 16)]), words),
        "attention": (keras.Model(x, layers.MultiHeadAttention(2, 8)(x, x)), rows),
    }


@pytest.mark.parametrize("bits", ["int8", "int4"])
def test_they_compute_as_in_keras(tmp_path, bits, monkeypatch):
    monkeypatch.setitem(os.environ, "CUDA_VISIBLE_DEVICES", "")
    import keras

    keras.utils.set_random_seed(0)
    runs, wanted = [], {}
    for name, (model, x) in nets(keras).items():
        model.quantize(bits)
        wanted[name] = np.asarray(model(x))
        model.export(tmp_path / name, verbose=False)
        shapes = {f"serving_default_{model.inputs[0].name}": x.shape}
        graph = convert(load("tensorflow", tmp_path / name, shapes))
        runs.append(Run(name, graph, {graph.inputs[0]: x}))
    run_all(runs, tmp_path)
    for run in runs:
        assert not run.error, (run.name, run.error)
        (got,) = run.outputs.values()
        np.testing.assert_allclose(got, wanted[run.name], rtol=1e-4, atol=1e-4, err_msg=run.name)
    net, _ = emit.build(runs[0].graph)
    if bits == "int8":
        assert net.data_bytes <= 2 * 16 * 96 + 4 * 96 * 4  # a float each would take 4 bytes
