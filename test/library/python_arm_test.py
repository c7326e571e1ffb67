"""The wheels for Linux on Arm: Debian's Python for Arm, in an emulator, classifies a digit.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
import small_models
from consumers import EXPECTED, QEMU

from mace_tools import cli
from mace_tools.support.protos import REPO
from mace_tools.testing.needed import need_tools

PROJECT = REPO / "test" / "library" / "app_python" / "classify.py"
MACHINES = {"arm64": "aarch64", "armhf": "armv7l"}

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                       reason="covered elsewhere: tools/test.sh library"),
]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    need_tools("bazel", "qemu-aarch64", "qemu-arm")
    folder = tmp_path_factory.mktemp("wheels")
    assert cli.main(["wheel", f"--output={folder}", f"--target_abis={','.join(MACHINES)}"]) == 0
    return folder


def start(abi: str, site: Path, arguments: list[str], stdin: bytes = b"") -> bytes:
    """What a program for Debian's Python of this ABI prints."""
    usr = Path("/opt/mace-sysroot") / abi / "usr"
    (python,) = (usr / "bin").glob("python3.*")
    done = subprocess.run(
        [*QEMU[abi], str(python), *arguments], input=stdin,
        capture_output=True, env={"PATH": os.environ["PATH"], "PYTHONHOME": str(usr),
                                  "PYTHONPATH": f"{site}:{usr}/lib/python3/dist-packages"})
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("abi", MACHINES)
def test_an_outside_project_classifies_its_digit(wheels, models, tmp_path, abi):
    (file,) = wheels.glob(f"*_{MACHINES[abi]}.whl")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path)
    for digit in (3, 7):
        printed = start(abi, tmp_path, [str(PROJECT), str(models["digits"])],
                        small_models.pixels(digit).tobytes())
        answer = [float(word) for word in printed.decode().split()]
        assert np.argmax(answer) == digit
        np.testing.assert_allclose(answer, EXPECTED["onnx"][digit], atol=1e-5)


@pytest.mark.parametrize("abi", MACHINES)
def test_the_other_machine_is_refused(wheels, tmp_path, abi):
    (other,) = wheels.glob(f"*_{MACHINES['armhf' if abi == 'arm64' else 'arm64']}.whl")
    with zipfile.ZipFile(other) as archive:
        archive.extractall(tmp_path)
    program = "try:\n import mace\nexcept ImportError as e:\n print(e)"
    printed = start(abi, tmp_path, ["-c", program]).decode()
    assert printed.startswith("this package of MACE 1.0.0 is for Linux on "), printed
    assert "make one for this machine with `tools/converter.py wheel`" in printed
