"""What the engine makes of a converted model: devices, kernels, multiply-adds and memory.

SPDX-License-Identifier: Apache-2.0
"""

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mace_tools.analyze.check.source import summed
from mace_tools.graph.op_schema import all_ops
from mace_tools.run import runner
from mace_tools.support import protos
from mace_tools.support.exit_codes import RunFailedError

# Element types as NumPy and deployment files call them, by the names of the format's enum.
TYPES = {"DT_FLOAT": "float32", "DT_HALF": "float16", "DT_BFLOAT16": "bfloat16",
         "DT_INT64": "int64", "DT_INT32": "int32", "DT_INT16": "int16", "DT_INT8": "int8",
         "DT_UINT8": "uint8", "DT_BOOL": "bool"}  # fmt: skip
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2, "int8": 1,
         "uint8": 1, "bool": 1}  # fmt: skip
TO_NCHW, TO_NHWC = [0, 3, 1, 2], [0, 2, 3, 1]


def type_name(number: int) -> str:
    """The name of a value of the format's enum of types."""
    return next((name for enum, name in TYPES.items()
                 if getattr(protos.mace(), enum) == number), f"type {number}")


def graph_properties(net: Any) -> dict[str, Any]:
    """Of a NetDef: ops, weights as they are stored, custom ops, layout transposes."""
    by_type: dict[str, dict[str, int]] = {}
    for tensor in net.tensors:
        name = type_name(tensor.stored_type if tensor.HasField("stored_type")
                         else tensor.data_type)
        own = by_type.setdefault(name, {"count": 0, "bytes": 0})
        own["count"] += tensor.data_size
        own["bytes"] += tensor.data_size * BYTES.get(name, 0)
    ops = Counter(op.type for op in net.op)
    custom: dict[str, list[str]] = {}
    for op in net.op:
        if op.type not in all_ops():
            custom.setdefault(op.type, []).append(op.name)
    return {"nodes": len(net.op), "ops": dict(ops.most_common()), "parameters": summed(by_type),
            "custom_ops": custom, "layout_transposes": transposes(net)}


def transposes(net: Any) -> list[dict[str, Any]]:
    """The transposes between NHWC and NCHW that are left, each with the reason."""
    makers = {out: op for op in net.op for out in op.output}
    readers: dict[str, list[Any]] = {}
    for op in net.op:
        for name in op.input:
            readers.setdefault(name, []).append(op)
    found = []
    for op in net.op:
        dims = next((list(a.ints) for a in op.arg if a.name == "dims"), [])
        if op.type != "Transpose" or dims not in (TO_NCHW, TO_NHWC):
            continue
        shape = list(op.output_shape[0].dims) if op.output_shape else None
        found.append({"name": op.name, "to": "NCHW" if dims == TO_NCHW else "NHWC",
                      "shape": shape, "why": _why(op, net, makers, readers)})
    return found


def _why(op: Any, net: Any, makers: dict[str, Any], readers: dict[str, list[Any]]) -> str:
    source, result = op.input[0], op.output[0]
    if source in {i.name for i in net.input_info}:
        return (f"the model's input '{source}' has the other order; `input_data_formats` in a "
                "deployment file changes it")
    if result in {o.name for o in net.output_info}:
        return (f"the model's output '{result}' has the other order; `output_data_formats` in a "
                "deployment file changes it")
    before = makers.get(source)
    after = readers.get(result, [])
    made = f"{before.type} '{before.name}'" if before is not None else f"'{source}'"
    read = ", ".join(f"{o.type} '{o.name}'" for o in after[:2]) or "nothing"
    return f"{made} makes the one order, and {read} needs the other"


def plan(mace_run: Path, flags: Sequence[str], device: str) -> tuple[dict[str, Any], str]:
    """What the engine would do on a device (cpu or gpu) without running, and the records of its
    memory (of --dump=memory_json). `flags` of mace_run name the model and the device.

    Errors: RunFailedError."""
    steps = _parsed(runner.output(mace_run, [*flags, "--dump=plan_json"]))
    with tempfile.TemporaryDirectory(prefix="mace_check.") as folder:
        file = Path(folder) / "memory.json"
        text = runner.output(mace_run, [*flags, "--dump=memory_json", f"--json={file}"])
        memory = _parsed(file.read_text())
    return {"device": device, "macs": sum(node["macs"] for node in steps["nodes"]),
            "nodes": steps["nodes"], "moves": steps["moves"], "note": steps["note"],
            "memory": _memory(memory, steps)}, text


def _memory(memory: dict[str, Any], steps: dict[str, Any]) -> dict[str, Any]:
    usage = memory["usage"]
    kept = ("lower_bound_bytes", "peak_bytes", "peak_node", "peak_holders", "image_peak_bytes",
            "anonymous_bytes", "mapped_bytes")
    return {"arena_bytes": steps["arena_bytes"], "image_bytes": steps["image_bytes"],
            "num_images": steps["num_images"], **{key: usage[key] for key in kept},
            "categories": usage["categories"]}


def _parsed(text: str) -> dict[str, Any]:
    try:
        return json.loads(text)
    except ValueError as e:
        raise RunFailedError("mace_run printed no plan; it may be of another version: leave out "
                             "--mace_run to have it built") from e
