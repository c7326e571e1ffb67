"""Libraries for Android: messages without an NDK, and what is linked and packed with one, which
is played by Debian's Clang.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
import subprocess

import pytest

from mace_tools.package import prefab
from mace_tools.package.library import abis, bundle, exports, link
from mace_tools.support import ndk
from mace_tools.support.exit_codes import MissingToolError
from mace_tools.support.protos import REPO
from mace_tools.testing import fake_ndk
from mace_tools.testing.needed import need_tools

TARGETS = {"arm64-v8a": "aarch64-linux-android21", "armeabi-v7a": "armv7a-linux-androideabi21",
           "x86_64": "x86_64-linux-android21"}  # fmt: skip
SIGNATURE = "mace::Api(std::vector<std::string, std::allocator<std::string > > const&)"
IN_C = "mace_api"
RUNTIME = """\
#include <new>
#include <string>
#include <vector>
int Used();
int Own() { return 2; }
// What mace/base/memory_reserve.cc defines.
#if __SIZEOF_SIZE_T__ == 8
extern "C" void* New(size_t bytes) __asm__("__wrap__Znwm");
#else
extern "C" void* New(size_t bytes) __asm__("__wrap__Znwj");
#endif
extern "C" void* New(size_t bytes) { return ::operator new(bytes, std::nothrow); }
namespace mace {
__attribute__((visibility("default"))) int Api(const std::vector<std::string>& names) {
  std::vector<int> sizes;
  for (const std::string& name : names) sizes.push_back(static_cast<int>(name.size()));
  return Used() + Own() + (sizes.empty() ? 0 : sizes[0]);
}
}
extern "C" __attribute__((visibility("default"))) int mace_api(const char* name) {
  return mace::Api({name});
}
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder like an NDK's, which ANDROID_NDK_HOME names."""
    need_tools("clang++-19", "ld.lld-19", "llvm-ar-19")
    folder = fake_ndk.make(tmp_path / "ndk")
    monkeypatch.setenv(ndk.HOME, str(folder))
    return folder


def refused(*names):
    with pytest.raises(MissingToolError) as error:
        abis.find(names)
    text = str(error.value)
    assert "\n" not in text
    return text


def test_without_an_ndk_the_message_says_what_to_install_and_to_set(monkeypatch):
    monkeypatch.delenv(ndk.HOME, raising=False)
    text = refused("host", "arm64-v8a", "x86_64")
    assert text.startswith("arm64-v8a, x86_64: libraries for Android need the Android NDK, and "
                           "ANDROID_NDK_HOME is not set: install the Android NDK (r28 or later: ")
    assert "export ANDROID_NDK_HOME=/path/to/ndk" in text
    assert "`--target_abis=host,arm64,armhf` builds for Linux without it" in text
    monkeypatch.setenv(ndk.HOME, "")
    assert refused("host", "arm64-v8a", "x86_64") == text


def test_a_folder_that_is_no_ndk_is_refused_by_name(monkeypatch, tmp_path):
    monkeypatch.setenv(ndk.HOME, "/nowhere/ndk")
    assert "ANDROID_NDK_HOME=/nowhere/ndk is no folder" in refused("x86_64")
    monkeypatch.setenv(ndk.HOME, str(tmp_path))
    assert f"ANDROID_NDK_HOME={tmp_path} is no Android NDK: {tmp_path}/source.properties cannot " \
           "be read (No such file or directory)" in refused("x86_64")
    (tmp_path / "source.properties").write_text("Pkg.Desc = Android SDK\nPkg.Revision = 26.1\n")
    assert f"{tmp_path}/source.properties names no version of one" in refused("x86_64")
    (tmp_path / "source.properties").write_bytes(b"\xff\xfe NDK")
    assert "names no version of one" in refused("x86_64")


@pytest.mark.parametrize("version", ["24.0.8215888", "9.0.1"])
def test_an_older_ndk_is_refused_by_name(monkeypatch, tmp_path, version):
    folder = fake_ndk.make(tmp_path / "ndk", version)
    monkeypatch.setenv(ndk.HOME, str(folder))
    assert f"is of version {version}, and MACE is built with r25 or later" in refused("arm64-v8a")


@pytest.mark.parametrize("version", ["30.0.1", "31.2.14206865-beta1"])
def test_a_newer_ndk_is_tried_with_one_warning(monkeypatch, tmp_path, capsys, version):
    folder = fake_ndk.make(tmp_path / "ndk", version)
    monkeypatch.setenv(ndk.HOME, str(folder))
    for _ in range(2):
        (abi,) = abis.find(("arm64-v8a",))
        assert abi.ndk is not None and abi.ndk.version == version
    (line,) = capsys.readouterr().err.splitlines()
    assert "WARNING" in line and f"is of version {version}, and r29 is the last one" in line


