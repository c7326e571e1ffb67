"""GroupQueryAttention: against ONNX Runtime, and its refusals.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.grid import SAME
from mace_tools.testing.onnx_cases import Case, save, uniform
from mace_tools.testing.onnx_grid import by_onnxruntime, outcome

OP = "com.microsoft.GroupQueryAttention"
HEADS, SHARED, DEPTH, PLACES = 4, 2, 16, 12
ATTRS = {"num_heads": HEADS, "kv_num_heads": SHARED}


def case(rows=1, past=4, batch=2, lengths=None, packed=False, more=(), outputs=3, **attrs):
    """`past` rows before those of a run; `more`: operands from cos_cache on."""
    widths = [HEADS * DEPTH, SHARED * DEPTH, SHARED * DEPTH]
    q, k, v = (uniform(batch, rows, w) for w in widths)
    if packed:
        q, k, v = np.concatenate([q, k, v], -1), None, None
    caches = [uniform(batch, SHARED, past, DEPTH) for _ in range(2)]
    total = past + rows
    lengths = np.int32(lengths or [total - 1] * batch)
    return Case([q, k, v, *caches, lengths, np.int32(total), *more], {**ATTRS, **attrs}, outputs)


def tables():
    return [uniform(PLACES, DEPTH // 2), uniform(PLACES, DEPTH // 2)]


CASES = {
    "a prompt": case(3, 0), "a prompt behind a cache": case(3, 4, 1), "a token": case(),
    "one operand": case(3, 0, packed=True), "one operand and a cache": case(packed=True),
    "a window": case(5, 0, local_window_size=2), "a scale": case(scale=0.3),
    "a window behind a cache": case(local_window_size=3), "a soft cap": case(3, 0, softcap=1.5),
    "rotation": case(3, 0, more=tables(), do_rotary=1),
    "rotation of neighbours": case(more=tables(), do_rotary=1, rotary_interleaved=1),
    "rotation of one operand": case(packed=True, more=tables(), do_rotary=1),
    "rotation of a part": case(3, 0, more=[t[:, :8] for t in tables()], do_rotary=1),
    "positions": case(more=[*tables(), np.int64([[4], [4]])], do_rotary=1),
    "a smooth softmax": case(3, 0, smooth_softmax=1),
    "a bias": case(3, 0, more=[None, None, None, uniform(1, HEADS, 3, 3)]),
    "sinks": case(3, 0, more=[None, None, None, None, uniform(HEADS)]),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_what_onnx_runtime_computes(tmp_path, name):
    given = CASES[name]
    assert outcome(save(tmp_path / "m.onnx", OP, given), given).kind == SAME


@pytest.mark.parametrize("given", [
    case(1, 4, lengths=[4, 2]),
    case(1, 4, lengths=[4, 2], more=tables(), do_rotary=1)], ids=["plain", "rotation"])
def test_sequences_of_other_lengths(tmp_path, given):
    """Rows of a cache beyond the length of a sequence hold nothing."""
    path = save(tmp_path / "m.onnx", OP, given)
    wanted = by_onnxruntime(path, given)
    graph = importers.load("onnx", path)
    made = reference.run(graph, {"x": given.x})
    y, keys, _ = (made[name] for name in graph.outputs)
    np.testing.assert_allclose(y, wanted[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(keys[1, :, :3], wanted[1][1, :, :3], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("given", "words"), [
    (case(k_quant_type="PER_TENSOR"), "k_quant_type"), (case(kv_cache_bit_width=8), "bit_width"),
    (case(more=[None] * 5 + [uniform(1)]), "scales of a quantized cache"),
    (case(more=[None] * 7 + [uniform(DEPTH)]), "norms of queries"),
    (case(do_rotary=1), "without cosines and sines"), (case(num_heads=0), "number of heads"),
])
def test_what_is_refused(tmp_path, given, words):
    with pytest.raises(UnsupportedOps, match=words):
        importers.load("onnx", save(tmp_path / "m.onnx", OP, given))
