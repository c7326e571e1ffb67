"""RotaryEmbedding: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import require, same
from mace_tools.convert.ops.common.heads import by_heads, heads_of
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (*[lambda x: (*x, 2, 2)[:2]] * 2,
                 *[lambda x: (1, 2, *(*x, 2, 2)[:1], 2 * (*x, 2, 2)[1])] * 3)


def infer(v: View) -> list[Type]:
    count, heads = len(v.node.inputs) - 2, v.attr("heads")
    require(len(v.node.outputs) == count, f"it must have {count} outputs")
    require(len(heads) in (0, count), f"heads {heads} must be one number for each tensor")
    types: list[Type] = []
    for i in range(2, 2 + count):
        batch, of_x, rows, depth = heads_of(v.shape(i), heads[i - 2] if heads else 0)
        size = v.attr("size") or depth
        require(size is None or size >= 0 and size % 2 == 0
                and (depth is None or size <= depth),
                f"size {size} must be an even number of the {depth} elements")
        _check_angles(v, (batch, of_x, rows), size)
        types.append(("f32", v.shape(i)))
    return types


def _check_angles(v: View, lead: tuple[int | None, ...], size: int | None) -> None:
    """Cosines and sines must broadcast, with `size` or half as many in the last axis."""
    angles = [v.shape(k) for k in range(2)]
    lasts = [None if a is None else a[-1] if a else -1 for a in angles]
    require(same(*lasts) and (size is None or all(n in (None, size, size // 2) for n in lasts)),
            f"cos and sin must end with {size} or half of it")
    for a in angles:
        require(a is None or len(a) <= 4 and all(
            m is None or d is None or m in (1, d)
            for m, d in zip(reversed(a[:-1]), reversed(lead))),
            f"{a} does not broadcast to {lead}")


def evaluate(xs, attrs):
    return [_turned(x, xs[0], xs[1], (attrs["heads"] or [0] * len(xs))[i], attrs)
            for i, x in enumerate(xs[2:])]


def _turned(given, cos, sin, heads, attrs):
    x = given if given.ndim == 4 else by_heads(given, heads)
    size, y = attrs["size"] or x.shape[3], x.copy()
    first, second = ((slice(0, size, 2), slice(1, size, 2)) if attrs["interleaved"]
                     else (slice(0, size // 2), slice(size // 2, size)))
    a, b = x[..., first], x[..., second]
    whole = cos.shape[-1] == size
    cos = (cos[..., first], cos[..., second]) if whole else (cos, cos)
    sin = (sin[..., first], sin[..., second]) if whole else (sin, sin)
    y[..., first], y[..., second] = a * cos[0] - b * sin[0], b * cos[1] + a * sin[1]
    return y if given.ndim == 4 else y.swapaxes(1, 2).reshape(given.shape)
