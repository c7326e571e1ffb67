"""Tests of operators that official node tests of the data set do not cover.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.grid import SAME
from mace_tools.testing.onnx_cases import Case, save
from mace_tools.testing.onnx_file import model, node
from mace_tools.testing.onnx_grid import outcome

RNG = np.random.default_rng(2)


def run(path, nodes, feeds, constants=None, opset=18):
    """The output y, before and after the passes."""
    path = model(path / "m.onnx", nodes, {k: v.shape for k, v in feeds.items()}, ["y"], constants,
                 opset)
    before = reference.run(importers.load("onnx", path), feeds)["y"]
    after = reference.run(convert(importers.load("onnx", path)), feeds)["y"]
    np.testing.assert_allclose(before, after, rtol=1e-5, atol=1e-6)
    return after


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("equation, shapes", [
    ("ij->ji", [(2, 3)]), ("ijk->j", [(2, 3, 4)]), ("ij", [(2, 3)]),
    ("ij,jk->ik", [(2, 3), (3, 4)]), ("ij,kj->ki", [(2, 3), (4, 3)]), ("ij,jk", [(2, 3), (3, 4)]),
    ("bhid,bhjd->bhij", [(2, 3, 4, 5), (2, 3, 6, 5)]), ("bij,bjk->ikb", [(2, 3, 4), (2, 4, 5)]),
    ("bchw,cd->bdhw", [(2, 3, 4, 5), (3, 6)]), ("i,j->ij", [(3,), (4,)]),
    ("ij,j->ij", [(2, 3), (3,)]),
    ("i,i->", [(4,), (4,)]), ("aij,bij->ab", [(2, 3, 4), (5, 3, 4)]),
    ("ijm,jk->ik", [(2, 3, 4), (3, 5)]),
])  # fmt: skip
def test_einsum(tmp_path, equation, shapes):
    feeds = dict(zip("ab", map(lambda s: normal(*s), shapes)))
    y = run(tmp_path, [node("Einsum", " ".join(feeds), "y", equation=equation)], feeds)
    np.testing.assert_allclose(y, np.einsum(equation, *feeds.values()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("equation", ["ii->i", "...i,i->...", "i,i,i->i"])
def test_einsum_that_is_not_supported(tmp_path, equation):
    with pytest.raises(UnsupportedOps, match="Einsum with equation"):
        run(tmp_path, [node("Einsum", "a a", "y", equation=equation)], {"a": normal(3, 3)})


def test_lp_pool_counts_padding_as_zero(tmp_path):
    x = normal(1, 2, 4, 4)
    y = run(tmp_path, [node("LpPool", "x", "y", kernel_shape=[3, 3], pads=[1, 1, 1, 1])], {"x": x})
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    np.testing.assert_allclose(y[0, 1, 0, 2], np.sqrt((padded[0, 1, 0:3, 2:5] ** 2).sum()),
                               rtol=1e-5)


@pytest.mark.parametrize("opset, count", [(18, 2), (21, 6)])
def test_group_normalization(tmp_path, opset, count):
    x, scale, bias = normal(2, 6, 3, 4), normal(count), normal(count)
    y = run(tmp_path, [node("GroupNormalization", "x s b", "y", num_groups=2)], {"x": x},
            {"s": scale, "b": bias}, opset)
    g = x.reshape(2, 2, -1)
    g = (g - g.mean(2, keepdims=True)) / np.sqrt(g.var(2, keepdims=True) + 1e-5)
    scale, bias = (np.repeat(v, 6 // count).reshape(6, 1, 1) for v in (scale, bias))
    np.testing.assert_allclose(y, g.reshape(x.shape) * scale + bias, rtol=1e-4, atol=1e-5)


def test_shrink(tmp_path):
    x = np.array([-3, -1, 0, 1, 3], np.float32)
    y = run(tmp_path, [node("Shrink", "x", "y", lambd=1.5, bias=1.0)], {"x": x})
    assert y.tolist() == [-2, 0, 0, 0, 2]


@pytest.mark.parametrize("upper, k", [(1, 0), (0, 0), (1, 1), (0, -1)])
def test_trilu(tmp_path, upper, k):
    x = normal(2, 3, 4)
    y = run(tmp_path, [node("Trilu", "x k", "y", upper=upper)], {"x": x}, {"k": np.array(k)})
    assert (y == (np.triu if upper else np.tril)(x, k)).all()


MATRICES = {
    "one": normal(1, 1), "three": normal(2, 3, 3), "four": normal(4, 4), "five": normal(2, 3, 5, 5),
    "twenty": normal(20, 20), "singular": np.outer(normal(5), normal(5)),
    "a column of zeros": np.diag(np.float32([1, 0, 3, 4, 5])),
    "an odd permutation": np.eye(6, dtype=np.float32)[[1, 0, 2, 4, 5, 3]] * 2,
    "small pivots first": np.float32([[1e-9, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1e-9, 2],
                                      [3, 0, 4, 0]]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_det(tmp_path, name):
    x = MATRICES[name]
    y = run(tmp_path, [node("Det", "x", "y")], {"x": x})
    wanted = np.linalg.det(x.astype(np.float64))
    np.testing.assert_allclose(y, wanted, 1e-4, 1e-5)


BIG = 2**24 + 1  # no float32 holds it


@pytest.mark.parametrize("nodes, constants, want", [
    ([node("ConstantOfShape", "shape", "c", value=np.array([BIG], np.int64)),
      node("Add", "i c", "y")], {"shape": np.array([2])}, [BIG + 1, BIG + 5]),
    ([node("Mul", "i big", "z"), node("Clip", "z low high", "y")],
     {"big": np.array(BIG // 2), "low": np.array(BIG), "high": np.array(2 * BIG + 1)},
     [BIG, 2 * BIG + 1]),
    ([node("Pad", "i pads value", "y")], {"pads": np.array([1, 1]), "value": np.array(BIG)},
     [BIG, 1, 5, BIG]),
    ([node("OneHot", "i depth values", "y")],
     {"depth": np.array(2), "values": np.array([BIG, BIG + 2])},
     [[BIG, BIG + 2], [BIG, BIG]]),
], ids=["ConstantOfShape", "Clip", "Pad", "OneHot"])
def test_integers_that_float32_does_not_hold_stay_exact(tmp_path, nodes, constants, want):
    nodes = [node("Cast", "x", "i", to=7), *nodes]
    assert run(tmp_path, nodes, {"x": np.array([1, 5], np.float32)}, constants).tolist() == want


def test_det_of_too_many_elements(tmp_path):
    with pytest.raises(UnsupportedOps, match="a determinant of 65 x 65 elements"):
        run(tmp_path, [node("Det", "x", "y")], {"x": normal(65, 65)})


@pytest.mark.parametrize("attrs", [{"strides": [2, 1, 2]}, {"pads": [1, 0, 1, 0, 1, 1]},
                                   {"auto_pad": "SAME_UPPER", "strides": [2, 2, 2]}])
def test_a_transposed_convolution_of_volumes_states_its_kernel(tmp_path, attrs):
    case = Case([normal(1, 2, 3, 4, 5), normal(2, 3, 2, 3, 2), normal(3)],
                {"kernel_shape": [2, 3, 2], **attrs})
    assert outcome(save(tmp_path / "m.onnx", "ConvTranspose", case), case).kind == SAME
    case.attrs["kernel_shape"] = [2, 2, 2]
    with pytest.raises(ModelError, match=r"kernel_shape is \[2, 2, 2\], its filter has"):
        importers.load("onnx", save(tmp_path / "m.onnx", "ConvTranspose", case))


def test_unique_of_a_scalar(tmp_path):
    case = Case([np.array(3, np.float32)], {}, 4)
    assert outcome(save(tmp_path / "m.onnx", "Unique", case), case).kind == SAME


def test_eye_like(tmp_path):
    nodes = [node("EyeLike", "x", "e", k=1), node("Add", "x e", "y")]
    x = normal(3, 4)
    assert (run(tmp_path, nodes, {"x": x}) == x + np.eye(3, 4, 1, dtype="f")).all()


@pytest.mark.parametrize("op, gates", [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_two_directions_are_two_runs(tmp_path, op, gates):
    """The reverse one is the forward one on the reversed sequence."""
    x, w, r, b = normal(5, 2, 3), normal(2, gates * 4, 3), normal(2, gates * 4, 4), normal(
        2, gates * 8)
    both = run(tmp_path, [node(op, "x w r b", "y", hidden_size=4, direction="bidirectional")],
               {"x": x}, {"w": w, "r": r, "b": b})
    for d, xs in ((0, x), (1, x[::-1].copy())):
        one = run(tmp_path, [node(op, "x w r b", "y", hidden_size=4)], {"x": xs},
                  {"w": w[d : d + 1], "r": r[d : d + 1], "b": b[d : d + 1]})
        np.testing.assert_allclose(both[:, d], (one if d == 0 else one[::-1])[:, 0], rtol=1e-5,
                                   atol=1e-6)
