"""Names of libraries, and what lies beside them; nothing is linked here.

SPDX-License-Identifier: Apache-2.0
"""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from mace_tools import cli
from mace_tools.commands import device_tuning, link_library
from mace_tools.package import java
from mace_tools.package.library import abis, link
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.workplace import Workplace


@pytest.fixture
def linked(tmp_path, monkeypatch):
    """The library of an ABI, with empty files in place of what is linked."""
    def touch(path: Path) -> SimpleNamespace:
        path.write_text("linked")
        return SimpleNamespace(object=path, map=None)

    monkeypatch.setattr(link, "merge",
                        lambda abi, archives, work, needs_cxx: touch(work / "merged.o"))
    monkeypatch.setattr(link, "merge_apart", lambda abi, archives, work: ())
    monkeypatch.setattr(link, "static", lambda abi, merged, objects, out: touch(out))
    monkeypatch.setattr(link, "shared", lambda abi, merged, out, debug: touch(out))
    monkeypatch.setattr(link_library.sizes, "by_part", lambda map: Counter())
    cxx = tmp_path / "ndk" / java.CXX
    cxx.parent.mkdir()
    cxx.write_text("C++")
    monkeypatch.setattr(java, "cxx_library", lambda abi: cxx)

    def run(shared: bool, tuned: list[str], abi: str = "arm64-v8a", cxx: str = "app"):
        library = SimpleNamespace(library_name="lib", linkshared=int(shared), cxx=cxx)
        context = SimpleNamespace(folder=tmp_path / "lib",
                                  deployment=SimpleNamespace(library=library))
        made = link_library.link_library(context, abis.ABIS[abi], SimpleNamespace(archives=[]), [],
                                    tuned)
        files = sorted(p.name for p in (context.folder / "lib" / abi).iterdir())
        assert files == sorted(p.name for p in (made.file, *made.others))
        return made.file.name, files

    return run


@pytest.mark.parametrize("tuned, names", [
    ([], ["libmace_lib.a"]),
    (["MI6.msm8998"], ["libmace_lib.MI6.msm8998.a"]),
    (["MI6.msm8998", "MI8.sdm845", "MI6.msm8998"],
     ["libmace_lib.MI6.msm8998.a", "libmace_lib.MI8.sdm845.a"]),
    (["host"], ["libmace_lib.host.a"]),
])
def test_tuned_libraries_are_named_after_the_device(linked, tuned, names):
    assert linked(False, tuned) == (names[0], names)


@pytest.mark.parametrize("abi, names", [
    ("arm64-v8a", ["libc++_shared.so", "libmace.so"]),
    ("armeabi-v7a", ["libc++_shared.so", "libmace.so"]), ("host", ["libmace.so"])])
def test_shared_libraries_of_android_have_their_cxx_library_beside_them(linked, abi, names):
    assert linked(True, ["MI6.msm8998"], abi) == ("libmace.so", names)


def test_a_library_with_its_own_cxx_library_has_none_beside_it(linked):
    assert linked(True, [], cxx="none") == ("libmace.so", ["libmace.so"])


def test_a_device_that_could_not_be_tuned_gives_no_name():
    def place(name: str) -> SimpleNamespace:
        return SimpleNamespace(device=SimpleNamespace(name=name), abi="arm64-v8a")

    tuned, failed, other = place("a"), place("b"), place("c")
    report = {"tuned_on": {"a/arm64-v8a": {}, "b/arm64-v8a": {"error": "gone"}}}
    assert device_tuning.done([tuned, failed, other], report) == [tuned]
    assert device_tuning.done([tuned], {}) == []


@pytest.mark.parametrize("keys, shipped", [
    ("build_type: proto", {"digits_onnx.pb", "digits_onnx.data"}),
    ("build_type: code", {"digits_onnx.data"}),
    ("build_type: code\nembed_model_data: 1", set()),
])
def test_what_is_compiled_in_is_not_in_the_package(tmp_path, monkeypatch, capfd, keys, shipped):
    place = Workplace(tmp_path / "place", monkeypatch, capfd)
    place.edit("build_type: proto", keys)
    assert cli.main(["convert", f"--config={place.config}"]) == ExitCode.OK
    root = place.folder / "build" / "digits_onnx"
    assert {p.name for p in (root / "model").glob("*")} == shipped
    assert {p.name for p in (root / "_tmp" / "model").glob("*")} == {
        "digits_onnx.pb", "digits_onnx.data"} - shipped
