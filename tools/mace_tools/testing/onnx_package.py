"""The node tests that the installed onnx package makes: reads, selects, and groups them.

SPDX-License-Identifier: Apache-2.0

They follow the newest operator sets, where the archive of the test data has those of ONNX 1.12.
"""

import functools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

from mace_tools.convert.importers.onnx.tensors import held_as
from mace_tools.support.protos import REPO
from mace_tools.testing.onnx_nodes import NodeTest

UNSUPPORTED = REPO / "test" / "golden" / "onnx_package_unsupported.txt"


@functools.cache
def cases() -> dict[str, Any]:
    """The tests by name, without those of the domain ai.onnx.ml."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # overflows, where they are the test
        found = {case.name: case for case in collect_testcases(None)}
    return {name: found[name] for name in sorted(found) if not name.startswith("test_ai_onnx_ml")}


def operator(name: str) -> str:
    """The operator that a test is about: that of its only node, or the first one."""
    nodes = cases()[name].model.graph.node
    return nodes[0].op_type if nodes else "Identity"


def read(name: str, folder: Path) -> NodeTest | str:
    """A test, whose model is written to the folder, or why its values are no tensors of numbers."""
    case = cases()[name]
    arrays: dict[str, list[np.ndarray]] = {"input": [], "output": []}
    for (kind, found), values in zip(arrays.items(), case.data_sets[0]):
        for k, value in enumerate(values):
            array = _array(value)
            if array is None:
                return f"its {kind} {k} is no tensor of numbers"
            found.append(array)
    model = folder / f"{name}.onnx"
    model.write_bytes(case.model.SerializeToString())
    return NodeTest(name, model, arrays["input"], arrays["output"])


def parameters(test: NodeTest) -> list[tuple[int, ...]]:
    """Inputs that are made constants if the test does not convert as it is, in steps: integers and
    booleans of up to one dimension behind the first input, which are axes, shapes and such; all
    behind the first one, as weights are; and all of them, if they are numbers or one list."""
    steps: list[tuple[int, ...]] = [()]
    counts = range(len(test.inputs))
    steps.append(tuple(k for k in counts[1:] if _is_small(test.inputs[k])))
    steps.append(tuple(counts[1:]))
    if all(a.ndim == 0 or len(counts) == 1 and _is_small(a) for a in test.inputs):
        steps.append(tuple(counts))
    return list(dict.fromkeys(steps))


def _is_small(array: np.ndarray) -> bool:
    return array.ndim <= 1 and array.dtype.kind in "iub"


def _array(value: Any) -> np.ndarray | None:
    """None: a list, an optional value, or a tensor of texts or of types that NumPy has not."""
    if value is None or isinstance(value, list):
        return None
    is_proto = isinstance(value, onnx.TensorProto)
    array = numpy_helper.to_array(value) if is_proto else np.asarray(value)
    if array.dtype.isbuiltin != 1:  # of few bits, which others hold
        held = held_as(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
        return None if held is None else array.astype(held)
    return array if array.dtype.kind in "fiub" else None


def is_of_other_types(reason: str) -> bool:
    """Whether a test is about something else than floats, integers and bools that the engine has,
    as its reason in the list says."""
    return reason.startswith("type: ")
