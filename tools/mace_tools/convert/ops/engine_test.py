"""Inference here and in the engine (InferGraph) give the same types, and refuse the same nodes.

SPDX-License-Identifier: Apache-2.0
"""

import json
import random
from collections import Counter

import pytest

from mace_tools.convert.emit import write_model
from mace_tools.convert.shape_inference import infer_node
from mace_tools.graph.ir import Graph
from mace_tools.graph.op_schema import all_ops
from mace_tools.graph.op_support import RUN_BY_ENGINE
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.testing.random_nodes import any_node, blurred, changed, refused, sound_node

COUNT = 1000
# Random nodes have no scales; those of quantized models are compared by their results.
SCALED = {"Quantize", "Dequantize", "QuantizedLstm"}


@pytest.fixture(scope="module")
def graphs() -> list[Graph]:
    """Of each op in turn: nodes that seem sound, the same with one change, and any nodes."""
    names, result = sorted(set(all_ops()) - SCALED - set(RUN_BY_ENGINE)), []
    for k in range(COUNT):
        dice = random.Random(k)
        kind, op = k // len(names) % 6, names[k % len(names)]
        graph = any_node(op, dice) if kind == 5 else sound_node(op, dice)
        result.append(changed(graph, dice) if kind in (3, 4) else graph)
    return result


def by_engine(graphs: list[Graph], folder) -> list[dict]:
    jobs = []
    for k, graph in enumerate(graphs):
        pb, data = folder / f"{k}.pb", folder / f"{k}.data"
        write_model(graph, pb, data)
        jobs.append({"model_file": str(pb), "model_data_file": str(data)})
    (folder / "jobs.json").write_text(json.dumps(jobs))
    return json.loads(runner.output(runner.find(Console(), None),
                                    ["--infer_types", f"--batch={folder / 'jobs.json'}"]))


def test_types_and_refusals_are_the_engines(graphs, tmp_path):
    refusals = [refused(graph) for graph in graphs]
    wrong = []
    for graph, ours, theirs in zip(graphs, refusals, by_engine(graphs, tmp_path)):
        node = graph.nodes[0]
        operands = [i and (graph.tensors[i].dtype, graph.tensors[i].shape, graph.const(i))
                    for i in node.inputs]
        if bool(ours) != ("error" in theirs):
            wrong.append((node.op, operands, node.attrs, ours, theirs.get("error")))
            continue
        types = {o: [graph.tensors[o].dtype, list(graph.shape(o) or ())] for o in node.outputs}
        if not ours and types != {o: theirs["types"][o] for o in node.outputs}:
            wrong.append((node.op, operands, node.attrs, types, theirs["types"]))
    assert not wrong, "\n".join(map(str, wrong[:20])) + f"\n{len(wrong)} of {COUNT} nodes"


def test_every_op_is_tried_both_ways(graphs):
    sound = Counter(g.nodes[0].op for g in graphs if not refused(g))
    assert set(sound) == set(all_ops()) - SCALED - set(RUN_BY_ENGINE)
    assert COUNT * 0.4 < sum(sound.values()) < COUNT * 0.85


def test_what_is_not_known_contradicts_nothing(graphs):
    """With parts unknown, what is still found is what is found of the whole."""
    tried = 0
    for k, graph in enumerate(graphs):
        if refused(graph):
            continue
        other = blurred(graph, random.Random(k))
        infer_node(other, other.nodes[0])
        for name in graph.nodes[0].outputs:
            whole, part = graph.tensors[name], other.tensors[name]
            assert part.dtype == whole.dtype, str(graph.nodes[0])
            if part.shape is not None:
                tried += 1
                assert len(part.shape) == len(whole.shape), (graph.nodes[0], part, whole)
                for a, b in zip(part.shape, whole.shape):
                    assert a in (None, b), (graph.nodes[0], part, whole)
    assert tried > COUNT // 4
