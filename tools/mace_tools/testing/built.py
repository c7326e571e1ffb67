"""Programs that Bazel builds for tests, copied from bazel-bin, which the next build may change.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mace_tools.run import runner
from mace_tools.support import bazel
from mace_tools.support.console import Console
from mace_tools.testing.needed import need_tools

# Where the programs are of which the target is an alias.
_ALIASES = {tool.target: tool.built for tool in (runner.MACE_RUN, runner.MACE_PLAN)}


def build(target: str) -> Path:
    """The program or shared library of a label such as //test/image:convert_pictures."""
    return build_all([target]) / _path(target)


def build_all(targets: Sequence[str], flags: Sequence[str] = (),
              files: Sequence[str] = ()) -> Path:
    """A folder with the programs, which lie in it as in bazel-bin, and with other built files."""
    need_tools("bazel")
    folder = Path(tempfile.mkdtemp(dir=_folder().name))

    def copy(built: Path) -> None:
        for path in (*map(_path, targets), *files):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(built / path, folder / path)

    bazel.output(Console(), flags, targets, copy)
    return folder


def _path(target: str) -> str:
    return _ALIASES.get(target) or target.strip("/").replace(":", "/")


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Removed with the process."""
    return tempfile.TemporaryDirectory(prefix="mace_built.")
