"""Keys and values of MACE's own deployment files, and odd inputs and outputs.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.config.load import load
from mace_tools.config.load_test import GOOD, problems, write

__all__ = ["write"]  # a fixture

SAME = [
    ("runtime: cpu", "runtime: cpu\n    quantize_large_weights: 1",
     lambda m: m.quantize.weights_only == "int8"),
    ("runtime: cpu", "runtime: cpu\n    quantize: 0", lambda m: m.quantize is None),
    ("runtime: cpu", "runtime: gpu\n    data_type: fp16_fp16",
     lambda m: m.data_type == "fp16_fp32"),
    ("runtime: cpu", "runtime: dsp\n    nnlib_graph_mode: 4", lambda m: m.nnlib_graph_mode == 4),
    ("runtime: cpu", "runtime: cpu+gpu\n    winograd: 1", lambda m: m.winograd == 1),
    ("runtime: cpu", "runtime: gpu\n    memory_strategy: GREEDY",
     lambda m: m.memory_strategy == "GREEDY"),
    ("runtime: cpu", "runtime: cpu\n    validation_threshold: {CPU: 0.9, HEXAGON: 0.8}",
     lambda m: m.validation_threshold == {"cpu": 0.9, "dsp": 0.8}),
    ("1,3,8,8", "1,0,8,8", lambda m: m.subgraph.input_shapes == ((1, 0, 8, 8),)),
    ("input_tensors: x", "input_tensors: 'x '", lambda m: m.subgraph.input_tensors == ("x ",)),
    ("input_tensors: x", "input_tensors: ' '", lambda m: m.subgraph.input_tensors == (" ",)),
    ("input_tensors: x", "input_tensors: y", lambda m: m.subgraph.input_tensors == ("y",)),
    ("input_tensors: x\n        input_shapes: 1,3,8,8", "input_tensors: []",
     lambda m: m.subgraph.input_tensors == m.subgraph.input_shapes == ()),
    ("input_tensors: x\n        input_shapes: 1,3,8,8",
     "input_tensors: []\n        input_shapes: []",
     lambda m: m.subgraph.input_tensors == m.subgraph.input_shapes == ()),
]


@pytest.mark.parametrize("old, new, holds", SAME)
def test_values_that_are_accepted(write, old, new, holds):
    assert old in GOOD
    assert holds(load(write(GOOD.replace(old, new))).library.models["net"])


@pytest.mark.parametrize("old, new, text", [
    ("runtime: cpu", "runtime: gpu\n    cl_mem_type: buffer", "the GPU keeps tensors in images"),
    ("runtime: cpu", "runtime: cpu\n    backend: tensorflow", "no effect: --validate runs"),
    ("runtime: cpu", "runtime: cpu\n    graph_optimize_options: [fold]", "no effect: the conv"),
    ("input_tensors: x", "check_tensors: c\n        input_tensors: x", "no effect: `compare"),
])
def test_keys_without_effect_are_noted(write, old, new, text):
    notes = load(write(GOOD.replace(old, new))).notes
    assert any(text in note.message and note.line for note in notes)


@pytest.mark.parametrize("old, new, text", [
    ("runtime: cpu", "runtime: gpu\n    memory_strategy: offsets/AUTO",
     [":9: models.net.memory_strategy: it plans an arena of bytes, and the GPU's tensors are"]),
    ("runtime: cpu", "runtime: cpu+gpu\n    memory_strategy: MINCOSTFLOW",
     [":9: models.net.memory_strategy: it plans", "example: memory_strategy: AUTO"]),
])
def test_strategies_that_plan_no_images_are_refused_for_the_gpu(write, old, new, text):
    message = problems(write(GOOD.replace(old, new)))
    assert all(words in message for words in text), message
