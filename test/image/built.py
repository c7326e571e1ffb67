"""C++ programs of the tests, built when they are needed.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from mace_tools.protos import REPO, cache_dir
from mace_tools.testing.needed import need_tools

QUIET = ["--show_result=0", "--noshow_progress", "--ui_event_filters=-info"]


def build(target: str) -> Path:
    """The program of a label such as //test/image:convert_pictures."""
    need_tools("bazel")
    cache = f"--disk_cache={cache_dir() / 'bazel'}"
    subprocess.run(["bazel", "build", cache, *QUIET, target], cwd=REPO, check=True)
    folder = subprocess.run(["bazel", "info", "bazel-bin"], cwd=REPO, check=True, text=True,
                            capture_output=True).stdout.strip()
    return Path(folder) / target.strip("/").replace(":", "/")
