"""The archive for Android: its structure, of libraries that a fake NDK links.

SPDX-License-Identifier: Apache-2.0

The engine in them is a stub that only has the functions' names, since compiling all of it for
Android takes minutes (ndk_test.py does); the JNI library, classes and files are the real ones.
"""

import io
import json
import re
import subprocess
import xml.etree.ElementTree as ET
import zipfile

import pytest

from mace_tools import cli
from mace_tools.package import java
from mace_tools.package.library import abis, bundle, exports, link
from mace_tools.package.library.engine import Engine
from mace_tools.setup import maven
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.testing import fake_ndk
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.deep
ABIS = ("arm64-v8a", "armeabi-v7a", "x86_64")
MACHINES = {"arm64-v8a": "AArch64", "armeabi-v7a": "ARM", "x86_64": "Advanced Micro Devices X86-64"}
ANDROID = "{http://schemas.android.com/apk/res/android}"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The ABIs, by a folder like an NDK's."""
    need_tools("clang++-19", "ld.lld-19", "llvm-ar-19", "javac")
    folder = fake_ndk.make(tmp_path_factory.mktemp("ndk") / "ndk")
    fake_ndk.add_for_java(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANDROID_NDK_HOME", str(folder))
        yield abis.find(ABIS)


def stub(abi, folder):
    """An engine that has the C API's names."""
    names = [name for name in exports.listed() if exports.is_c(name)]
    (folder / "capi.cc").write_text("".join(
        f'extern "C" __attribute__((visibility("default"))) int {name}() {{ return 1; }}\n'
        for name in names))
    subprocess.run([abi.tool("g++"), *abi.flags, "-O1", "-fPIC", "-c", folder / "capi.cc", "-o",
                    folder / "capi.o"], check=True)
    archive = folder / "libcapi.pic.a"
    archive.unlink(missing_ok=True)
    subprocess.run([abi.tool("ar"), "rcs", archive, folder / "capi.o"], check=True)
    return Engine("stub", (archive,), True)


@pytest.fixture(scope="module")
def aar(found, tmp_path_factory):
    folder = tmp_path_factory.mktemp("aar")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exports, "listed", lambda listed=exports.listed: [
            name for name in listed() if exports.is_c(name)])
        for abi in found:
            java.libraries(abi, stub(abi, folder), folder / "lib" / abi.name,
                           folder / "symbols" / abi.name)
    java.write_aar(folder / "mace.aar", found, folder / "lib")
    return folder / "mace.aar"


@pytest.fixture(scope="module")
def files(aar):
    with zipfile.ZipFile(aar) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_has_what_gradle_looks_for(files):
    wanted = {"AndroidManifest.xml", "classes.jar", "R.txt", "proguard.txt", "LICENSE",
              "NOTICES.txt", "META-INF/com/android/build/gradle/aar-metadata.properties",
              "prefab/prefab.json", "prefab/modules/mace/module.json",
              "prefab/modules/mace/include/mace/public/mace_c.h",
              "prefab/modules/mace/include/mace/public/mace.h"}
    wanted |= {f"jni/{abi}/{name}" for abi in ABIS for name in (link.SONAME, java.JNI, java.CXX)}
    wanted |= {f"prefab/modules/mace/libs/android.{abi}/{name}" for abi in ABIS
               for name in (link.SONAME, "abi.json")}
    assert wanted <= set(files)
    assert not [name for name in files if name.startswith(("lib/", "include/", "assets/"))]
    metadata = files["META-INF/com/android/build/gradle/aar-metadata.properties"].decode()
    assert dict(line.split("=") for line in metadata.splitlines()) == {
        "aarFormatVersion": "1.0", "aarMetadataVersion": "1.0", "minCompileSdk": "21"}


def test_the_manifest_asks_for_the_drivers(files):
    root = ET.fromstring(files["AndroidManifest.xml"])
    assert root.get("package") == "org.mace"
    assert root.find("uses-sdk").get(f"{ANDROID}minSdkVersion") == str(abis.API)
    libraries = {e.get(f"{ANDROID}name"): e.get(f"{ANDROID}required")
                 for e in root.find("application").iter("uses-native-library")}
    assert {"libOpenCL.so", "libcdsprpc.so"} <= set(libraries)
    assert set(libraries.values()) == {"false"}  # the app installs without a GPU, too


