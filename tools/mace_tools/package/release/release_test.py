"""Releases: what they consist of, that the same sources make the same bytes, and what is left out.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import doctest
import hashlib
import json
import os
import re
import subprocess
import tarfile
import time
import xml.etree.ElementTree as ET
import zipfile
from types import SimpleNamespace

import pytest

from mace_tools.package import java
from mace_tools.package.library import abis, bundle, exports, link, old_glibc
from mace_tools.package.library.engine import Engine
from mace_tools.package.release import __main__ as command
from mace_tools.package.release import deb, make, maven
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import MissingToolError, RunFailedError
from mace_tools.testing.needed import need_tools

HOST = abis.ABIS["host"]
# It calls what has newer versions in newer systems, and the C++ library.
SOURCE = """
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sys/stat.h>
#include <memory>
#include <string>
static void* Work(void* text) {
  *static_cast<std::string*>(text) += "ed";
  return nullptr;
}
extern "C" int mace_answer(const char* path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return 1;
  auto text = std::make_shared<std::string>("work");
  pthread_t thread;
  if (pthread_create(&thread, nullptr, &Work, text.get()) != 0) return 2;
  if (pthread_join(thread, nullptr) != 0 || *text != "worked") return 3;
  if (dlsym(RTLD_DEFAULT, "getpid") == nullptr) return 4;
  return exp(log(pow(2.0, 5))) > 31.9 ? 42 : 5;
}
"""


def compiled(folder, source=SOURCE):
    """As link.merge would leave it."""
    need_tools("g++")
    folder.mkdir(exist_ok=True)
    (folder / "a.cc").write_text(source)
    subprocess.run(["g++", "-std=c++17", "-O1", "-fPIC", "-c", folder / "a.cc", "-o",
                    folder / "a.o"], check=True)
    return link.Merged(folder / "a.o", folder / "a.map", ("mace_answer",), ())


def test_a_library_for_older_systems(tmp_path):
    out = tmp_path / "libmace.so"
    old_glibc.shared(HOST, compiled(tmp_path / "work"), (2, 28), out, tmp_path / "debug" / "x")
    text = subprocess.run(["objdump", "-p", out], capture_output=True, text=True, check=True).stdout
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", text)}
    assert versions and max(versions) <= (2, 28) and "libstdc++" not in text
    assert {"libdl.so.2", "libpthread.so.0"} <= set(re.findall(r"NEEDED +(\S+)", text))
    assert ctypes.CDLL(str(out)).mace_answer(str(tmp_path).encode()) == 42
    assert not doctest.testmod(old_glibc).failed


def test_what_an_older_system_lacks_is_named(tmp_path):
    source = ('extern "C" unsigned arc4random();'  # of 2.36
              'extern "C" int mace_answer() { return arc4random() > 0; }')
    with pytest.raises(RunFailedError, match="undefined reference to `arc4random'"):
        old_glibc.shared(HOST, compiled(tmp_path, source), (2, 28), tmp_path / "x.so",
                         tmp_path / "debug" / "x")


def test_a_debian_package_is_one_to_dpkg(tmp_path):
    need_tools("dpkg-deb")
    files = {"usr/lib/a/libmace.so": b"\x7fELF", "usr/share/doc/libmace/copyright": b"Apache"}
    packages = []
    for umask, zone in ((0o022, "UTC"), (0o077, "Asia/Tokyo")):
        old, before = os.umask(umask), os.environ.get("TZ")
        os.environ["TZ"] = zone
        time.tzset()
        packages.append(tmp_path / f"{umask}.deb")
        deb.write(packages[-1], "libmace", "1.2.3", "arm64", "libc6 (>= 2.28)", files)
        os.umask(old)
        os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
        time.tzset()
    assert packages[0].read_bytes() == packages[1].read_bytes()
    fields = subprocess.run(["dpkg-deb", "--field", packages[0]], capture_output=True, text=True,
                            check=True).stdout
    assert "Package: libmace\nVersion: 1.2.3\nArchitecture: arm64\n" in fields
    assert "Depends: libc6 (>= 2.28)" in fields
    subprocess.run(["dpkg-deb", "--extract", packages[0], tmp_path / "root"], check=True)
    assert (tmp_path / "root/usr/lib/a/libmace.so").read_bytes() == b"\x7fELF"
    listing = subprocess.run(["dpkg-deb", "--contents", packages[0]], capture_output=True,
                             text=True, check=True).stdout
    assert all("root/root" in line for line in listing.splitlines())


@pytest.mark.full
def test_a_maven_repository(tmp_path):
    need_tools("javac", "javadoc")
    package = tmp_path / "mace-1.jar"
    java.jar(package, {"org/mace/A.class": b"x"})
    first, second = (maven.publish(tmp_path / name, [package]) for name in "ab")
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
    version = bundle.version()
    folder = tmp_path / "a" / "org" / "mace" / "mace" / version
    assert {p.name for p in first} == {f"mace-{version}{end}" for end in (
        ".jar", ".pom", "-sources.jar", "-javadoc.jar")}
    for path in first:
        for kind in ("md5", "sha1", "sha256"):
            assert (folder / f"{path.name}.{kind}").read_text() == hashlib.new(
                kind, path.read_bytes()).hexdigest()
    pom = ET.parse(folder / f"mace-{version}.pom").getroot()
    space = "{http://maven.apache.org/POM/4.0.0}"
    assert [pom.find(f"{space}{name}").text for name in (
        "groupId", "artifactId", "version", "packaging")] == ["org.mace", "mace", version, "jar"]
    sources = zipfile.ZipFile(folder / f"mace-{version}-sources.jar").namelist()
    assert "org/mace/MaceEngine.java" in sources and "org/mace/AsyncRuns.java" in sources
    pages = zipfile.ZipFile(folder / f"mace-{version}-javadoc.jar").namelist()
    assert "org/mace/MaceEngine.html" in pages and "index.html" in pages


def test_native_debug_symbols(tmp_path):
    for abi in ("arm64-v8a", "x86_64"):
        (tmp_path / abi).mkdir()
        (tmp_path / abi / "libmace.so").write_text(abi)
    maven.native_debug_symbols(tmp_path / "s.zip", tmp_path, ["arm64-v8a"])
    with zipfile.ZipFile(tmp_path / "s.zip") as archive:
        assert archive.namelist() == ["arm64-v8a/libmace.so"]


@pytest.fixture
def stubs(monkeypatch, tmp_path):
    """An engine that only has the C API's names; no sources and no Java."""
    need_tools("g++", "ld", "objcopy")
    names = [name for name in exports.listed() if exports.is_c(name)]
    monkeypatch.setattr(exports, "listed", lambda: names)
    (tmp_path / "capi.c").write_text("".join(
        f'__attribute__((visibility("default"))) int {name}() {{ return 1; }}\n'
        for name in names))
    subprocess.run(["gcc", "-fPIC", "-w", "-c", tmp_path / "capi.c", "-o", tmp_path / "capi.o"],
                   check=True)
    archive = tmp_path / "libcapi.pic.a"
    subprocess.run(["ar", "rcsD", archive, tmp_path / "capi.o"], check=True)
    monkeypatch.setattr(make.engine, "build", lambda *_, **__: Engine("stub", (archive,), True))
    monkeypatch.setattr(make, "_java", lambda *_: ["the AAR: no NDK"])
    monkeypatch.setattr(make.file_list, "read", lambda *_: None)
    monkeypatch.setattr(make.tree, "write_archive", lambda _, out: out.write_bytes(b"sources"))


