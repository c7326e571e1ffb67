"""Runs a TFLite model, or one of its signatures.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mace_tools.frameworks import Arrays


def run(model: str, inputs: Arrays, outputs: list[str], signature: str) -> list[np.ndarray]:
    from ai_edge_litert.interpreter import Interpreter

    plain = Interpreter(model_path=model)
    known = list(plain.get_signature_list())
    usual = "serving_default" if "serving_default" in known or len(known) != 1 else known[0]
    if (signature or usual) in known:
        # An interpreter of its own: it must not be asked for other tensors afterwards.
        runner = Interpreter(model_path=model).get_signature_runner(signature or usual)
        starts, ends = runner.get_input_details(), runner.get_output_details()
        own = {d["name"] for d in plain.get_tensor_details()}
        if {d["name"] for d in starts.values()} != {d["name"] for d in plain.get_input_details()}:
            return _signature(runner, inputs, outputs)  # of another graph
        names = {alias: d["name"] for alias, d in (*starts.items(), *ends.items())
                 if alias not in own}
        inputs = {names.get(name, name): array for name, array in inputs.items()}
        outputs = [names.get(name, name) for name in outputs]
    inner = set(outputs) - {d["name"] for d in plain.get_output_details()}
    run = Interpreter(model_path=model, experimental_preserve_all_tensors=True) if inner else plain
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