@pytest.mark.parametrize("abi", ABIS)
def test_the_libraries_are_of_their_abi_and_fit_pages_of_16_kb(files, tmp_path, abi):
    for name in (link.SONAME, java.JNI, java.CXX):
        path = tmp_path / name
        path.write_bytes(files[f"jni/{abi}/{name}"])
        text = subprocess.run(["readelf", "--wide", "--file-header", "--program-headers",
                               "--dynamic", path], check=True, capture_output=True,
                              text=True).stdout
        assert re.search(rf"Machine: +{re.escape(MACHINES[abi])}", text), name
        loads = re.findall(r"LOAD .* 0x([0-9a-f]+)$", text, re.MULTILINE)
        assert loads and all(int(align, 16) >= link.PAGE_BYTES for align in loads), name
        assert f"soname: [{name}]" in text
        assert "RUNPATH" not in text and "RPATH" not in text  # which Android's linker ignores
        needed = re.findall(r"NEEDED.*\[(.*)\]", text)
        assert (link.SONAME in needed) == (name == java.JNI)
        if name == java.JNI:
            assert not {"libstdc++.so.6", java.CXX} & set(needed)  # it is C
    table = subprocess.run(["nm", "-D", "--defined-only", tmp_path / java.JNI], check=True,
                           capture_output=True, text=True).stdout
    exported = [line.split()[-1] for line in table.splitlines()]
    native = (java.SOURCES / "src/org/mace/Native.java").read_text()
    assert sorted(exported) == sorted(f"Java_org_mace_Native_{name}" for name in re.findall(
        r"static native [\w\[\]]+ (\w+)\(", native))
    metadata = json.loads(files[f"prefab/modules/mace/libs/android.{abi}/abi.json"])
    assert metadata["stl"] == "c++_shared" and metadata["static"] is False and metadata["api"] == 21
    assert files[f"prefab/modules/mace/libs/android.{abi}/{link.SONAME}"] == files[
        f"jni/{abi}/{link.SONAME}"]


def test_its_classes_and_what_r8_keeps_of_them(files):
    with zipfile.ZipFile(io.BytesIO(files["classes.jar"])) as archive:
        names = set(archive.namelist())
        version = archive.read("META-INF/MANIFEST.MF").decode()
    assert {"org/mace/MaceEngine.class", "org/mace/android/Bitmaps.class",
            "org/mace/android/Pictures.class", "META-INF/LICENSE",
            "META-INF/NOTICES.txt"} <= names
    assert bundle.version() in version
    assert not [name for name in names if name.startswith("android/")]  # not the fakes
    rules = files["proguard.txt"].decode()
    for name in re.findall(r"org\.mace\.[\w$]+", rules):
        assert f"{name.replace('.', '/')}.class" in names
    # What the native half looks up by name.
    source = "".join(p.read_text() for p in sorted((java.SOURCES / "jni").glob("*.c")))
    looked_up = re.findall(r'FindClass\(\s*env, "([\w/]+)"\)', source)
    assert set(looked_up) == {"org/mace/MaceException", "org/mace/MaceLog", "java/lang/Object",
                              "android/hardware/HardwareBuffer"}
    methods = re.findall(r'GetStaticMethodID\(\s*env, [\w>-]+,\s*"(\w+)"', source)
    assert set(methods) == {"raise", "log", "key", "onText"}
    flat = " ".join(rules.split())
    for method in ("MaceException { static void raise(", "MaceLog { static void log(",
                   "Native { native <methods>; static byte[] key("):
        assert f"-keep,includedescriptorclasses class org.mace.{method}" in flat
    assert "static boolean onText(org.mace.TextListener, byte[]);" in flat


def test_the_same_input_makes_the_same_bytes(aar, found, tmp_path):
    java.write_aar(tmp_path / "again.aar", found, aar.parent / "lib")
    assert (tmp_path / "again.aar").read_bytes() == aar.read_bytes()


