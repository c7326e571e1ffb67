"""source: the library's sources in one archive, which CMake alone builds.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from mace_tools import runner
from mace_tools.cli_console import Console
from mace_tools.exit_codes import ExitCode, MissingToolError, UsageError
from mace_tools.library import package, source_list, source_tree

HELP = "pack the sources of the library, which CMake builds without Bazel and Python"
SUFFIX = ".tar.gz"


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("--output", type=Path, metavar="FILE",
                   help=f"the archive (default: build/mace-{package.version()}{SUFFIX})")


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file."""
    out: Path = args.output or Path("build") / f"mace-{package.version()}{SUFFIX}"
    if not out.name.endswith(SUFFIX) or out.is_dir():
        raise UsageError(f"--output={out} is no name of a {SUFFIX} file")
    runner.require_sources("the archive")
    if shutil.which("bazel") is None:
        raise MissingToolError("packing the sources needs bazel, which knows them and is not "
                               "installed: run `tools/setup.sh` (building them needs CMake only)")
    console.info("asking Bazel for the sources of the library")
    count = source_tree.write_archive(source_list.read(console), out)
    console.data(f"{out}: {count} files, {out.stat().st_size} bytes")
    return ExitCode.OK
