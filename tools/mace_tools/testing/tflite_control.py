"""The graphs that TFLite's IF, WHILE and STABLEHLO_COMPOSITE run in tests.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.testing.tflite_file import Maker

SHAPE = (2, 4)  # of what they are given


def _part(shapes: dict[str, tuple[Any, str]], ops: list[tuple], outputs: dict[str, str]) -> Any:
    """A graph that an operator runs: (its Maker, its inputs, its outputs)."""
    m = Maker()
    for name, (shape, kind) in shapes.items():
        m.tensor(name, shape, kind)
    for name, kind in outputs.items():
        if name not in m.index:
            m.tensor(name, (), kind)
    for op in ops:
        m.op(*op[:3], *op[3:])
    return m, list(shapes), list(outputs)


def branches(m: Maker) -> None:
    given = {"a": (SHAPE, "float32")}
    m.more += [_part(given, [("NEG", ["a"], ["b"])], {"b": "float32"}),
               _part(given, [("ABS", ["a"], ["c"])], {"c": "float32"})]


def while_(m: Maker) -> None:
    """Doubles x while a counter is below 3."""
    given = {"a": (SHAPE, "float32"), "i": ((1,), "int32")}
    condition = _part(given, [], {"go": "bool"})
    condition[0].op("LESS", ["i", condition[0].const("three", np.array([3], np.int32))], ["go"])
    body = _part(given, [("ADD", ["a", "a"], ["b"], "AddOptions")], {"b": "float32", "j": "int32"})
    body[0].op("ADD", ["i", body[0].const("one", np.array([1], np.int32))], ["j"], "AddOptions")
    m.more += [condition, body]


def swish(m: Maker) -> None:
    """x times its logistic function, and x."""
    given = {"x": (SHAPE, "float32"), "unused": (SHAPE, "float32")}
    inner, inputs, _ = _part(given, [("LOGISTIC", ["x"], ["s"]),
                                     ("MUL", ["x", "s"], ["y"], "MulOptions")], {"y": "float32"})
    m.more.append((inner, inputs, ["y", "x"]))
