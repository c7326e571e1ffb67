"""obfuscate: 1, inner names become numbers, and the map by which `explain` turns them back.

SPDX-License-Identifier: Apache-2.0

Nodes, tensors and constants get numbers of their own, from 1 in the order of the graph; inputs and
outputs of the model keep their names.
"""

import itertools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mace_tools.support.atomic import atomic_files


def hide_names(net: Any) -> dict[str, str]:
    """Replaces the inner names of a NetDef; returns what each number stands for."""
    kept = {info.name for info in (*net.input_info, *net.output_info)}
    numbers = (str(n) for n in itertools.count(1) if str(n) not in kept)
    meaning: dict[str, str] = {}

    def number(what: str, name: str) -> str:
        chosen = next(numbers)
        meaning[chosen] = f"{what} '{name}'"
        return chosen

    tensors = {"": "", **{name: name for name in kept}}
    for tensor in net.tensors:
        if tensor.name not in tensors:
            tensors[tensor.name] = number("constant", tensor.name)
        tensor.name = tensors[tensor.name]
    nodes = {}
    for op in net.op:
        nodes[op.name] = op.name = number("node", op.name)
        for name in op.output:
            if name not in tensors:
                tensors[name] = number("tensor", name)
    for op in net.op:
        op.input[:] = [tensors[name] for name in op.input]
        op.output[:] = [tensors[name] for name in op.output]
    net.fixed_input_shapes[:] = [number("source", name) for name in net.fixed_input_shapes]
    for setting in net.settings:
        if setting.name == "float32_nodes":
            setting.strings.items[:] = [nodes[name] for name in setting.strings.items]
    return meaning


def map_file(folder: Path, tag: str) -> Path:
    """Where the map of a model is kept in the folder of its library; no package has it."""
    return folder / "_tmp" / f"{tag}.names.json"


def write_map(path: Path, meaning: Mapping[str, str]) -> None:
    with atomic_files(path) as (out,):
        out.write(json.dumps(meaning, indent=1).encode() + b"\n")


def explain(text: str, meaning: Mapping[str, str]) -> str:
    """The text of a message with what its numbers stand for: '17' (node 'conv1')."""
    if text.strip() in meaning:
        return f"{text.rstrip()}: {meaning[text.strip()]}"
    return re.sub(r"'(\d+)'", lambda m: f"{m[0]} ({meaning[m[1]]})" if m[1] in meaning else m[0],
                  text)
