"""Passes keep track of which tensor of the source each tensor has the value of.

SPDX-License-Identifier: Apache-2.0
"""

import random

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.passes.pipeline import Options, convert
from mace_tools.convert.passes.random_graphs_test import COUNT, Maker


def all_values(graph, feeds):
    kept = graph.outputs
    graph.outputs = list(dict.fromkeys([*kept, *(o for n in graph.nodes for o in n.outputs)]))
    values = reference.run(graph, feeds)
    graph.outputs = kept
    return {**values, **feeds}


@pytest.mark.parametrize("order", ["", "NCHW"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_tensors_have_the_values_of_their_origins(seed, order):
    graph = Maker(seed).make(random.Random(seed).randint(3, 14)).graph
    rng = np.random.default_rng(seed)
    feeds = {n: rng.normal(size=graph.shape(n)).astype(np.float32) for n in graph.inputs}
    graph.prune()
    want = all_values(graph, feeds)
    graph.origins = {name: (name, list(range(value.ndim))) for name, value in want.items()}
    options = Options()
    if order and "x" in graph.inputs:  # as for a model of the other order
        graph.tensors["x"].data_format = "NHWC"
        options.input_formats["x"] = order
        feeds["x"] = feeds["x"].transpose(0, 3, 1, 2)
    convert(graph, options)
    got = all_values(graph, feeds)
    compared = 0
    for name, value in got.items():
        if name in graph.origins:
            source, axes = graph.origins[name]
            expected = want[source].transpose(axes)
            assert value.shape == expected.shape, (name, source)
            scale = max(np.abs(expected).max(initial=0), 1)
            np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-4 * scale,
                                       err_msg=f"{name} from {source}")
            compared += name in {o for n in graph.nodes for o in n.outputs}
    assert compared >= len(set(graph.outputs))
