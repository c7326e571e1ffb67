"""Lists what has moved since the pins of tools/requirements were set: of PyPI, Maven Central and
Debian. `tools/setup.sh --outdated` calls it with the Python of the environment.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import maven

REPO = Path(__file__).resolve().parents[3]
CONSTRAINTS = REPO / "tools" / "requirements" / "constraints.txt"
DEBIAN = "http://deb.debian.org/debian/dists/stable/Release"
SECONDS = 30
Row = tuple[str, str, str, str]  # what, its pin, the newest version, since when it is pinned


def python_packages() -> Iterator[Row]:
    """Those of which pip knows newer versions for this Python. Errors: CalledProcessError."""
    listing = subprocess.run([sys.executable, "-m", "pip", "list", "--outdated", "--format=json"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    newest = {_plain(row["name"]): row["latest_version"] for row in json.loads(listing)}
    since = pinned_since(CONSTRAINTS)
    for name, pin in pins():
        if (latest := newest.get(_plain(name), pin)) != pin:
            yield name, pin, latest, since.get(f"{name}=={pin}", "")


def pins() -> list[tuple[str, str]]:
    lines = CONSTRAINTS.read_text().splitlines()
    return [(name, pin) for name, equals, pin in (line.partition("==") for line in lines) if equals]


def jars() -> Iterator[Row]:
    """Errors: OSError."""
    since = pinned_since(maven.PINS)
    for artifact, pin, group, digest in maven.pins():
        url = f"{maven.central()}/{group.replace('.', '/')}/{artifact}/maven-metadata.xml"
        with urllib.request.urlopen(url, timeout=SECONDS) as data:
            versions = re.findall(r"<version>([^<]+)</version>", data.read().decode())
        *_, newest = [v for v in versions if not re.search("alpha|beta|rc|-m", v, re.IGNORECASE)]
        if newest != pin:
            yield artifact, pin, newest, since.get(f"{artifact}=={pin} {group} {digest}", "")


def debian(release: str) -> Iterator[Row]:
    """The packages have the versions of the release, so that only a newer release moves them.
    Errors: OSError."""
    with urllib.request.urlopen(DEBIAN, timeout=SECONDS) as data:
        found = re.search(r"^Codename: (\S+)$", data.read().decode(), re.MULTILINE)
    if found is not None and found[1] != release:
        yield "Debian", release, found[1], ""


def pinned_since(path: Path) -> dict[str, str]:
    """The date of each line of a file, as git knows it; none outside of a checkout."""
    done = subprocess.run(["git", "-C", str(REPO), "blame", "--date=short", "--line-porcelain",
                           "--", str(path)], check=False, capture_output=True, text=True)
    dates, date = {}, ""
    for line in done.stdout.splitlines():
        if line.startswith("\t"):
            dates[line[1:]] = date
        elif line.startswith("committer-time "):
            date = datetime.fromtimestamp(int(line.split()[1]), UTC).date().isoformat()
    return dates


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    rows: list[Row] = [("what", "pin", "newest", "pinned since")]
    code = 0
    for source, found in (("PyPI", python_packages()), ("Maven Central", jars()),
                          ("Debian", debian(sys.argv[1]))):
        try:
            rows += found
        except (OSError, subprocess.CalledProcessError) as e:
            print(f"outdated: {source} does not answer: {e}", file=sys.stderr)
            code = 1
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return code


if __name__ == "__main__":
    sys.exit(main())
