"""source: the library's sources in one archive, which CMake alone builds.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import shutil
from pathlib import Path

from mace_tools.commands.options.packages import ARCHIVE
from mace_tools.package.library import bundle
from mace_tools.package.source import file_list, tree
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode, MissingToolError, UsageError


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file."""
    out: Path = args.output or Path("build") / f"mace-{bundle.version()}{ARCHIVE}"
    if not out.name.endswith(ARCHIVE) or out.is_dir():
        raise UsageError(f"--output={out} is no name of a {ARCHIVE} file")
    runner.require_sources("the archive")
    if shutil.which("bazel") is None:
        raise MissingToolError("packing the sources needs bazel, which knows them and is not "
                               "installed: run `tools/setup.sh` (building them needs CMake only)")
    console.info("asking Bazel for the sources of the library")
    count = tree.write_archive(file_list.read(console), out)
    console.data(f"{out}: {count} files, {out.stat().st_size} bytes")
    return ExitCode.OK
