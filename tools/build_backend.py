"""`pip install .`: the converter as a Python package with the command mace-converter (PEP 517).

SPDX-License-Identifier: Apache-2.0

The package holds the part of this checkout that converting needs, in the checkout's own folders, so
that the same code finds the same files. Nothing is needed to build it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mace_tools.package import wheel_file

REPO = Path(__file__).resolve().parents[1]
NAME = "mace_converter"
# Besides tools/mace_tools.
FILES = ("LICENSE", "mace/proto/mace.proto", "mace/public/mace_version.h", "tools/*.json",
         "tools/mace_run/deployment_keys.json", "tools/requirements/validate.txt")  # fmt: skip
START = '''\
"""The command mace-converter.

SPDX-License-Identifier: Apache-2.0
"""

import sys

TOOLS = {tools}


def main() -> int:
    if sys.version_info < (3, 11):
        sys.stderr.write("ERROR: mace-converter needs Python 3.11 or newer\\n")
        return 6
    sys.path.insert(0, TOOLS)
    from mace_tools.cli import main as run

    return run(sys.argv[1:])
'''


def build_wheel(wheel_directory: str, config_settings: Any = None,
                metadata_directory: Any = None) -> str:
    """The hook of PEP 517."""
    files = {f"{NAME}/{path.relative_to(REPO).as_posix()}": path.read_bytes()
             for path in _shipped()}
    where = '__file__.rpartition("__init__")[0] + "tools"'
    return _write(wheel_directory, {f"{NAME}/__init__.py": START.format(tools=where).encode(),
                                    **files})


def build_editable(wheel_directory: str, config_settings: Any = None,
                   metadata_directory: Any = None) -> str:
    """`pip install -e .`: the command runs the files of this checkout."""
    start = START.format(tools=repr(str(REPO / "tools")))
    return _write(wheel_directory, {f"{NAME}/__init__.py": start.encode()})


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    raise NotImplementedError("the converter is installed from a checkout: `pip install .`")


def _shipped() -> list[Path]:
    package = [path for path in (REPO / "tools" / "mace_tools").rglob("*") if path.is_file()
               and not path.name.endswith("_test.py")
               and not {"testing", "__pycache__"} & set(path.parts)]
    return sorted([*package, *[path for name in FILES for path in REPO.glob(name)]])


def _write(folder: str, files: dict[str, bytes]) -> str:
    header = (REPO / "mace/public/mace_version.h").read_text()
    version = re.search(r'MACE_VERSION_STRING "([^"]+)"', header)
    assert version is not None
    lines = (REPO / "tools/requirements/convert.txt").read_text().splitlines()
    wheel = wheel_file.Wheel(
        "mace-converter", version[1], "py3-none-any", "Converts models for MACE", ">=3.11",
        [line for line in lines if line and not line.startswith("#")],
        {"mace-converter": f"{NAME}:main"}, {"LICENSE": (REPO / "LICENSE").read_bytes()})
    return wheel_file.write(wheel, files, Path(folder)).name
