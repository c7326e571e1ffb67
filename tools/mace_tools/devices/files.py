"""Files of models and programs on a device, each copied there once and kept under its checksum.

SPDX-License-Identifier: Apache-2.0

    <folder>/cache/<32 digits of its sha256>.<its name>    kept; unused for a month, it is removed
    <folder>/run.<who>/                                    of one run; removed at its end
    <folder>/opencl/                                       the GPU's compiled programs; kept
"""

import re
import shlex
from pathlib import Path

from mace_tools.devices.device import Device, sha256_of

DAYS = 30  # after which an unused file is removed
SPARE = 8 << 20  # bytes that a device keeps free


class KeptFiles:
    """The cache of a device, as it was when this was made and with what was added since."""

    def __init__(self, device: Device, first: str) -> None:
        """Runs the script `first`, and looks what is there. Errors: DeviceError."""
        self._device = device
        self.folder = f"{device.folder}/cache"
        self.pushed: list[str] = []  # the names of files that were copied
        at = shlex.quote(self.folder)
        # `find` of old phones knows less; then old files stay.
        text = device.check(
            f"{first}; mkdir -p {at} && cd {at} && rm -f *.part && "
            f"{{ find . -type f -mtime +{DAYS} -exec rm -f {{}} + 2>/dev/null; "
            'for f in *; do [ -f "$f" ] && echo "file $(wc -c < "$f") $f"; done; '
            'df -k . 2>/dev/null | tail -n 1 | sed "s/^/space /"; true; }',
            f"making {self.folder}")
        lines = [line.split(None, 2) for line in text.splitlines()]
        self._sizes = {words[2].strip(): int(words[1]) for words in lines
                       if len(words) == 3 and words[0] == "file" and words[1].isdigit()}
        # Filesystem, size, used, available, ...: the first three numbers that stand together. A df
        # that writes otherwise says nothing; then copying will.
        found = re.search(r"^space .*?\s(\d+)\s+(\d+)\s+(\d+)\s", text, re.MULTILINE)
        self._free = int(found[3]) * 1024 if found else None

    def put(self, local: Path) -> str:
        """The path on the device of a file with these bytes; copies it if it is not there.

        Errors: DeviceError; OSError if it cannot be read here."""
        name = f"{sha256_of(local)[:32]}.{re.sub(r'[^A-Za-z0-9._-]', '_', local.name)}"
        remote, size = f"{self.folder}/{name}", local.stat().st_size
        if self._sizes.get(name) != size:
            self._check_space(local, size)
            self._device.push(local, remote)
            self._sizes[name] = size
            self.pushed.append(local.name)
        return remote

    def _check_space(self, local: Path, size: int) -> None:
        if self._free is None:
            return
        if self._free < size + SPARE:
            raise self._device.error(
                f"its storage is full: {local.name} has {size / 1e6:.1f} MB, and "
                f"{self._free / 1e6:.1f} MB are free", "remove files there, or run "
                "`tools/converter.py devices --clear`, which removes what MACE keeps there")
        self._free -= size


def kept_bytes(device: Device) -> int:
    """What MACE keeps on a device. Errors: DeviceError."""
    at = shlex.quote(device.folder)
    words = device.shell(f"du -sk {at} 2>/dev/null").out.split()
    return int(words[0]) * 1024 if words and words[0].isdigit() else 0


def clear(device: Device) -> None:
    """Removes all that MACE keeps on a device. Errors: DeviceError."""
    device.check(f"rm -rf {shlex.quote(device.folder)}", f"removing {device.folder}", 120)
