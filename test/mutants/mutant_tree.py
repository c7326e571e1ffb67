"""The copy of the tree in which C++ files are mutated, and the build of its tests.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from mutant_runs import Program

HERE = Path(__file__).resolve().parent
# In the lowest library, which all tests link; only its archive changes.
SWITCH = "mace/base/mutant_switch.cc"


def files_of(root: Path) -> list[str]:
    """The files in git, and those that are to be."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root,
                            capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


def copy_tree(root: Path, tree: Path, mutated: set[str]) -> None:
    """Copies all files in git except those to be mutated, and the switch."""
    wanted = {name: root / name for name in files_of(root) if name not in mutated}
    wanted[SWITCH] = HERE / "mutant_switch.cc"
    for name, source in wanted.items():
        target = tree / name
        content = source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(source.stat().st_mode)
    known = mutated | set(wanted)
    for path in tree.rglob("*"):
        inside = path.relative_to(tree)
        if not inside.parts[0].startswith("bazel-") and path.is_file() and (
                str(inside) not in known):
            path.unlink()


def build(tree: Path, tests: str, jobs: int, flags: Iterable[str]) -> list[Program]:
    """Builds the test programs that Bazel's query `tests` names."""
    listed = subprocess.run(["bazel", "query", tests, "--noshow_progress"], cwd=tree,
                            capture_output=True, text=True, check=True).stdout.split()
    _build(tree, listed, jobs, flags)
    programs = []
    for label in listed:
        package, name = label.removeprefix("//").split(":")
        binary = tree / "bazel-bin" / package / name
        programs.append(Program(binary, package, Path(f"{binary}.runfiles/mace")))
    return programs


def keep_mace_run(tree: Path, jobs: int, flags: Iterable[str]) -> Path:
    """Builds mace_run, and puts it where the Python tests of the tree look for that of theirs."""
    _build(tree, ["//tools:mace_run"], jobs, flags)
    code = "from mace_tools.run import runner; print(runner.kept(runner.MACE_RUN))"
    kept = Path(subprocess.run([sys.executable, "-c", code], cwd=tree / "tools", check=True,
                               capture_output=True, text=True).stdout.strip())
    kept.parent.mkdir(parents=True, exist_ok=True)
    partial = kept.with_suffix(".partial")
    shutil.copy(tree / "bazel-bin/tools/mace_run/mace_run", partial)
    return partial.rename(kept)


def _build(tree: Path, targets: list[str], jobs: int, flags: Iterable[str]) -> None:
    cache = Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache/mace")
    subprocess.run(["bazel", "build", f"--disk_cache={cache / 'bazel'}", f"--jobs={jobs}",
                    "--keep_going", "--noshow_progress", "--show_result=0",
                    "--ui_event_filters=-info", *flags, *targets], cwd=tree, check=True)
