"""How large the library for arm64 is: ceilings, which a change raises only with a reason.

SPDX-License-Identifier: Apache-2.0

They are of stripped shared libraries without the C and C++ libraries, in bytes; GOALS is where they
are to go. Building them compiles the engine for arm64, so that these are tests of the suite
`library`.
"""

import os

import pytest

from mace_tools.config.component_names import ALL
from mace_tools.graph.op_schema import all_ops
from mace_tools.package.library import engine, link, op_sizes
from mace_tools.package.library.abis import ABIS
from mace_tools.support.console import Console

MOBILENET = ("Conv2d", "DepthwiseConv2d", "Pooling", "Reshape", "Softmax", "Squeeze")
# Of models/verses, as of other decoders.
DECODER = ("Attention", "Cast", "Eltwise", "ExpandDims", "FullyConnected", "Gather", "LayerNorm",
           "Range", "Reshape", "RotaryEmbedding", "Shape", "Squeeze", "Transpose", "Unary",
           "UpdateKvCache")
# Ops that came after the goal for a library with all ops was set.
LATER = frozenset((
    "Append", "Attention", "Bitcast", "Bitwise", "Dequantize", "GridSample", "Gru", "If", "Loop",
    "LshProjection", "Lstm", "NonMaxSuppression", "NonZero", "Quantize", "QuantizedLstm", "Rnn",
    "RoiAlign", "RotaryEmbedding", "ScatterElements", "Unique"))  # fmt: skip
FORMER = tuple(op for op in all_ops() if op not in LATER)
# The ops, whether with the GPU, with types of 16 bits and with quantized tensors, the components,
# the most bytes. Of these, 6 KB are for locks that a fork leaves free, and threads that wake on
# cores of their own; 2 to 10 KB (with quantized tensors 22) for right numbers where they were
# wrong: outliers in Winograd's tiles, NaN in reductions, the rounding of int8 sums; 2 to 6 KB for
# convolutions of all types in one table, and an engine composed of planner, caches and adapters;
# 28 to 120 KB, the more the more components, ops and types, for what apps were promised since:
# tests of micro-kernels (7 to 12), asynchronous runs and traces, deadlines, contracts on
# placement and memory, driver probes, checksums of graphs, weights in memory, small allocations
# that may fail (4), KV caches, weights in blocks, and memory of cameras on the GPU; 1 to 4 KB
# for bounds on the memory and work that a hostile model, chat template or tokenizer may ask for.
CEILINGS = {
    "without ops": ((), False, False, False, ALL, 562_500),
    "without ops and components": ((), False, False, False, (), 235_500),
    "MobileNet": (MOBILENET, False, False, False, ALL, 731_000),
    "MobileNet without components": (MOBILENET, False, False, False, (), 366_500),
    "quantized MobileNet": (MOBILENET, False, False, True, ALL, 826_500),
    "former ops": (FORMER, False, True, False, ALL, 1_052_000),
    "all ops": (None, False, True, False, ALL, 1_177_500),
    "all ops and OpenCL": (None, True, True, False, ALL, 1_393_000),
    "decoder": (DECODER, False, True, False, ("dynamic", "language"), 646_000),
    "all ops and types": (None, True, True, True, ALL, 1_646_000),
}
GOALS = {"without ops and components": 150_000, "MobileNet without components": 350_000,
         "former ops": 1_000_000, "all ops": 1_000_000,
         "all ops and OpenCL": 1_600_000}  # fmt: skip

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                       reason="covered elsewhere: tools/test.sh library"),
]


@pytest.mark.parametrize("name", CEILINGS)
def test_a_library_for_arm64_is_not_larger_than_its_ceiling(tmp_path, name):
    ops, gpu, types_of_16_bits, quantized, components, most = CEILINGS[name]
    near = op_sizes.is_near(ABIS["arm64"], ops, gpu, False, types_of_16_bits, quantized)
    made = engine.build(Console(), ABIS["arm64"], ops, gpu, types_of_16_bits, quantized,
                        components, near=near)
    merged = link.merge(ABIS["arm64"], made.archives, tmp_path)
    out = tmp_path / "libmace.so"
    link.shared(ABIS["arm64"], merged, out, tmp_path / "libmace.so.debug")
    size = out.stat().st_size
    assert size <= most, f"{name}: {size} bytes, the goal is {GOALS.get(name, most)}"


@pytest.mark.parametrize("ops, quantized", [
    ((), False), (MOBILENET, False), (MOBILENET, True),
    (("Eltwise", "FullyConnected", "MatMul", "Softmax"), False)],
    ids=["none", "MobileNet", "quantized MobileNet", "products"])
def test_estimates_are_close(ops, quantized):
    """What `check` says; where it no longer is, measure the table again (op_sizes.py)."""
    size = op_sizes.measure(Console(), ABIS[op_sizes.ABI], ops, False, quantized)
    assert op_sizes.estimate(ops, quantized=quantized) == pytest.approx(size, rel=0.06)
