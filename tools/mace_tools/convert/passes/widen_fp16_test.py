"""KV caches of fp16 stay fp16, unless something else reads them.

SPDX-License-Identifier: Apache-2.0
"""

from collections import Counter

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.passes.widen_fp16 import widen_fp16
from mace_tools.graph.ir import Graph
from mace_tools.graph.states import State

CACHE, ROWS = (1, 2, 8, 4), (1, 2, 3, 4)


def cached(readers: str) -> Graph:
    """Attention over a cache of fp16, which `readers` read too: Identity, or another op."""
    graph = Graph("cached")
    for name, dtype, shape in (("q", "f32", ROWS), ("rows", "f32", ROWS), ("cache", "f16", CACHE)):
        graph.add_input(name, dtype, shape)
    graph.add_input("position", "i64", (1,))
    graph.states["cache"] = State("next")
    graph.add("UpdateKvCache", ["cache", "rows", "position"], ["updated"])
    graph.add("Attention", ["q", "updated", "updated", "", "position"], ["y"], right_window=0)
    graph.add("Identity", ["updated"], ["copy"])
    graph.add("Identity", ["copy"], ["next"])
    graph.outputs = ["y", "next"]
    for name in ("updated", "copy", "next"):
        graph.tensors[name].dtype, graph.tensors[name].shape = "f16", CACHE
    if readers:
        name = {"before": "cache", "behind": "updated", "of a copy": "copy"}[readers]
        graph.add("Reduce", [name], ["sum"], axis=[0], reduce_type="SUM")
        graph.outputs.append("sum")
        graph.tensors["sum"].dtype = "f16"
    return graph


@pytest.mark.parametrize("readers", ["", "before", "behind", "of a copy"])
def test_caches_stay_fp16(readers):
    graph = cached(readers)
    widen_fp16(graph)
    casts = Counter(node.attrs["to"] for node in graph.nodes if node.op == "Cast")
    is_wide = graph.tensors["updated"].dtype == "f32"
    assert is_wide == bool(readers) and bool(casts) == bool(readers)
    graph.topo_sort()
    random = np.random.default_rng(0)
    feeds = {"q": random.normal(size=ROWS).astype(np.float32),
             "rows": random.normal(size=ROWS).astype(np.float16).astype(np.float32),
             "cache": random.normal(size=CACHE).astype(np.float16), "position": np.array([2])}
    got = reference.run(graph, feeds)
    want = feeds["cache"].copy()
    want[:, :, 2:5] = feeds["rows"]
    assert got["next"].dtype == np.float16
    np.testing.assert_array_equal(got["next"], want)
