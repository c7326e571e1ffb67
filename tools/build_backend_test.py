"""`pip install .` of the checkout: the command mace-converter converts like the checkout's own.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
import sys

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO

MODEL = REPO / "models" / "digits" / "digits.onnx"


def pip(*words):
    """Without a network: what the package needs is in the environment of the tests."""
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                    "--no-build-isolation", "--target", *words], check=True)


def wanted(lines):
    """What lines ask for, however they are written."""
    found = [Requirement(line) for line in lines]
    return [(canonicalize_name(one.name), one.specifier) for one in found]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    pip(folder, REPO)
    return folder


@pytest.fixture
def call(site, tmp_path):
    def run(*words):
        done = subprocess.run([site / "bin" / "mace-converter", *words], cwd=tmp_path, text=True,
                              capture_output=True, env={**os.environ, "PYTHONPATH": str(site)})
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.full
def test_the_same_model_in_the_same_bytes(call, tmp_path):
    code, out, err = call("init", str(MODEL))
    assert code == 0, err
    (tmp_path / "my.yml").write_text(out)
    assert call("convert", "--config=my.yml", "--output=installed")[0] == 0
    subprocess.run([sys.executable, REPO / "tools" / "converter.py", "convert", "--config=my.yml",
                    "--output=checkout"], cwd=tmp_path, check=True)
    installed, checkout = tmp_path / "installed" / "digits", tmp_path / "checkout" / "digits"
    for name in ("digits.pb", "digits.data"):
        assert (installed / "model" / name).read_bytes() == (
            checkout / "model" / name).read_bytes()
    code, out, err = call("check", str(MODEL))
    assert code == 0 and "15 nodes, all convert" in out, err


@pytest.mark.full
@pytest.mark.parametrize("command, words", [
    (["build", "--config=my.yml"], "the library is made from the engine's sources"),
    (["run", "--config=my.yml"], "mace_run, which runs models, is made from the engine's sources"),
    (["wheel"], "the library is made from"), (["source"], "the archive is made from"),
])
def test_what_needs_the_sources_says_so(call, tmp_path, command, words):
    (tmp_path / "my.yml").write_text(call("init", str(MODEL))[1])
    code, _, err = call(*command)
    assert code == ExitCode.MISSING_TOOL and words in err
    assert "use tools/converter.py of a checkout of MACE" in err


def test_the_package_holds_no_tests_and_says_what_it_needs(site):
    names = [path.name for path in site.rglob("*") if path.is_file()]
    assert {"emit.py", "mace.proto"} <= {*names}
    assert not [name for name in names if name.endswith("_test.py")]
    (metadata,) = site.glob("mace_converter-*.dist-info")
    text = (metadata / "METADATA").read_text()
    ranges = [line for line in (REPO / "tools/requirements/convert.txt").read_text().splitlines()
              if line and not line.startswith("#")]
    assert wanted(line.removeprefix("Requires-Dist: ") for line in text.splitlines()
                  if line.startswith("Requires-Dist: ")) == wanted(ranges)
    assert "Requires-Python: >=3.11" in text and (metadata / "licenses" / "LICENSE").is_file()


def lowest():
    """The lower ends of the ranges, as pins."""
    lines = (REPO / "tools/requirements/convert.txt").read_text().splitlines()
    return [re.sub(r">=([^,]+).*", r"==\1", line) for line in lines if line[:1] not in ("", "#")]


@pytest.mark.deep
@pytest.mark.parametrize("pins", [pytest.param(lowest, id="lowest", marks=pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="this build: NumPy 1.26 has no wheel for this Python")),
    pytest.param(list, id="newest")])
def test_both_ends_of_the_ranges(tmp_path, pins):
    """With packages of PyPI in an environment of its own, in the bytes of this one."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    programs = tmp_path / "venv" / "bin"
    subprocess.run([programs / "pip", "install", "--quiet", "--only-binary=:all:", REPO, *pins()],
                   check=True)
    for name in ("tf", "onnx", "tflite"):
        config = f"--config=models/digits/digits_{name}.yml"
        for program, folder in (([programs / "mace-converter"], "theirs"),
                                ([sys.executable, "tools/converter.py"], "ours")):
            subprocess.run([*program, "convert", config, f"--output={tmp_path / folder}"],
                           cwd=REPO, check=True)
        for suffix in ("pb", "data"):
            file = f"digits_{name}/model/digits_{name}.{suffix}"
            assert (tmp_path / "theirs" / file).read_bytes() == (
                tmp_path / "ours" / file).read_bytes()


@pytest.mark.full
def test_an_editable_one_runs_the_checkout(tmp_path):
    pip(tmp_path, "-e", REPO)
    folder = REPO / "tools" / "entry"
    assert (tmp_path / "_mace_converter.pth").read_text() == str(folder)
    assert not (tmp_path / "mace_converter").exists()
    path = os.pathsep.join([str(tmp_path), str(folder)])  # as Python reads the .pth
    done = subprocess.run([tmp_path / "bin" / "mace-converter", "--help"], capture_output=True,
                          text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0 and "convert" in done.stdout
