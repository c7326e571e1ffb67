"""Jars of Maven Central that tests need, by the pins of tools/requirements/maven.txt.

SPDX-License-Identifier: Apache-2.0

`python3 tools/mace_tools/setup/maven.py` fetches those that are missing; tools/setup.sh calls it,
before any package is installed, so that it imports nothing of the project at its top.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import urllib.request
from pathlib import Path

PINS = Path(__file__).resolve().parents[2] / "requirements" / "maven.txt"
CENTRAL = "https://repo1.maven.org/maven2"


def folder() -> Path:
    cache = os.environ.get("MACE_CACHE") or str(Path.home() / ".cache" / "mace")
    return Path(cache) / "maven"


def central() -> str:
    return os.environ.get("MACE_MAVEN") or CENTRAL


def pins() -> list[tuple[str, str, str, str]]:
    """Artifact, version, group, SHA-256."""
    rows = []
    for line in PINS.read_text().splitlines():
        if line and not line.startswith("#"):
            name, group, digest = line.split()
            artifact, _, version = name.partition("==")
            rows.append((artifact, version, group, digest))
    return rows


def path_of(artifact: str, start: str = "") -> Path:
    """`start` of the version, where several are pinned."""
    (version,) = [row[1] for row in pins() if row[0] == artifact and row[1].startswith(start)]
    return folder() / f"{artifact}-{version}.jar"


def need(artifact: str, start: str = "") -> Path:
    """The jar; fails the test that asks if set-up has not fetched it."""
    path = path_of(artifact, start)
    if not path.is_file():
        import pytest

        pytest.fail(f"not installed: {path}; tools/setup.sh --for test fetches it", pytrace=False)
    return path


def fetch(artifact: str, version: str, group: str, digest: str) -> None:
    """Errors: OSError, ValueError for other bytes than those that are pinned."""
    target = path_of(artifact, version)
    url = f"{central()}/{group.replace('.', '/')}/{artifact}/{version}/{target.name}"
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent)
    try:
        found = hashlib.sha256()
        with os.fdopen(handle, "wb") as out, urllib.request.urlopen(url, timeout=120) as data:
            while block := data.read(1 << 20):
                found.update(block)
                out.write(block)
        if found.hexdigest() != digest:
            raise ValueError(f"{url} has the SHA-256 {found.hexdigest()}, not {digest} as {PINS}")
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def main() -> int:
    for row in pins():
        if not path_of(row[0], row[1]).is_file():
            try:
                fetch(*row)
            except (OSError, ValueError) as e:
                print(f"{row[0]}: {e}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
