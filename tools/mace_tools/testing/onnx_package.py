"""The node tests that the installed onnx package brings along: reads, selects, and groups them.

SPDX-License-Identifier: Apache-2.0

They follow the newest operator sets, where the archive of the test data has those of ONNX 1.12.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from mace_tools.protos import REPO
from mace_tools.testing.onnx_nodes import NodeTest

NODES = Path(onnx.__file__).parent / "backend" / "test" / "data" / "node"
UNSUPPORTED = REPO / "test" / "golden" / "onnx_package_unsupported.txt"


def names(nodes: Path = NODES) -> list[str]:
    """The tests, without those of the domain ai.onnx.ml."""
    found = (p.name for p in nodes.iterdir() if (p / "model.onnx").is_file())
    return sorted(n for n in found if not n.startswith("test_ai_onnx_ml"))


def operator(nodes: Path, name: str) -> str:
    """The operator that a test is about: that of its only node, or the first one."""
    proto = onnx.load(nodes / name / "model.onnx", load_external_data=False)
    return proto.graph.node[0].op_type if proto.graph.node else "Identity"


def read(nodes: Path, name: str) -> NodeTest | str:
    """A test, or why its values are no tensors of numbers."""
    folder = nodes / name / "test_data_set_0"
    arrays: dict[str, list[np.ndarray]] = {"input": [], "output": []}
    for kind, found in arrays.items():
        for k in range(len(list(folder.glob(f"{kind}_*.pb")))):
            try:
                array = _array(folder / f"{kind}_{k}.pb")
            except (KeyError, TypeError, ValueError) as e:
                return f"its {kind} {k} is no tensor of numbers: {type(e).__name__}"
            if array is None or array.dtype.kind not in "fiub":
                return f"its {kind} {k} is no tensor of numbers"
            found.append(array)
    return NodeTest(name, nodes / name / "model.onnx", arrays["input"], arrays["output"])


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


def _array(path: Path) -> np.ndarray | None:
    """None: a value that is no tensor."""
    proto = onnx.TensorProto()
    try:
        proto.ParseFromString(path.read_bytes())
    except Exception:  # a list or an optional value  # noqa: BLE001
        return None
    if proto.data_type == onnx.TensorProto.BFLOAT16:
        if proto.raw_data:  # the upper halves of floats
            halves = np.frombuffer(proto.raw_data, "<u2").reshape(tuple(proto.dims))
            return (halves.astype(np.uint32) << 16).view(np.float32)
        return numpy_helper.to_array(proto).astype(np.float32)
    return numpy_helper.to_array(proto)


def is_of_other_types(reason: str) -> bool:
    """Whether a test is about something else than floats, integers and bools that the engine has,
    as its reason in the list says."""
    return reason.startswith("type: ")
