"""Numbers that are attributes of integer ops. Attributes are float32: larger integers become
constants.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mace_tools.convert.importers.node_maker import NodeMaker

Attrs = dict[str, Any]


def is_exact(value: Any) -> bool:
    """Whether float32 holds a number, or it is no integer."""
    return not isinstance(value, int) or int(np.float32(value)) == value


def plain_ops(b: NodeMaker, op: str, inputs: Sequence[str], outputs: int, attrs: Attrs
              ) -> list[str]:
    """Adds a node, by other ops if float32 does not hold the numbers that are its attributes."""
    rewrite, names = _REWRITES.get(op, (None, ()))
    if rewrite is None or all(is_exact(attrs.get(name)) for name in names):
        numbers = {name: float(attrs[name]) for name in names if attrs.get(name) is not None}
        return b.add_ops(op, inputs, outputs, {**attrs, **numbers})
    return [rewrite(b, inputs, attrs)]


def _node(b: NodeMaker, op: str, *inputs: str, **attrs: Any) -> str:
    return b.add_ops(op, inputs, 1, attrs)[0]


def _const(b: NodeMaker, value: Any, dtype: str) -> str:
    return b.add_const(np.array(value), dtype)


def _clip(b: NodeMaker, inputs: Sequence[str], attrs: Attrs) -> str:
    kind = b.dtype(inputs[0])
    return _node(b, "Clip", inputs[0], *(
        "" if attrs.get(name) is None else _const(b, attrs[name], kind)
        for name in ("min", "max")))


def _fill(b: NodeMaker, inputs: Sequence[str], attrs: Attrs) -> str:
    return _node(b, "Expand", _const(b, attrs["value"], attrs["dtype"]), *inputs)


def _pad(b: NodeMaker, inputs: Sequence[str], attrs: Attrs) -> str:
    """What lies outside is 0 while the value is not in the numbers"""
    value = _const(b, attrs["constant_value"], b.dtype(inputs[0]))
    less = _node(b, "Eltwise", inputs[0], value, type="SUB")
    padded = _node(b, "Pad", less, *inputs[1:], **{**attrs, "constant_value": 0.0})
    return _node(b, "Eltwise", padded, value, type="SUM")


def _one_hot(b: NodeMaker, inputs: Sequence[str], attrs: Attrs) -> str:
    hot = _node(b, "OneHot", *inputs, **{**attrs, "on_value": 1.0, "off_value": 0.0})
    return _node(b, "Select", _node(b, "Cast", hot, to="bool"),
                 _const(b, attrs["on_value"], "i64"), _const(b, attrs["off_value"], "i64"))


_REWRITES: dict[str, tuple[Callable[[NodeMaker, Sequence[str], Attrs], str], tuple[str, ...]]] = {
    "Clip": (_clip, ("min", "max")), "Fill": (_fill, ("value",)),
    "Pad": (_pad, ("constant_value",)), "OneHot": (_one_hot, ("on_value", "off_value")),
}
