"""The grid of TensorFlow: single-operator graphs, made and run by TensorFlow itself.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import inspect
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError, UnsupportedOps
from mace_tools.testing import tensorflow_image_cases
from mace_tools.testing.grid import INVALID, REFUSED, SAME, Outcome, Row, difference
from mace_tools.testing.tensorflow_cases import Case, cases

# TensorFlow's resizing by tables and its fast exponentials are off by as much.
RELATIVE, ABSOLUTE = 2e-4, 2e-5


def rows() -> Iterator[Row]:
    for k, case in enumerate((*cases(), *tensorflow_image_cases.cases())):
        attrs = "".join(f" {name}={value}" for name, value in case.attrs.items())
        yield Row(case.op, f"{case.op} #{k}{attrs}", functools.partial(outcome, case))


def outcome(case: Case) -> Outcome:
    """What becomes of a case."""
    with tf.Graph().as_default() as graph:
        feeds: dict[str, np.ndarray] = {}
        try:
            made = _node(case, feeds)
            with tf.compat.v1.Session(graph=graph) as session:
                wanted = session.run(made, {f"{name}:0": value for name, value in feeds.items()})
        except (AttributeError, TypeError, ValueError, NotImplementedError, tf.errors.OpError):
            return Outcome(INVALID)
        data = graph.as_graph_def().SerializeToString()
    names = [tensor.name.removesuffix(":0") for tensor in made]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.pb"
        path.write_bytes(data)
        try:
            model = convert(importers.load(
                "tensorflow", path, {name: v.shape for name, v in feeds.items()}, names))
        except UnsupportedOps as e:
            return Outcome(REFUSED, tuple((op.op, op.reason) for op in e.ops))
        except MaceError as e:
            return Outcome(f"{type(e).__name__}: {e}")
    got = reference.run(model, {name: feeds[name] for name in model.inputs})
    for name, want in zip(model.outputs, wanted):
        want = np.asarray(want)
        want = want.astype(np.float32) if want.dtype == np.float64 else want
        wrong = difference(got[name], want, RELATIVE, ABSOLUTE)
        if wrong:
            return Outcome(f"'{name}': {wrong}")
    return Outcome(SAME)


def _node(case: Case, feeds: dict[str, np.ndarray]) -> list[Any]:
    """Adds the operator to the current graph and returns its outputs. Errors: those of
    TensorFlow."""
    function = getattr(tf.raw_ops, case.op)
    names = list(inspect.signature(function).parameters)  # operands come first

    def operand(value: Any, k: int) -> Any:
        if isinstance(value, list):
            return [operand(v, k) for v in value]
        if k != case.fed and not case.all_fed:
            return tf.constant(value)
        name = f"in{len(feeds)}"
        feeds[name] = np.asarray(value)
        return tf.compat.v1.placeholder(feeds[name].dtype, feeds[name].shape, name)

    given = {name: operand(value, k) for k, (name, value) in enumerate(zip(names, case.operands))}
    result = function(**given, **case.attrs)
    outputs = list(result) if isinstance(result, (list, tuple)) else [result]
    return [tensor for k, tensor in enumerate(outputs)
            if k == 0 or not case.op.startswith("FusedBatchNorm")]
