"""What tests of the Python and Java packages share: they are made once.

SPDX-License-Identifier: Apache-2.0
"""

import sys

import pytest
import small_models
from consumers import run

from mace_tools import cli
from mace_tools.testing import built
from mace_tools.testing.needed import need_tools


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    need_tools("bazel", "readelf")
    folder = tmp_path_factory.mktemp("wheel")
    assert cli.main(["wheel", f"--output={folder}"]) == 0
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="session")
def site(wheel, tmp_path_factory):
    """Where pip installs it; what it needs is in the environment of the tests."""
    folder = tmp_path_factory.mktemp("site")
    run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target",
         str(folder), str(wheel)])
    return folder


@pytest.fixture(scope="session")
def mace(site):
    sys.path.insert(0, str(site))
    import mace

    yield mace
    sys.path.remove(str(site))


@pytest.fixture(scope="session")
def stand_in():
    """A library of ours in the place of the vendor's for DSPs."""
    return built.build("//mace/hexagon:hexagon_nn_stand_in.so")


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {make.__name__: make(folder) for make in (
        small_models.digits, small_models.quantized, small_models.two, small_models.slow,
        small_models.verses,
        small_models.wide, small_models.indices, small_models.counter, small_models.own)}
