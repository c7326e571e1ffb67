"""Einsum, which ONNX and TensorFlow have: reductions, transposes and one product.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mace_tools.importers.builder import Builder
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode

HELP = "write it as Transpose, Reshape and MatMul"


def einsum(b: Builder, n: SourceNode) -> str:
    """One or two operands, without repeated labels."""
    terms, result = _parse(n.attr("equation"), len(n.inputs))
    if len(terms) == 1:
        x, labels = _sum_alone(b, n.inputs[0], terms[0], result)
        return _order(b, x, labels, result)
    x, left = _sum_alone(b, n.inputs[0], terms[0], result + terms[1])
    y, right = _sum_alone(b, n.inputs[1], terms[1], result + terms[0])
    if all(label in result for label in left + right):
        return b.op("Eltwise", _spread(b, x, left, result), _spread(b, y, right, result),
                    type="PROD")
    return _product(b, x, left, y, right, result)


def _parse(equation: str, operands: int) -> tuple[list[str], str]:
    text = equation.replace(" ", "")
    given, _, result = text.partition("->")
    terms = given.split(",")
    if "->" not in text:
        labels = sorted(set(given) - {","})
        result = "".join(label for label in labels if given.count(label) == 1)
    odd = "..." in text or any(len(set(t)) < len(t) for t in [*terms, result])
    if odd or len(terms) != operands or operands > 2:
        raise Unsupported(f"Einsum with equation '{equation}'", HELP)
    return terms, result


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
