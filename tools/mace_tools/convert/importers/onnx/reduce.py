"""Reductions, searches and sums along axes.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode

_REDUCE = {"ReduceMean": "MEAN", "ReduceMin": "MIN", "ReduceMax": "MAX", "ReduceProd": "PROD",
           "ReduceSum": "SUM", "ReduceL1": "L1", "ReduceL2": "L2", "ReduceLogSum": "LOG_SUM",
           "ReduceLogSumExp": "LOG_SUM_EXP", "ReduceSumSquare": "SUM_SQUARE"}


@registry.op(*_REDUCE)
def reduce(b: Builder, n: SourceNode) -> str:
    x, keepdims, kind = n.inputs[0], n.flag("keepdims", 1), _REDUCE[n.op]
    axes, nothing = n.attr("axes"), n.flag("noop_with_empty_axes", 0)
    if len(n.inputs) > 1 and n.inputs[1]:
        value = b.const(n.inputs[1])
        if value is None and 0 not in (b.shape(n.inputs[1]) or (1,)):
            return b.op("Reduce", x, n.inputs[1], reduce_type=kind, keepdims=keepdims)
        axes = [] if value is None else value.reshape(-1).tolist()
    if not axes and nothing:
        return _of_each(b, x, kind)
    if b.dtype(x) == "bool":
        kind = {"MIN": "ALL", "MAX": "ANY"}.get(kind, kind)
    return b.op("Reduce", x, reduce_type=kind, axis=axes or [], keepdims=keepdims)


def _of_each(b: Builder, x: str, kind: str) -> str:
    """What reducing each element by itself gives."""
    if kind in ("L1", "L2"):
        return b.op("Unary", x, type="ABS")
    if kind == "SUM_SQUARE":
        return b.op("Unary", x, type="SQUARE")
    return b.op("Unary", x, type="LOG") if kind == "LOG_SUM" else b.op("Identity", x)


@registry.op("ArgMax", "ArgMin")
def arg_max(b: Builder, n: SourceNode) -> str:
    return b.op("ArgMax", n.inputs[0], axis=n.attr("axis", 0), keepdims=n.flag("keepdims", 1),
                argmin=int(n.op == "ArgMin"), select_last=n.flag("select_last_index", 0))


@registry.op("CumSum", "CumProd")
def cumsum(b: Builder, n: SourceNode) -> str:
    axis = b.const(n.inputs[1])
    if axis is None:
        raise Unsupported("the axis is computed", "make the axis a constant")
    return b.op("Cumsum", n.inputs[0], axis=axis.item(), exclusive=n.flag("exclusive", 0),
                reverse=n.flag("reverse", 0), product=int(n.op == "CumProd") or None)


@registry.op("TopK")
def top_k(b: Builder, n: SourceNode) -> list[str]:
    attrs = {"axis": n.attr("axis", -1), "largest": n.flag("largest", 1),
             "sorted": n.flag("sorted", 1)}
    inputs = [n.inputs[0]]
    k = n.attr("k")
    if k is None:
        value = b.const(n.inputs[1])
        k = None if value is None else value.item()
        inputs += [n.inputs[1]] if value is None else []
    return b.ops("TopK", inputs, 2, k=k, **attrs)