def test_an_ndk_for_another_machine_or_in_part_is_refused(home, monkeypatch):
    (ndk.find(["x86_64"]).bin / "llvm-objcopy").unlink()
    assert re.search(r"has no /\S+/linux-x86_64/bin/llvm-objcopy: this machine needs the NDK for "
                     "Linux", refused("arm64-v8a"))
    monkeypatch.chdir(home.parent)
    monkeypatch.setenv(ndk.HOME, "ndk")
    assert f"write `export ANDROID_NDK_HOME={home}`" in refused("arm64-v8a")


@pytest.mark.parametrize("version", ["25.2.9519653", "26.3.11579264", "27.0.12077973-beta1",
                                     ndk.RECOMMENDED, "29.0.14206865"])
def test_known_versions_are_found(monkeypatch, tmp_path, capsys, version):
    monkeypatch.setenv(ndk.HOME, str(fake_ndk.make(tmp_path / "ndk", version)))
    (abi,) = abis.find(("arm64-v8a",))
    assert abi.ndk is not None and abi.ndk.major == int(version[:2])
    assert abi.tool("g++").endswith("/bin/clang++") and abi.flags == (
        "--target=aarch64-linux-android21",)
    assert capsys.readouterr().err == ""


def test_bazel_and_the_linker_build_for_the_same_version_of_android():
    text = (REPO / "third_party/toolchains/ndk_toolchain.bzl").read_text()
    assert f"\nAPI = {abis.API}\n" in text
    for name, target in TARGETS.items():
        assert abis.ABIS[name].flags[0] == f"--target={target}"
        assert f'"--target={target.removesuffix("21")}%d" % API' in text


@pytest.fixture
def linked(home, tmp_path, monkeypatch):
    """A small library for an ABI: its description, and what it was merged from."""
    monkeypatch.setattr(exports, "listed", lambda: [SIGNATURE, IN_C])

    def make(name, needs_cxx=True):
        (abi,) = abis.find((name,))
        archives = []
        for stem, text in (("libcapi", RUNTIME),
                           ("libcpu", "int Used() { return 1; } int Unused() { return 0; }")):
            source = tmp_path / f"{stem}.cc"
            source.write_text(text)
            run = [abi.tool("g++"), *abi.flags, "-O1", "-fPIC", "-fno-exceptions",
                   "-ffunction-sections", "-fvisibility=hidden", "-c", source, "-o",
                   tmp_path / f"{stem}.o"]
            subprocess.run(run, check=True)
            archives.append(tmp_path / f"{stem}.pic.a")
            subprocess.run([abi.tool("ar"), "rcs", archives[-1], tmp_path / f"{stem}.o"],
                           check=True)
        return abi, link.merge(abi, archives, tmp_path, needs_cxx)

    return make


@pytest.mark.parametrize("name", TARGETS)
def test_a_shared_library_exports_the_api_and_fits_all_pages(linked, home, tmp_path, name):
    abi, merged = linked(name)
    out = tmp_path / link.SONAME
    link.shared(abi, merged, out, tmp_path / "libmace.so.debug")
    found = exports.symbols(abi, [out], dynamic=True)
    found.pop(link.SYMBOL_VERSION, None)
    assert sorted(found.values()) == [SIGNATURE, IN_C]
    text = subprocess.run(["readelf", "--wide", "--program-headers", "--dynamic", out], check=True,
                          capture_output=True, text=True).stdout
    loads = re.findall(r"LOAD .* 0x([0-9a-f]+)$", text, re.MULTILINE)
    assert loads and all(int(align, 16) >= link.PAGE_BYTES for align in loads)
    arguments = fake_ndk.arguments_of_linker(home)
    assert arguments[0] == f"--target={TARGETS[name]}" and "-shared" in arguments
    assert {"-ldl", "-lm"} <= set(arguments)
    # bionic has threads in its C library; before Android 6 it reads one kind of hash table only,
    # which the NDK's compiler knows; and the C++ library is that of the compiler: the shared one.
    assert not {"-lpthread", "-Wl,--hash-style=gnu", "-static-libstdc++"} & set(arguments)


@pytest.mark.parametrize("name", TARGETS)
def test_a_library_for_apps_without_cxx_contains_that_of_the_ndk(linked, home, tmp_path, name):
    abi, merged = linked(name, needs_cxx=False)
    out = tmp_path / link.SONAME
    link.shared(abi, merged, out, tmp_path / "libmace.so.debug")
    found = exports.symbols(abi, [out], dynamic=True)
    assert set(found) - {link.SYMBOL_VERSION} == {IN_C}
    assert "-static-libstdc++" in fake_ndk.arguments_of_linker(home)
    text = subprocess.run(["readelf", "--wide", "--dynamic", out], check=True, capture_output=True,
                          text=True).stdout
    assert re.findall(r"NEEDED.*\[(lib\w+)", text) == ["libc"]
    assert abi.cxx() == ("libc++", "NDK 26.1.10909125", "Apache-2.0 WITH LLVM-exception")