def test_without_cxx_it_has_no_cxx_library(found, tmp_path):
    (abi,) = [each for each in found if each.name == "arm64-v8a"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exports, "listed", lambda listed=exports.listed: [
            name for name in listed() if exports.is_c(name)])
        java.libraries(abi, stub(abi, tmp_path), tmp_path / "lib" / abi.name,
                       tmp_path / "symbols" / abi.name, needs_cxx=False)
    java.write_aar(tmp_path / "mace.aar", [abi], tmp_path / "lib", needs_cxx=False)
    with zipfile.ZipFile(tmp_path / "mace.aar") as archive:
        names = archive.namelist()
        metadata = json.loads(archive.read("prefab/modules/mace/libs/android.arm64-v8a/abi.json"))
    assert [name for name in names if name.startswith("jni/")] == [
        f"jni/arm64-v8a/{name}" for name in (link.SONAME, java.JNI)]
    assert metadata["stl"] == "none"
    assert "prefab/modules/mace/include/mace/public/mace_c.h" in names
    assert "prefab/modules/mace/include/mace/public/mace.h" not in names
    for name in (link.SONAME, java.JNI):
        library = tmp_path / "lib" / abi.name / name
        text = subprocess.run(["readelf", "--wide", "--dynamic", library], check=True,
                              capture_output=True, text=True).stdout
        assert not re.search(r"NEEDED.*(c\+\+|libgcc)", text)


def test_all_classes_compile_against_android_itself(tmp_path):
    """The fakes that the archive is built with could be wrong."""
    jar = maven.need("android-all", "5.")
    java.compile_classes([*java.sources("src"), *java.sources("android")], tmp_path / "classes",
                         (jar,))
    assert (tmp_path / "classes/org/mace/android/Bitmaps.class").is_file()


def test_an_ndk_without_the_cxx_library_is_refused(found, tmp_path):
    folder = fake_ndk.make(tmp_path / "ndk")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANDROID_NDK_HOME", str(folder))
        (abi,) = abis.find(("arm64-v8a",))
        with pytest.raises(java.MissingToolError, match=r"has no .*aarch64-linux-android/libc\+\+"):
            java.cxx_library(abi)


def test_a_cxx_library_for_small_pages_is_refused_where_pages_may_be_large(tmp_path, capsys):
    """As in r26 and earlier: Google Play takes no app with it."""
    folder = fake_ndk.make(tmp_path / "ndk", "26.3.11579264")
    fake_ndk.add_for_java(folder, 4096)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANDROID_NDK_HOME", str(folder))
        for name in ("arm64-v8a", "x86_64"):
            (abi,) = abis.find((name,))
            with pytest.raises(java.MissingToolError, match="are aligned to 4096 bytes, and devices"
                               " with pages of 16384 cannot load it: install an NDK of r28 or"):
                java.cxx_library(abi)
        (abi,) = abis.find(("armeabi-v7a",))  # whose devices have none
        assert java.cxx_library(abi).name == java.CXX
        arguments = ["java", "--target_abis=armeabi-v7a,arm64-v8a", f"--output={tmp_path / 'out'}"]
        assert cli.main(arguments) == cli.ExitCode.MISSING_TOOL
    assert "sdkmanager" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()  # before anything was compiled


@pytest.mark.parametrize("name", [link.SONAME, java.JNI])
def test_addresses_in_the_libraries_can_be_told(aar, found, tmp_path, name):
    """What ndk-stack does with the address of a crash."""
    abi = found[0]
    library, symbols = (aar.parent / part / abi.name / name for part in ("lib", "symbols"))
    function = "mace_version" if name == link.SONAME else "Java_org_mace_Native_version"
    table = subprocess.run(["nm", "-D", library], check=True, capture_output=True, text=True).stdout
    (address,) = re.findall(rf"^([0-9a-f]+) T {function}(?:@|$)", table, re.MULTILINE)
    told = subprocess.run(["llvm-symbolizer-19", f"--obj={symbols}", f"0x{address}"], check=True,
                          capture_output=True, text=True).stdout
    assert function in told
    if name == java.JNI:
        assert re.search(r"engine_jni\.c:\d+", told)
    ids = [re.search(r"Build ID: (\w+)", subprocess.run(
        ["readelf", "--notes", path], check=True, capture_output=True, text=True).stdout)[1]
        for path in (library, symbols)]
    assert ids[0] == ids[1]


@pytest.mark.parametrize("bits", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(58)])
def test_what_is_no_library_has_no_segments(tmp_path, bits):
    (tmp_path / "lib.so").write_bytes(bits)
    with pytest.raises(RunFailedError, match=r"lib\.so is no shared library"):
        link.min_alignment(tmp_path / "lib.so")
