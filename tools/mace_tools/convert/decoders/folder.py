"""Reads the folder of a Hugging Face checkpoint: config.json and safetensors.

SPDX-License-Identifier: Apache-2.0
"""

import json
from pathlib import Path

from mace_tools.convert.decoders import safetensors
from mace_tools.convert.decoders.stored import Stored
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import read_bytes

ONE, INDEX = "model.safetensors", "model.safetensors.index.json"


def tensors(folder: Path) -> dict[str, Stored]:
    """The tensors of all files by name. Errors: ModelError."""
    index = folder / INDEX
    if not index.is_file():
        if not (folder / ONE).is_file():
            pickled = next(folder.glob("*.bin"), None)
            cure = (f"{pickled.name} is a pickled file, reading which would run the code in it: "
                    "save it with save_pretrained(..., safe_serialization=True)"
                    if pickled else "download the whole checkpoint")
            raise ModelError(f"{folder}: it has neither {ONE} nor {INDEX}; {cure}")
        return safetensors.read(folder / ONE)
    wanted = _weight_map(index)
    found: dict[str, Stored] = {}
    for name in dict.fromkeys(wanted.values()):
        for tensor, stored in safetensors.read(folder / name).items():
            if wanted.get(tensor) != name:
                where = f"for {wanted[tensor]}" if tensor in wanted else "not"
                raise ModelError(f"{folder / name}: it holds tensor '{tensor}', which {INDEX} has "
                                 f"{where}; the files belong to different checkpoints")
            found[tensor] = stored
    missing = next((t for t in wanted if t not in found), None)
    if missing is not None:
        raise ModelError(f"{folder / wanted[missing]}: tensor '{missing}' is not in it, as {INDEX} "
                         "has it; the files belong to different checkpoints")
    return found


def _weight_map(index: Path) -> dict[str, str]:
    """The file of each tensor: names without folders. Errors: ModelError."""
    try:
        content = json.loads(read_bytes(index))
        wanted = content["weight_map"]
        if not isinstance(wanted, dict) or not all(isinstance(v, str) for v in wanted.values()):
            raise TypeError("weight_map is no object of texts")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as e:
        raise ModelError(f"{index}: cannot read it: {e!r}; download it again") from e
    for name in wanted.values():
        if Path(name).name != name:
            raise ModelError(f"{index}: '{name}' is no name of a file in its folder")
        if not (index.parent / name).is_file():
            raise ModelError(f"{index.parent}: {name} is not there, and {INDEX} names it; download "
                             "the whole checkpoint")
    return wanted
