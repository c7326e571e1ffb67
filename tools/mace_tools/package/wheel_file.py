"""Writes wheels, Python's packages in a file (PEP 427); the same files make the same bytes.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

EARLIEST = (1980, 1, 1, 0, 0, 0)  # that a ZIP file knows


@dataclass(frozen=True)
class Wheel:
    name: str  # with hyphens
    version: str
    tag: str  # "py3-none-any"
    summary: str
    requires_python: str
    requires: Sequence[str] = ()
    scripts: Mapping[str, str] = field(default_factory=dict)  # commands, and "module:function"
    licences: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version}"

    @property
    def file_name(self) -> str:
        return f"{self.stem}-{self.tag}.whl"


def write(wheel: Wheel, files: Mapping[str, bytes], folder: Path) -> Path:
    """`files` by their paths in the wheel. A former file of that name is replaced at the end."""
    info = f"{wheel.stem}.dist-info"
    everything = dict(files)
    everything.update({f"{info}/licenses/{name}": text for name, text in wheel.licences.items()})
    everything.update({f"{info}/{name}": text.encode() for name, text in _metadata(wheel).items()})
    rows = [f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in everything.items()]
    everything[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".wheel.")
    try:
        with os.fdopen(handle, "wb") as raw, zipfile.ZipFile(raw, "w") as archive:
            for path, data in everything.items():
                entry = zipfile.ZipInfo(path, EARLIEST)
                entry.external_attr = 0o100644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, folder / wheel.file_name)
    except BaseException:
        os.unlink(temporary)
        raise
    return folder / wheel.file_name


def _metadata(wheel: Wheel) -> dict[str, str]:
    lines = ["Metadata-Version: 2.1", f"Name: {wheel.name}", f"Version: {wheel.version}",
             f"Summary: {wheel.summary}", "License: Apache-2.0",
             f"Requires-Python: {wheel.requires_python}",
             *[f"Requires-Dist: {name}" for name in wheel.requires]]
    found = {"METADATA": "\n".join(lines) + "\n",
             "WHEEL": "Wheel-Version: 1.0\nGenerator: mace-converter\n"
                      f"Root-Is-Purelib: {'true' if wheel.tag.endswith('any') else 'false'}\n"
                      f"Tag: {wheel.tag}\n"}
    if wheel.scripts:
        rows = [f"{name} = {function}\n" for name, function in wheel.scripts.items()]
        found["entry_points.txt"] = "".join(["[console_scripts]\n", *rows])
    return found


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