@pytest.mark.parametrize("name", TARGETS)
def test_a_static_library_shows_the_api_and_inline_functions_only(linked, tmp_path, name):
    abi, merged = linked(name)
    out = tmp_path / "libmace_small.a"
    link.static(abi, [merged], [], out)
    strong = exports.symbols(abi, [out], kinds="TDBR")
    assert sorted(strong.values()) == [SIGNATURE, IN_C]
    weak = exports.symbols(abi, [out], kinds="WV")
    assert all("std::" in text for text in weak.values())
    names = subprocess.run([abi.tool("nm"), out], check=True, capture_output=True, text=True).stdout
    assert "_Z4Usedv" in names and "_Z6Unusedv" not in names


@pytest.mark.parametrize("file", ["libmace.so", "libmace_digits.a"])
def test_the_prefab_package_has_what_its_schema_asks_for(home, tmp_path, file):
    """As https://google.github.io/prefab describes it, in version 2 of its schema."""
    root = tmp_path / "package"
    bundle.write_headers(root, {})
    found = abis.find(("host", "arm64-v8a", "x86_64"))
    for abi in found:
        (root / "lib" / abi.name).mkdir(parents=True)
        (root / "lib" / abi.name / file).write_text(abi.name)
    own = {abi: file.replace(".a", f".MI6.{abi.name}.a") for abi in found}
    for abi, name in own.items():  # of a library that is tuned for a device
        (root / "lib" / abi.name / file).rename(root / "lib" / abi.name / name)
    prefab.write(root, own, file)
    place = root / "prefab"
    top = json.loads((place / "prefab.json").read_text())
    assert top == {"schema_version": 2, "name": "mace", "version": bundle.version(),
                   "dependencies": []}
    assert re.fullmatch(r"\d+(\.\d+(\.\d+(\.\d+)?)?)?", top["version"])
    (module,) = (place / "modules").iterdir()
    metadata = json.loads((module / "module.json").read_text())
    is_static = file.endswith(".a")
    assert metadata == {"export_libraries": ["-ldl", "-lm"] if is_static else [],
                        "library_name": file.partition(".")[0]}
    assert (module / "include" / "mace" / "public" / "mace.h").is_file()
    assert sorted(p.name for p in (module / "libs").iterdir()) == [
        "android.arm64-v8a", "android.x86_64"]
    for name in ("arm64-v8a", "x86_64"):
        folder = module / "libs" / f"android.{name}"
        assert json.loads((folder / "abi.json").read_text()) == {
            "abi": name, "api": 21, "ndk": 26, "stl": "c++_shared", "static": is_static}
        assert (folder / file).read_text() == name


def test_prefab_packages_without_cxx_fit_apps_with_any_cxx_library(home, tmp_path):
    (abi,) = abis.find(("arm64-v8a",))
    bundle.write_headers(tmp_path, {}, in_cpp=False)
    (tmp_path / "lib" / abi.name).mkdir(parents=True)
    (tmp_path / "lib" / abi.name / link.SONAME).write_text("")
    prefab.write(tmp_path, {abi: link.SONAME}, "", needs_cxx=False)
    module = tmp_path / "prefab" / "modules" / "mace"
    metadata = json.loads((module / "libs" / "android.arm64-v8a" / "abi.json").read_text())
    assert metadata["stl"] == "none"
    headers = {path.name for path in (module / "include/mace/public").iterdir()}
    assert "mace_c.h" in headers and "mace.h" not in headers


def test_a_package_without_android_has_no_prefab_folder(tmp_path):
    prefab.write(tmp_path, {abis.ABIS["host"]: "libmace.so"}, "libmace.a")
    assert not (tmp_path / "prefab").exists()


def test_build_files_of_a_package_for_android(home, tmp_path):
    found = abis.find(("host", "arm64-v8a"))
    host, phone = found
    bundle.write_build_files(tmp_path, {host: "libmace_digits.a",
                                         phone: "libmace_digits.MI6.msm8998.a"})
    config = (tmp_path / "lib/cmake/mace/mace-config.cmake").read_text()
    assert 'set(_mace_name_arm64-v8a "libmace_digits.MI6.msm8998.a")' in config
    assert "list(REMOVE_ITEM _mace_libraries \"\" stdc++ pthread)" in config
    assert config.count("CMAKE_SYSTEM_PROCESSOR MATCHES") == 1
    lines = {abi.name: (tmp_path / "lib" / abi.name / "pkgconfig/mace.pc").read_text()
             for abi in found}
    assert "-lpthread" in lines["host"] and "-lpthread" not in lines["arm64-v8a"]
