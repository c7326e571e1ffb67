"""Runs a TFLite model, or one of its signatures.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.frameworks import Arrays
from mace_tools.frameworks.nudge import Nudge
from mace_tools.support.limits import read_bytes

_BUFFERS = {"FLOAT32": np.float32, "FLOAT16": np.float16, "INT8": np.int8, "UINT8": np.uint8}


def run(model: str, inputs: Arrays, outputs: list[str], signature: str,
        nudge: Nudge | None = None) -> list[np.ndarray]:
    content = read_bytes(model)
    if nudge is not None:
        content = _nudged(content, nudge)
    make = _Maker(content)
    plain = make()
    known = list(plain.get_signature_list())
    usual = "serving_default" if "serving_default" in known or len(known) != 1 else known[0]
    if (signature or usual) in known:
        # An interpreter of its own: it must not be asked for other tensors afterwards.
        runner = make().get_signature_runner(signature or usual)
        starts, ends = runner.get_input_details(), runner.get_output_details()
        own = {d["name"] for d in plain.get_tensor_details()}
        if {d["name"] for d in starts.values()} != {d["name"] for d in plain.get_input_details()}:
            return _signature(runner, inputs, outputs)  # of another graph
        names = {alias: d["name"] for alias, d in (*starts.items(), *ends.items())
                 if alias not in own}
        inputs = {names.get(name, name): array for name, array in inputs.items()}
        outputs = [names.get(name, name) for name in outputs]
    inner = set(outputs) - {d["name"] for d in plain.get_output_details()}
    run = make(experimental_preserve_all_tensors=True) if inner else plain
    starts = {d["name"]: d for d in run.get_input_details()}
    for name, array in inputs.items():
        if name not in starts:
            raise ValueError(f"'{name}' is not an input of the model; LiteRT feeds no others")
        if tuple(starts[name]["shape"]) != array.shape:
            run.resize_tensor_input(starts[name]["index"], array.shape)
    run.allocate_tensors()
    for name, array in inputs.items():
        run.set_tensor(starts[name]["index"], array.astype(starts[name]["dtype"]))
    run.invoke()
    places = {d["name"]: d["index"] for d in run.get_tensor_details()}
    return [run.get_tensor(places[name]) for name in outputs]


class _Maker:
    """Makes interpreters. Quantized models run by the reference kernels, which are the definition:
    XNNPACK and the optimized kernels round otherwise."""

    def __init__(self, content: bytes) -> None:
        from ai_edge_litert import interpreter

        self._interpreter, self._content = interpreter, content
        kinds = interpreter.OpResolverType
        self._kernels = kinds.AUTO
        if any(len(d["quantization_parameters"]["scales"]) for d in self().get_tensor_details()):
            self._kernels = kinds.BUILTIN_REF

    def __call__(self, **more: Any) -> Any:
        return self._interpreter.Interpreter(
            model_content=self._content, experimental_op_resolver_type=self._kernels, **more)


def _signature(runner: Any, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    """Tensors by their own names, or by those of the signature."""
    starts, ends = runner.get_input_details(), runner.get_output_details()
    names = {d["name"]: alias for alias, d in (*starts.items(), *ends.items())}
    names |= {alias: alias for alias in (*starts, *ends)}
    strange = [n for n in (*inputs, *outputs) if n not in names]
    if strange:
        raise ValueError(f"'{strange[0]}' is no input or output of the signature; LiteRT gives no "
                         "others of it")
    feeds = {names[n]: a.astype(starts[names[n]]["dtype"]) for n, a in inputs.items()}
    found = runner(**feeds)
    return [found[names[n]] for n in outputs]


def _nudged(content: bytes, nudge: Nudge) -> bytes:
    """The file with other constants of the same size."""
    import tflite

    model = tflite.Model.GetRootAsModel(content, 0)
    changed = bytearray(content)
    types = {getattr(tflite.TensorType, name): np.dtype(t) for name, t in _BUFFERS.items()}
    done: set[int] = set()
    graphs = [model.Subgraphs(g) for g in range(model.SubgraphsLength())]
    for tensor in (g.Tensors(t) for g in graphs for t in range(g.TensorsLength())):
        buffer, dtype = model.Buffers(tensor.Buffer()), types.get(tensor.Type())
        if dtype is None or tensor.Buffer() in done or not buffer.DataLength():
            continue
        shape = tuple(int(tensor.Shape(k)) for k in range(tensor.ShapeLength()))
        size = int(np.prod(shape, dtype=np.int64))
        if size * dtype.itemsize != buffer.DataLength() or tensor.Sparsity() is not None:
            continue
        done.add(tensor.Buffer())
        at = buffer._tab.Vector(buffer._tab.Offset(4))  # of the bytes, in the file
        array = np.frombuffer(content, dtype, size, at).reshape(shape)
        changed[at : at + buffer.DataLength()] = nudge.of(array, tensor.Buffer()).tobytes()
    return bytes(changed)
