"""Tools that tests need: a missing one is an error of the set-up, never a reason to skip a test.

SPDX-License-Identifier: Apache-2.0
"""

import shutil
from pathlib import Path

import pytest

POCL = Path("/etc/OpenCL/vendors/pocl.icd")
CURE = "tools/setup.sh --for test installs what the tests need"


def need_tools(*names: str) -> None:
    """Fails the test if a program is not on the PATH."""
    if missing := [name for name in names if shutil.which(name) is None]:
        pytest.fail(f"not installed: {', '.join(missing)}; {CURE}", pytrace=False)


def need_pocl() -> Path:
    """The file that names PoCL to the OpenCL loader; fails the test if PoCL is not installed."""
    if not POCL.is_file():
        pytest.fail(f"not installed: pocl-opencl-icd ({POCL}); {CURE}", pytrace=False)
    return POCL
