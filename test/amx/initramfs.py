"""Writes what Linux boots from: an archive (cpio, "newc") of /init, and of programs with their
libraries: initramfs.py ARCHIVE INIT PROGRAM ...

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
import sys
from pathlib import Path

DIRECTORY, PROGRAM, CHARACTERS = 0o40755, 0o100755, 0o20600


def entry(inode: int, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)
          ) -> bytes:
    fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def libraries(program: Path) -> list[Path]:
    """What the program loads here, its loader included."""
    loads = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", loads)]


def archive(init: Path, programs: list[Path]) -> bytes:
    files = {"init": init} | {f"tests/{p.name}": p for p in programs}
    for library in (lib for program in programs for lib in libraries(program)):
        folder = "lib64" if library.name.startswith("ld-linux") else "lib"
        files[f"{folder}/{library.name}"] = library
    folders = ("dev", "tests", "lib", "lib64")
    parts = [entry(i, name, DIRECTORY) for i, name in enumerate(folders, 1)]
    parts.append(entry(9, "dev/console", CHARACTERS, device=(5, 1)))
    parts += [entry(i, name, PROGRAM, path.read_bytes())
              for i, (name, path) in enumerate(files.items(), 10)]
    return b"".join([*parts, entry(0, "TRAILER!!!", 0)])


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(archive(Path(sys.argv[2]), [Path(p) for p in sys.argv[3:]]))
