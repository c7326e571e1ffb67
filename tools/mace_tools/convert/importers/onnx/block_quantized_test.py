"""MatMulNBits and GatherBlockQuantized: against ONNX Runtime, and their refusals.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import ml_dtypes
import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError
from mace_tools.testing.grid import SAME
from mace_tools.testing.onnx_cases import Case, i64, save, uniform
from mace_tools.testing.onnx_grid import outcome

MS = "com.microsoft."
N, K = 5, 40  # a last block that is not full, zero points that do not fill a byte
RNG = np.random.default_rng(3)


def packed(*shape: int) -> np.ndarray:
    return RNG.integers(0, 256, shape).astype(np.uint8)


def product(bits: int, block: int, zeros: str = "", bias: bool = False,
            columns: int = K, kind: type = np.float32) -> Case:
    blocks = -(-columns // block)
    scales = (np.abs(uniform(N, blocks)) + 0.1).astype(kind)
    zero = {"": None, "packed": packed(N, -(-blocks * bits // 8)),
            "floats": (8 * uniform(N, blocks)).astype(kind)}[zeros]
    operands = [uniform(3, columns).astype(kind), packed(N, blocks, block * bits // 8), scales,
                zero, None, uniform(N).astype(kind) if bias else None]
    while operands[-1] is None:
        operands.pop()
    return Case(operands, {"N": N, "K": columns, "bits": bits, "block_size": block})


PRODUCTS = [product(bits, block, zeros, bias) for bits, block, zeros, bias in itertools.product(
    (2, 4, 8), (16, 32), ("", "packed"), (False, True))]
PRODUCTS += [product(4, 16, "floats"), product(4, 16, "floats", True), product(4, 16, columns=64),
             product(8, 64)]


@pytest.mark.parametrize("case", PRODUCTS, ids=lambda c: str(list(c.attrs.values())))
def test_a_product(tmp_path, case):
    assert outcome(save(tmp_path / "m.onnx", f"{MS}MatMulNBits", case), case).kind == SAME


def test_a_product_of_halves(tmp_path):
    """By the definition: ONNX Runtime rounds sums elsewhere, by one unit in the last place."""
    case = product(4, 32, "packed", kind=np.float16)
    graph = importers.load("onnx", save(tmp_path / "m.onnx", f"{MS}MatMulNBits", case))
    x, w, scales, zeros = (a.astype(np.float64) if a.dtype == np.float16 else a
                           for a in case.operands[:4])
    values = np.stack([w & 15, w >> 4], -1).reshape(N, 2, 32).astype(np.float64)
    zero = np.stack([zeros & 15, zeros >> 4], -1).reshape(N, 2, 1)
    wanted = x @ ((values - zero) * scales[..., None]).reshape(N, -1)[:, :K].T
    got = reference.run(graph, {"x": case.x})["y0"]
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, wanted, 2e-3, 2e-2)


def test_columns_in_groups_of_their_own(tmp_path):
    """By the definition: ONNX Runtime calls this operand deprecated."""
    case = product(4, 16, "packed")
    groups = RNG.integers(0, 3, K).astype(np.int32)
    case.operands = [*case.operands, groups]
    graph = importers.load("onnx", save(tmp_path / "m.onnx", f"{MS}MatMulNBits", case))
    x, w, scales, zeros = case.operands[:4]
    weights = np.stack([w & 15, w >> 4], -1).reshape(N, -1)[:, :K].astype(np.float32)
    zero = np.stack([zeros & 15, zeros >> 4], -1).reshape(N, -1)[:, groups]
    wanted = (weights - zero) * scales[:, groups]
    (constant,) = [t.data for t in graph.tensors.values() if t.data is not None]
    np.testing.assert_array_equal(constant, wanted)


def rows(bits: int, block: int, zeros: bool, shape: tuple[int, ...] = (6, 64)) -> Case:
    scales = list(shape)
    scales[-1] = -(-shape[-1] // block)
    bytes_ = [*shape[:-1], -(-shape[-1] * bits // 8)]
    zero = [*scales[:-1], -(-scales[-1] * bits // 8)]
    return Case([packed(*bytes_), i64(1, 0, -1), (np.abs(uniform(*scales)) + 0.1),
                 *([packed(*zero)] if zeros else [])],
                {"bits": bits, "block_size": block, "quantize_axis": -1}, fed=1)


ROWS = [rows(bits, block, zeros) for bits, block, zeros in itertools.product(
    (2, 4, 8), (16, 32), (False, True))]
ROWS += [rows(4, 16, False, (4, 3, 32))]


def narrow_rows(kind: type, scales: tuple[int, int], zeros: bool = False, along: int = 1,
                axis: int = 0, block: int = 16) -> Case:
    def numbers(*shape: int) -> np.ndarray:
        return (RNG.normal(size=shape) * 3).astype(np.float32).astype(kind)

    return Case([numbers(32, 64), i64(1, 0, -1), np.abs(uniform(*scales)) + 0.1,
                 *([numbers(*scales)] if zeros else [])],
                {"block_size": block, "quantize_axis": along, "gather_axis": axis}, opset=21,
                fed=1)


ROWS += [narrow_rows(ml_dtypes.int4, (32, 4)), narrow_rows(ml_dtypes.int4, (32, 4), True),
         narrow_rows(ml_dtypes.int4, (2, 64), True, 0, 1), narrow_rows(ml_dtypes.uint4, (32, 4)),
         narrow_rows(ml_dtypes.float8_e4m3fn, (32, 4)),
         narrow_rows(ml_dtypes.float8_e4m3fn, (1, 1), block=0),
         narrow_rows(ml_dtypes.float4_e2m1fn, (32, 4))]


@pytest.mark.parametrize("case", ROWS, ids=lambda c: str(list(c.attrs.values())))
def test_rows_of_a_table(tmp_path, case):
    path = save(tmp_path / "m.onnx", f"{MS}GatherBlockQuantized", case)
    assert outcome(path, case).kind == SAME


@pytest.mark.parametrize("op, case, reason", [
    ("MatMulNBits", Case(product(4, 16).operands, {**product(4, 16).attrs, "bits": 3}),
     "weights of 3 bits"),
    ("MatMulNBits", Case(product(4, 16).operands, {**product(4, 16).attrs, "N": 6}),
     r"needs \[6, 48\]"),
    ("MatMulNBits", Case(product(4, 16).operands, product(4, 16).attrs, fed=1),
     "its weights 'x' are computed while the model runs"),
    ("MatMulNBits", Case(product(4, 16).operands, {**product(4, 16).attrs,
                                                   "weight_prepacked": 1}), "weight_prepacked"),
    ("GatherBlockQuantized", Case(rows(4, 16, False).operands, {"quantize_axis": 3}, fed=1),
     "quantize_axis 3"),
])
def test_a_refusal(tmp_path, op, case, reason):
    with pytest.raises(MaceError, match=reason):
        importers.load("onnx", save(tmp_path / "m.onnx", f"{MS}{op}", case))


def halves(case: Case, *places: int) -> Case:
    """With scales, and perhaps zero points, that fp16 holds."""
    for k in places:
        case.operands[k] = case.operands[k].astype(np.float16).astype(np.float32)
    return case


KEPT = [(product(4, 32), "i4"), (product(4, 32, "packed"), "i4z"), (product(8, 32), "i8b"),
        (product(2, 32, "packed"), "i4"), (product(4, 64, columns=160), "i4"),
        (product(4, 128, "packed", columns=256), "i4z"), (product(8, 64, columns=128), "i8b"),
        (product(4, 256, bias=True), "i4")]


@pytest.mark.parametrize(("case", "stored"), KEPT, ids=lambda c: str(
    c if isinstance(c, str) else list(c.attrs.values())))
def test_blocks_are_kept_bit_for_bit(tmp_path, case, stored):
    path = save(tmp_path / "m.onnx", f"{MS}MatMulNBits", halves(case, 2))
    graph = importers.load("onnx", path)
    (weight,) = (t.data for t in graph.tensors.values() if t.source_blocks)
    graph = convert(graph)
    (node,) = (n for n in graph.nodes if n.op == "FullyConnected")
    tensor = graph.tensors[node.inputs[1]]
    assert tensor.stored == stored and graph.notes == []
    np.testing.assert_array_equal(tensor.data, weight)


def test_rows_of_a_table_are_kept(tmp_path):
    case = halves(rows(4, 32, True), 2)
    graph = convert(importers.load("onnx", save(
        tmp_path / "m.onnx", f"{MS}GatherBlockQuantized", case)))
    (tensor,) = (t for t in graph.tensors.values() if t.packed is not None)
    assert tensor.stored == "i4z" and graph.notes == []


@pytest.mark.parametrize(("case", "reason"), [
    (product(4, 16), "blocks are of 16 elements, those of the engine of 32"),
    (product(8, 32, "packed"), "neither 8-bit blocks with zero points"),
    (halves(product(4, 32, "floats"), 2), None),
    (Case([*product(4, 32, "packed").operands, np.arange(K, dtype=np.int32) % 2],
          product(4, 32).attrs), "groups of their own"),
])
def test_other_blocks_become_floats_with_a_reason(tmp_path, case, reason):
    graph = convert(importers.load("onnx", save(tmp_path / "m.onnx", f"{MS}MatMulNBits", case)))
    assert all(t.packed is None for t in graph.tensors.values())
    assert any((reason or "fp16 does not hold") in note for note in graph.notes)
