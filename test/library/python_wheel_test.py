"""The wheel of the Python package: what it says, where it is refused, and the programs that use it.

SPDX-License-Identifier: Apache-2.0
"""

import re
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import small_models
from consumers import EXPECTED, gpu_environment, run

from mace_tools import cli
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO
from mace_tools.testing.documents import code_of

pytestmark = pytest.mark.deep
PROJECT = REPO / "test" / "library" / "app_python" / "classify.py"


def test_an_outside_project_classifies_its_digit(site, models):
    """As a project has it: only the package and NumPy, in an interpreter of its own."""
    for digit in (3, 7):
        done = subprocess.run(
            [sys.executable, str(PROJECT), str(models["digits"])], capture_output=True, check=True,
            input=small_models.pixels(digit).tobytes(), env={"PYTHONPATH": str(site)})
        answer = [float(word) for word in done.stdout.decode().split()]
        assert np.argmax(answer) == digit
        np.testing.assert_allclose(answer, EXPECTED["onnx"][digit], atol=1e-5)


def test_the_wheel_says_what_it_runs_on(wheel):
    name = re.fullmatch(r"mace-[\d.]+-py3-none-manylinux_(\d+)_(\d+)_x86_64\.whl", wheel.name)
    assert name
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        library = archive.read("mace/libmace.so")
    assert {"mace/py.typed", "mace/_c.py"} <= set(names)
    assert any(n.endswith("licenses/NOTICES.txt") for n in names)
    (wheel.parent / "libmace.so").write_bytes(library)
    text = run(["readelf", "--wide", "--version-info", str(wheel.parent / "libmace.so")])
    needed = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", text)}
    assert max(needed) == (int(name[1]), int(name[2]))  # the C++ library needs none newer


def test_pip_refuses_the_wheel_of_another_machine(wheel, tmp_path):
    other = tmp_path / wheel.name.replace("x86_64", "aarch64")
    shutil.copy(wheel, other)
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-deps", "--no-index",
                           "--target", tmp_path / "site", other], capture_output=True, text=True)
    assert done.returncode == 1 and "is not a supported wheel on this platform" in done.stderr


@pytest.mark.parametrize("line, found", [
    ('MACHINE = "x86_64"\nMACHINES = ("x86_64",)', 'MACHINE = "aarch64"\nMACHINES = ("aarch64",)'),
    ('SYSTEM = "Linux"', 'SYSTEM = "Darwin"'), ("BITS = 64", "BITS = 32"),
    (re.compile(r"GLIBC = .*"), "GLIBC = (9, 9)"),
])
def test_a_package_copied_to_another_platform_says_so(site, tmp_path, line, found):
    shutil.copytree(site / "mace", tmp_path / "mace")
    file = tmp_path / "mace" / "_built.py"
    text = file.read_text()
    changed = re.sub(r"MACHINES = .*", 'MACHINES = ("x86_64",)', text)
    changed = line.sub(found, changed) if isinstance(line, re.Pattern) else changed.replace(
        line, found)
    assert changed != text
    file.write_text(changed)
    done = subprocess.run([sys.executable, "-c", "import mace"], capture_output=True, text=True,
                          cwd=tmp_path)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: this package of MACE 1.0.0 is for ")
    assert "; this " in last and "make one for this machine with `tools/converter.py wheel`" in last


def test_an_old_python_and_a_missing_cffi_are_named(site, tmp_path):
    old = "import sys; sys.version_info = (3, 8); import mace"
    bare = "import sys; sys.modules['_cffi_backend'] = None; import mace"
    for program, words in ((old, "is Python 3.8"),
                           (bare, "mace needs the package cffi: `pip install cffi`")):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              env={"PYTHONPATH": str(site)}, cwd=tmp_path)
        assert done.returncode == 1 and words in done.stderr


def test_the_page_runs_as_it_stands(site, models, tmp_path):
    page = code_of(REPO / "docs" / "python.md")
    program = "\n".join(code.text for code in page if code.language == "python")
    assert program.count("mace.Engine(") > 4
    for suffix in (".pb", ".data"):
        shutil.copy(models["digits"].with_suffix(suffix), tmp_path / f"net{suffix}")
    decoder = tmp_path / "build" / "verses" / "model"
    decoder.mkdir(parents=True)
    for suffix in (".pb", ".data", ".tokenizer"):
        folder = tmp_path if suffix == ".tokenizer" else decoder
        shutil.copy(models["verses"].with_suffix(suffix), folder / f"verses{suffix}")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env=gpu_environment(site), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "input float32 (1, 1, 8, 8) NCHW" in done.stdout and "Conv2d" in done.stdout


def test_a_wheel_is_made_only_where_it_can_be(tmp_path, capfd):
    assert cli.main(["wheel", "--target_abis=host,mips"]) == ExitCode.USAGE
    assert "Python packages for host, arm64, armhf, not for 'mips'" in capfd.readouterr().err
    (tmp_path / "file").write_text("")
    assert cli.main(["wheel", f"--output={tmp_path / 'file'}"]) == ExitCode.USAGE
    assert "is no folder" in capfd.readouterr().err
