"""Einsum, which ONNX and TensorFlow have: reductions, transposes and one product.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Sequence

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode

HELP = "write it as Transpose, Reshape and MatMul"


def einsum(b: Builder, n: SourceNode) -> str:
    """Operands one after the other; a label twice in one is its diagonal"""
    terms, result = _parse(n.attr("equation"), [b.rank(x) for x in n.inputs])
    operands = [_diagonals(b, x, term) for x, term in zip(n.inputs, terms)]
    x, labels = operands[0]
    for k, (y, other) in enumerate(operands[1:], 1):
        last = k + 1 == len(operands)
        rest = "".join(term for _, term in operands[k + 1 :])
        both = "".join(dict.fromkeys(labels + other))
        keeps = result if last else "".join(c for c in both if c in result + rest)
        x, labels = _pair(b, x, labels, y, other, keeps), keeps
    x, labels = _sum_alone(b, x, labels, result)
    return _order(b, x, labels, result)


def _pair(b: Builder, x: str, left: str, y: str, right: str, result: str) -> str:
    x, left = _sum_alone(b, x, left, result + right)
    y, right = _sum_alone(b, y, right, result + left)
    if all(label in result for label in left + right):
        return b.op("Eltwise", _spread(b, x, left, result), _spread(b, y, right, result),
                    type="PROD")
    return _product(b, x, left, y, right, result)


def _parse(equation: str, ranks: list[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result. Axes for which `...` stands get labels of
    their own, the same ones counted from the last."""
    text = equation.replace(" ", "")
    given, arrow, result = text.partition("->")
    terms = given.split(",")
    if len(terms) != len(ranks) or any(t.count("...") > 1 for t in [*terms, result]):
        raise Unsupported(f"Einsum with equation '{equation}'", HELP)
    counts = [rank - len(t.replace("...", "")) if "..." in t else 0
              for t, rank in zip(terms, ranks)]
    most = max(counts, default=0)
    own = "".join(chr(0x100 + k) for k in range(most))
    if not arrow:
        labels = sorted(set(given) - set(",."))
        result = "..." * bool(most) + "".join(c for c in labels if given.count(c) == 1)
    terms = [t.replace("...", own[most - count :]) for t, count in zip(terms, counts)]
    result = result.replace("...", own)
    fits = all(len(t) == rank for t, rank in zip(terms, ranks)) and min(counts, default=0) >= 0
    if not fits or len(set(result)) < len(result) or set(result) - set("".join(terms)):
        raise Unsupported(f"Einsum with equation '{equation}'", HELP)
    return terms, result


def _diagonals(b: Builder, x: str, labels: str) -> tuple[str, str]:
    """An operand of which no label occurs twice."""
    while len(set(labels)) < len(labels):
        label = next(c for c in labels if labels.count(c) > 1)
        first = labels.index(label)
        second = labels.index(label, first + 1)
        extent = b.extents(x)[first]
        if extent is None or extent != b.extents(x)[second]:
            raise Unsupported(f"the diagonal of extents {b.extents(x)}", HELP)
        order = [k for k in range(len(labels)) if k not in (first, second)]
        lead = [0] * len(order)
        x = b.op("Reshape", b.transpose(x, [*order, first, second]), dim=[*lead, extent * extent])
        x = b.op("Slice", x, starts=[0], ends=[extent * extent], axes=[len(order)],
                 steps=[extent + 1])
        labels = "".join(labels[k] for k in order) + label
    return x, labels


def _sum_alone(b: Builder, x: str, labels: str, others: str) -> tuple[str, str]:
    """Sums over axes that occur in neither the other operand nor the result."""
    axes = [k for k, label in enumerate(labels) if label not in others]
    if axes:
        x = b.op("Reduce", x, reduce_type="SUM", axis=axes, keepdims=0)
    return x, "".join(label for label in labels if label in others)


def _order(b: Builder, x: str, labels: str, wanted: str) -> str:
    return b.transpose(x, [labels.index(label) for label in wanted])


def _spread(b: Builder, x: str, labels: str, result: str) -> str:
    """x with its axes in the result's order, and extents of 1 for axes that it lacks."""
    x = _order(b, x, labels, "".join(label for label in result if label in labels))
    missing = [k for k, label in enumerate(result) if label not in labels]
    return b.op("ExpandDims", x, axis=missing) if missing else x


def _product(b: Builder, x: str, left: str, y: str, right: str, result: str) -> str:
    batch = "".join(label for label in result if label in left and label in right)
    inner = "".join(label for label in left if label in right and label not in result)
    rows = "".join(label for label in left if label not in right)
    columns = "".join(label for label in right if label not in left)
    sizes = {**dict(zip(left, b.extents(x))), **dict(zip(right, b.extents(y)))}
    x = _joined(b, _order(b, x, left, batch + rows + inner), batch, rows, inner, sizes)
    y = _joined(b, _order(b, y, right, batch + inner + columns), batch, inner, columns, sizes)
    z = b.op("MatMul", x, y)
    if len(rows) != 1 or len(columns) != 1:
        z = b.op("Reshape", z, dim=_extents(batch + rows + columns, sizes))
    return _order(b, z, batch + rows + columns, result)


def _joined(
    b: Builder, x: str, batch: str, rows: str, columns: str, sizes: dict[str, int | None]
) -> str:
    """Reshapes [batch..., rows..., columns...] to [batch..., row, column]."""
    if len(rows) == len(columns) == 1:
        return x
    last = [math.prod(_extents(part, sizes)) for part in (rows, columns)]
    return b.op("Reshape", x, dim=[*_extents(batch, sizes), *last])


def _extents(labels: Sequence[str], sizes: dict[str, int | None]) -> list[int]:
    extents = [sizes[label] for label in labels]
    if None in extents:
        raise Unsupported("Einsum over extents that are not known", HELP)
    return extents  # type: ignore[return-value]
