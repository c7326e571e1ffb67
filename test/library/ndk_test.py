"""The library for Android as far as it can be built without an NDK: every file is compiled for the
NDK's targets by Debian's Clang, and an app runs with what the NDK's flags make of it.

SPDX-License-Identifier: Apache-2.0

The C library is Debian's: these tests find what is wrong in branches for Android, in flags and in
the package, but not what bionic lacks. They compile the engine three times, and so are of the suite
`library`.
"""

import json
import os
import re
import shutil

import consumers
import pytest
from consumers import classify, run

from mace_tools.config.component_names import NAMES
from mace_tools.package.library import abis, engine, exports, link
from mace_tools.support import ndk
from mace_tools.support.console import Console
from mace_tools.support.protos import cache_dir
from mace_tools.testing import fake_ndk
from mace_tools.testing.needed import need_tools

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                       reason="covered elsewhere: tools/test.sh library"),
]


@pytest.fixture(scope="module", autouse=True)
def home():
    """In one place, so that compiled files are found again."""
    need_tools("bazel", "clang++-19", "ld.lld-19", "qemu-aarch64")
    folder = cache_dir() / "fake_ndk"
    shutil.rmtree(folder, ignore_errors=True)
    fake_ndk.make(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ndk.HOME, str(folder))
        yield folder


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return consumers.Place(tmp_path_factory.mktemp("android"))


@pytest.mark.parametrize("name", ["armeabi-v7a", "x86_64"])
def test_every_file_compiles_for(name):
    (abi,) = abis.find((name,))
    made = engine.build(Console(), abi, None, True, components=NAMES, dsp=True)
    assert len(made.archives) > 10


@pytest.fixture(scope="module")
def shared(place):
    config = place.config("shared", "linkshared: 1\n")
    assert place.build(config, "--target_abis=arm64-v8a") == 0
    return place.unpacked("shared")


def app(package, out, *flags):
    """The app by Debian's compiler, whose C library the fake has."""
    run([abis.ABIS["arm64"].tool("g++"), "-std=c++11", str(consumers.APP / "classify.cc"), "-o",
         str(out), *flags, *consumers.pkg_config(package, "arm64-v8a"),
         f"-Wl,-rpath,{package / 'lib' / 'arm64-v8a'}"])
    return out


def test_an_app_runs_with_the_shared_library(shared, tmp_path):
    program = app(shared, tmp_path / "app")
    classify(program, "arm64", shared / "model" / "digits.pb", shared / "model" / "digits.data")
    (abi,) = abis.find(("arm64-v8a",))
    library = shared / "lib" / "arm64-v8a" / link.SONAME
    found = exports.symbols(abi, [library], dynamic=True)
    found.pop(link.SYMBOL_VERSION, None)
    assert sorted(set(found.values())) == sorted(exports.listed())
    text = run(["readelf", "--wide", "--program-headers", str(library)])
    loads = re.findall(r"LOAD .* 0x([0-9a-f]+)$", text, re.MULTILINE)
    assert loads and all(int(align, 16) >= link.PAGE_BYTES for align in loads)


def test_the_package_has_the_library_for_gradle_too(shared):
    folder = shared / "prefab" / "modules" / "mace" / "libs" / "android.arm64-v8a"
    assert json.loads((folder / "abi.json").read_text())["stl"] == "c++_shared"
    plain = shared / "lib" / "arm64-v8a" / link.SONAME
    assert (folder / link.SONAME).read_bytes() == plain.read_bytes()
    assert "prefab/prefab.json" in (shared / "SHA256SUMS").read_text()


def test_models_are_compiled_into_a_static_library(place, tmp_path):
    config = place.config("inside", "build_type: code\nembed_model_data: 1\n")
    assert place.build(config, "--target_abis=arm64-v8a") == 0
    program = app(place.unpacked("inside"), tmp_path / "app", "-DFROM_CODE")
    classify(program, "arm64", "digits")


def test_a_program_in_c_needs_no_cxx_library(place, tmp_path):
    config = place.config("no_cxx", "linkshared: 1\ncxx: none\n")
    assert place.build(config, "--target_abis=arm64-v8a") == 0
    package = place.unpacked("no_cxx")
    consumers.check_needs_no_cxx(package, "arm64-v8a", tmp_path)
    assert [path.name for path in (package / "lib" / "arm64-v8a").glob("*.so")] == [link.SONAME]
