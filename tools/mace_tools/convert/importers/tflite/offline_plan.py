"""The memory plan in a TFLite file: the offsets that another program chose for its tensors.

SPDX-License-Identifier: Apache-2.0

The metadata `OfflineMemoryAllocation`, as TensorFlow Lite Micro defines it, is 32-bit integers: the
version of the format, a subgraph, a number n, and n offsets from the start of the arena, one for
each tensor of the subgraph, or -1. It never decides what a model computes: a plan that is damaged
is left out, with a note.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mace_tools.convert.importers.tflite import signatures
from mace_tools.convert.importers.tflite.flat import File, reading, text
from mace_tools.convert.importers.tflite.reader import tensor_names
from mace_tools.support.errors import ModelError

NAME = "OfflineMemoryAllocation"
VERSION, HEAD = 1, 3  # the only version of the format; words before the offsets


@dataclass(frozen=True)
class Given:
    """Offsets in bytes, by the names of tensors. Those without one are left to the engine."""

    offsets: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read(path: Path, signature: str) -> Given:
    """What the file says about the graph of this signature; nothing if it has no plan for it."""
    file = File(path)
    try:
        with reading(file):
            return Given(_offsets(file, signature))
    except ModelError as e:
        return Given(notes=(f"its {NAME} is left out: {e}",))


def _offsets(file: File, signature: str) -> dict[str, int]:
    root = file.root()
    index = signatures.choose(file, root, signature).graph
    buffers = file.list(root, "Buffers")
    for entry in file.list(root, "Metadata"):
        if text(entry.Name()) != NAME:
            continue
        file.place = NAME
        words = np.frombuffer(file.contents(buffers[entry.Buffer()], NAME), "<i4")
        if len(words) < HEAD or words[0] != VERSION or words[2] != len(words) - HEAD:
            raise ValueError(f"it begins with {words[:HEAD].tolist()} and has {len(words)} words; "
                             f"expected version {VERSION}, a subgraph, and a number of offsets")
        if words[1] != index:
            continue
        names = tensor_names(file.list(file.list(root, "Subgraphs")[index], "Tensors"))
        if len(names) != words[2]:
            raise ValueError(f"{words[2]} offsets for the {len(names)} tensors of graph {index}")
        if (words[HEAD:] < -1).any():
            raise ValueError(f"the offset {words[HEAD:].min()} is negative")
        return {name: int(offset) for name, offset in zip(names, words[HEAD:]) if offset >= 0}
    return {}
