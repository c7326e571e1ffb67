"""The text that the decoder of this folder learns: the King James Bible of Debian's packages.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
import zlib
from pathlib import Path

PACKAGES = ("bible-kjv-text", "bible-kjv")
HELD_OUT = 20  # one chapter of so many is not trained on


def fetch(folder: Path) -> str:
    """The verses as the packages' program prints them, one in a line: `Ge1:1 In the ...`.

    The packages are unpacked in `folder`, not installed."""
    printed = folder / "verses.txt"
    if not printed.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        for package in PACKAGES:
            if not list(folder.glob(f"{package}_*.deb")):
                subprocess.run(["apt-get", "download", package], cwd=folder, check=True)
            archive = next(folder.glob(f"{package}_*.deb"))
            subprocess.run(["dpkg", "-x", archive.name, "."], cwd=folder, check=True)
        text = subprocess.run(
            [folder.resolve() / "usr/bin/bible", "-f", "-p", "usr/lib", "gen1:1-rev22:21"],
            cwd=folder, check=True, capture_output=True, text=True).stdout
        printed.write_text(text)
    return printed.read_text()


def chapters(printed: str) -> dict[str, str]:
    """The text of each chapter, by its name such as `Ge1`: a verse in each line, no numbers."""
    found: dict[str, list[str]] = {}
    for line in printed.splitlines():
        name, verse = line.split(" ", 1)
        found.setdefault(name.split(":")[0], []).append(verse.strip())
    return {name: "\n".join(verses) + "\n" for name, verses in found.items()}


def split(printed: str) -> tuple[list[str], list[str]]:
    """The chapters to train on and those held out, which a checksum of their names chooses."""
    parts: tuple[list[str], list[str]] = ([], [])
    for name, text in chapters(printed).items():
        parts[zlib.crc32(name.encode()) % HELD_OUT == 0].append(text)
    return parts
