#!/usr/bin/env python3
"""The MACE command line: converts, runs and benchmarks the models of a deployment file.

SPDX-License-Identifier: Apache-2.0

This file only finds a Python that has the packages of tools/requirements/convert.txt (the virtual
environment that tools/setup.sh makes); the commands are in tools/mace_tools/cli/__init__.py.
"""

import importlib.util
import os
import sys

TOOLS = os.path.dirname(os.path.abspath(__file__))
NEEDED = ("flatbuffers", "google.protobuf", "numpy", "PIL", "pydantic", "rich", "ruamel.yaml",
          "xxhash")  # fmt: skip


def missing() -> list:
    """The needed modules that this Python does not have."""

    def found(name: str) -> bool:
        try:
            return importlib.util.find_spec(name) is not None
        except ModuleNotFoundError:
            return False

    return [name for name in NEEDED if not found(name)]


def open_streams() -> None:
    """What goes to a stream that the caller has closed is dropped; files would get its number."""
    while (null := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(null, True)
    os.close(null)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))


def main() -> int:
    open_streams()
    lacking = missing()
    if lacking or sys.version_info < (3, 11):
        cache = os.environ.get("MACE_CACHE") or os.path.expanduser("~/.cache/mace")
        venv = os.path.join(cache, "venv")
        python = os.path.join(venv, "bin", "python")
        if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(venv):
            sys.stdout.flush()
            os.execv(python, [python, os.path.abspath(__file__)] + sys.argv[1:])
        what = ("the Python packages " + ", ".join(lacking)) if lacking else "Python 3.11 or newer"
        sys.stderr.write(
            f"ERROR: {what} not found (looked in {sys.prefix} and {venv}): "
            "run `tools/setup.sh` once\n"
        )
        return 6
    sys.path.insert(0, TOOLS)
    try:
        from mace_tools.cli import main as run

        return run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are loaded; later, run() sees to it
        return 130


if __name__ == "__main__":
    sys.exit(main())