def made(folder):
    left_out = make.release(Console(), folder, ["host"])
    assert left_out == ["the AAR: no NDK"]
    return {p.relative_to(folder).as_posix(): p.read_bytes()
            for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.full
def test_the_same_sources_make_the_same_bytes(stubs, tmp_path, monkeypatch):
    first = made(tmp_path / "one" / "release")
    monkeypatch.setenv("TZ", "America/Lima")
    monkeypatch.setenv("USER", "someone")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    time.tzset()
    old = os.umask(0o077)
    try:
        second = made(tmp_path / "another folder" / "release")
    finally:
        os.umask(old)
    assert made(tmp_path / "one" / "release") == first  # it replaces an earlier one
    assert list(first) == list(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_what_a_release_has(stubs, tmp_path):
    found = made(tmp_path / "release")
    version, machine = bundle.version(), make.machine(HOST)
    assert {f"mace-{version}-linux-{machine}.tar.gz", f"mace-{version}-source.tar.gz",
            make.SBOM, bundle.SUMS} <= set(found)
    (wheel,) = [name for name in found if name.endswith(".whl")]
    assert wheel == f"mace_engine-{version}-py3-none-manylinux_2_28_{machine}.whl"
    with zipfile.ZipFile(tmp_path / "release" / wheel) as archive:
        names = archive.namelist()
        assert "mace_engine/libmace.so" in names and not any(n.startswith("mace/") for n in names)
        text = archive.read("mace_engine/_engine.py").decode()
        assert "from mace_engine._errors import" in text and "from mace." not in text
    with tarfile.open(tmp_path / "release" / f"mace-{version}-linux-{machine}.tar.gz") as archive:
        (java,) = [name for name in archive.getnames() if name.endswith("/libmace_jni.so")]
        needed = archive.extractfile(java).read()
    newest = max(tuple(map(int, v.split(b"."))) for v in re.findall(rb"GLIBC_([\d.]+)", needed))
    assert newest <= make.GLIBC
    subprocess.run(["sha256sum", "--check", "--quiet", bundle.SUMS], cwd=tmp_path / "release",
                   check=True)
    bill = json.loads(found[make.SBOM])
    assert bill["spdxVersion"] == "SPDX-2.3"
    assert {f["fileName"] for f in bill["files"]} == {
        f"./{name}" for name in found if name not in (make.SBOM, bundle.SUMS)}


def test_an_ndk_of_tests_makes_no_release():
    fake = SimpleNamespace(compiler=lambda: "Android clang version 17.0.2 (x)\n")
    with pytest.raises(MissingToolError, match="not one of Android's"):
        make.need_android_compiler([fake])
    real = "Android (11349228, +pgo, based on r487747e) clang version 17.0.2\nTarget: x\n"
    make.need_android_compiler([SimpleNamespace(compiler=lambda: real)])


@pytest.mark.parametrize("words, message", [
    (["--abis=host,mips"], "there is no 'mips' for Linux; there are host, arm64, armhf"),
    (["--output={}"], "holds something else than an earlier release")])
def test_bad_arguments(tmp_path, capsys, words, message):
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(SystemExit) as e:
        command.main([word.format(tmp_path) for word in words])
    assert e.value.code == 2 and message in re.sub(r"\s+", " ", capsys.readouterr().err)
    assert (tmp_path / "mine.txt").exists()
