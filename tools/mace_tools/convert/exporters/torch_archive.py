"""Copies a model of PyTorch for PyTorch: only entries that are known, with checked contents.

SPDX-License-Identifier: Apache-2.0

PyTorch never sees the file itself, so it cannot read more of it, or read it in another way, than
was checked.
"""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from mace_tools.convert.exporters import torch_program, torch_script
from mace_tools.convert.exporters.torch_program import Refused
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import Archive, BadArchive, open_archive
from mace_tools.support.model_format import TORCH_SCRIPT, detect

# Pattern of an entry below the folder of the archive, and what is written in its place. Entries of
# no pattern are left out, unless they are code.
_KEEP = "keep"
_PROGRAM = {
    r"archive_format|archive_version|version|byteorder|\.data/(version|serialization_id)": _KEEP,
    r"models/model\.json|serialized_exported_program\.json": "program",
    r"data/(weights|constants)/model_(weights|constants)_config\.json": "config",
    r"data/weights/weight_\d+|data/constants/tensor_\d+": _KEEP,
    # Pickles, which PyTorch reads with weights_only.
    r"data/(weights|constants|sample_inputs)/model\.pt": _KEEP,
    r"serialized_(state_dict|constants|example_inputs)\.pt": _KEEP,
}
_SCRIPT = {
    r"version|byteorder|\.data/(version|serialization_id)|(data|constants|attributes)\.pkl": _KEEP,
    r"(data|constants|attributes|tensors)/\w+": _KEEP,
    r"code/[\w/.]+\.py": "code",
}
_COMPILED = re.compile(r"(^|/)(data/)?aotinductor/|\.(so|dll|dylib|pyd|o)$")


def copy(path: Path, folder: Path) -> Path:
    """The checked copy, in `folder`. Errors: ModelError."""
    try:
        script = detect(path) is TORCH_SCRIPT
        target = folder / ("model.pt" if script else "model.pt2")
        with open_archive(path) as archive:
            _copy(archive, _SCRIPT if script else _PROGRAM, target)
        return target
    except OSError as e:
        raise ModelError(f"{path}: cannot be read: {e.strerror or e}") from e
    except BadArchive as e:
        raise ModelError(f"{path}: {e}") from e
    except Refused as e:
        raise ModelError(f"{path}: PyTorch does not get to see it: {e}") from e


def _copy(archive: Archive, patterns: dict[str, str], target: Path) -> None:
    roots = {name.partition("/")[0] for name in archive.entries if "/" in name}
    root = next(iter(roots)) if len(roots) == 1 and all(
        "/" in name for name in archive.entries) else ""
    changed: dict[str, Callable[[str, bytes], bytes]] = {
        _KEEP: lambda name, text: text,
        "program": lambda name, text: torch_program.checked(text),
        "config": lambda name, text: torch_program.checked_config(text),
        "code": _code,
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as out:
        for name in archive.entries:
            inner = name[len(root) + 1 :] if root else name
            if _COMPILED.search(inner):
                raise Refused(f"it has compiled code ('{inner[:80]}'), which would be run")
            how = next((h for p, h in patterns.items() if re.fullmatch(p, inner)), None)
            if how is not None:
                out.writestr(f"model/{inner}" if root else inner,
                             changed[how](inner, archive.read(name)))


def _code(name: str, text: bytes) -> bytes:
    torch_script.check(name, text)
    return text
