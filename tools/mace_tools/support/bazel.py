"""Calls Bazel. What is taken from bazel-bin is of the build that asked for it.

SPDX-License-Identifier: Apache-2.0

Builds with other flags write to the same files of bazel-bin, so the tools of a checkout take turns:
one builds and copies what it built before the next one begins. Bazel's own lock is free between the
two. A `bazel build` that a user starts knows nothing of these turns; so Bazel is asked whether the
files are still up to date after they were copied.
"""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from mace_tools.support.console import Console
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.support.locks import locked
from mace_tools.support.protos import REPO, cache_dir

ATTEMPTS = 3
Taken = TypeVar("Taken")


def output(
    console: Console, flags: Sequence[str], targets: Sequence[str], take: Callable[[Path], Taken]
) -> Taken:
    """Builds, and returns what `take` makes of bazel-bin: it copies what is needed, as the next
    build may replace it. It is called again if another build came between.

    Errors: RunFailedError, and those of `take`."""
    configs = [f for f in flags if f.startswith(("--config=", "--platform_suffix="))]
    with locked(REPO / "WORKSPACE", console, "another build in this checkout"):
        for _ in range(ATTEMPTS):
            run(["build", *flags, *targets], console)
            found = run(["info", *configs, "bazel-bin"], console)
            taken = take(Path(found.strip().splitlines()[-1]))
            check = _call(["build", "--check_up_to_date", *flags, *targets], quiet=True)
            if check.returncode == 0:
                return taken
            console.info("another `bazel build` replaced what was built: building it again")
    raise RunFailedError(f"other builds replaced what `bazel build {' '.join([*flags, *targets])}` "
                         "made before it was copied; run the command again when they are done")


def run(arguments: Sequence[str], console: Console) -> str:
    """Returns its stdout. Shows its progress on a terminal, else only if it fails.

    Errors: RunFailedError."""
    done = _call(arguments, quiet=not console.watched)
    if done.returncode != 0:
        log = "" if done.stderr is None else f":\n{done.stderr.strip()}"
        raise RunFailedError(f"`bazel {' '.join(arguments)}` failed{log}")
    return done.stdout


def _call(arguments: Sequence[str], quiet: bool) -> subprocess.CompletedProcess[str]:
    cache = f"--disk_cache={cache_dir() / 'bazel'}"
    return subprocess.run(["bazel", *arguments, cache], cwd=REPO, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE if quiet else None,
                          check=False)
