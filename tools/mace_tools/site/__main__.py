"""Builds the site of the documentation; tools/docs.sh calls it.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import importlib.util
import sys
from pathlib import Path

from mace_tools.site import build
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tools/docs.sh",
        description="Builds the documentation as a site of HTML pages. Broken links are errors.")
    parser.add_argument("--output", type=Path, default=REPO / "build" / "site", metavar="FOLDER",
                        help="where the pages go (default: build/site)")
    output = parser.parse_args(words).output
    lacking = [name for name in ("sphinx", "myst_parser", "furo", "tree_sitter_java")
               if importlib.util.find_spec(name) is None]
    if lacking:
        print(f"docs: these Python packages are missing: {', '.join(lacking)}\n"
              "docs: cure: tools/setup.sh --for docs", file=sys.stderr)
        return ExitCode.MISSING_TOOL
    if output.exists() and not (output / "searchindex.js").is_file() and (
            not output.is_dir() or any(output.iterdir())):
        print(f"docs: {output} is there and holds something else than an earlier site; "
              "name another folder with --output", file=sys.stderr)
        return ExitCode.USAGE
    problems = build(output.resolve())
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    if problems:
        print("docs: nothing was written", file=sys.stderr)
        return ExitCode.ERROR
    print(f"docs: {output / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
