"""Makes a release; tools/release.sh calls it.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import sys
from pathlib import Path

from mace_tools.package.library import bundle
from mace_tools.package.release import make
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tools/release.sh",
        description="Makes the files of a release: wheels, archives, Debian packages, a Maven "
                    "repository, sources, checksums and a bill of materials. Uploads nothing.")
    parser.add_argument("--output", type=Path, default=REPO / "build" / "release",
                        metavar="FOLDER", help="a folder that is replaced (build/release)")
    parser.add_argument("--abis", default=",".join(make.LINUX), metavar="LIST",
                        help=f"of {', '.join(make.LINUX)} (default: all of them)")
    given = parser.parse_args(words)
    names = list(dict.fromkeys(given.abis.split(",")))
    if unknown := [name for name in names if name not in make.LINUX]:
        parser.error(f"--abis={given.abis}: there is no '{unknown[0]}' for Linux; there are "
                     f"{', '.join(make.LINUX)}")
    out: Path = given.output.resolve()
    if out.exists() and not (out / bundle.SUMS).is_file() and (
            not out.is_dir() or any(out.iterdir())):
        parser.error(f"{out} is there and holds something else than an earlier release; name "
                     "another folder with --output")
    console = Console()
    try:
        left_out = make.release(console, out, names)
    except MaceError as e:
        print(f"release: {e}\nrelease: nothing was written", file=sys.stderr)
        return int(getattr(e, "exit_code", ExitCode.ERROR))
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        console.data(f"{path.relative_to(out)}  {path.stat().st_size} bytes")
    for line in left_out:
        console.warn(f"left out: {line}")
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(main())
