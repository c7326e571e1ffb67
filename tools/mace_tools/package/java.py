"""The Java classes of the engine (mace/java), their library libmace_jni.so, and the archive for
Android.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from mace_tools.package import prefab
from mace_tools.package.library import bundle, link
from mace_tools.package.library.abis import API, Abi
from mace_tools.package.library.engine import Engine
from mace_tools.support import ndk
from mace_tools.support.atomic import atomic_files
from mace_tools.support.exit_codes import MissingToolError
from mace_tools.support.protos import REPO

SOURCES = REPO / "mace" / "java"
JNI = "libmace_jni.so"
CXX = "libc++_shared.so"  # which libmace.so needs on Android
RELEASE = "8"  # of Java, which Android's tools read since API 21
EARLIEST = (1980, 1, 1, 0, 0, 0)
# The NDK's names of the folders of an ABI.
NDK_TRIPLES = {"arm64-v8a": "aarch64-linux-android", "armeabi-v7a": "arm-linux-androideabi",
               "x86_64": "x86_64-linux-android"}  # fmt: skip
MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="org.mace">
  <uses-sdk android:minSdkVersion="{api}" />
  <application>
    <!-- Without these lines Android 12 and later hide the drivers of GPUs and DSPs from apps. -->
    <uses-native-library android:name="libOpenCL.so" android:required="false" />
    <uses-native-library android:name="libOpenCL-pixel.so" android:required="false" />
    <uses-native-library android:name="libOpenCL-car.so" android:required="false" />
    <uses-native-library android:name="libcdsprpc.so" android:required="false" />
  </application>
</manifest>
"""
PROGUARD = """\
# libmace_jni.so finds these by their names and signatures, and so by the names of the classes in
# them.
-keep,includedescriptorclasses class org.mace.Native {
  native <methods>;
  static byte[] key(org.mace.KeySource, byte[]);
  static boolean onText(org.mace.TextListener, byte[]);
}
-keep,includedescriptorclasses class org.mace.MaceLog {
  static void log(org.mace.MaceLog$Listener, int, byte[]);
}
-keep,includedescriptorclasses class org.mace.MaceException { static void raise(int, byte[]); }
# Nothing reads it: it keeps memory that an engine uses from being freed.
-keepclassmembers,allowobfuscation class org.mace.MaceEngine { java.lang.Object kept; }
"""
AAR_METADATA = """\
aarFormatVersion=1.0
aarMetadataVersion=1.0
minCompileSdk={api}
"""


def jdk() -> Path:
    """The folder of the JDK. Errors: MissingToolError."""
    found = shutil.which("javac")
    if found is None:
        raise MissingToolError("the Java classes need a JDK, and there is no javac: `apt-get "
                               "install default-jdk-headless`, or `tools/setup.sh --for test`")
    return Path(os.path.realpath(found)).parents[1]


def compile_classes(sources: Sequence[Path], out: Path, classpath: Sequence[Path] = ()) -> None:
    """Errors: MissingToolError, RunFailedError."""
    jdk()
    out.mkdir(parents=True, exist_ok=True)
    path = ["-cp", os.pathsep.join(map(str, classpath))] if classpath else []
    link.run(["javac", "--release", RELEASE, "-Xlint:all,-options,-processing", "-Werror", "-g",
              *path, "-d", out, *sources])


def sources(part: str) -> list[Path]:
    """`part`: src, android or android_stubs."""
    return sorted((SOURCES / part).rglob("*.java"))


def jar(path: Path, files: Mapping[str, bytes]) -> None:
    """A ZIP archive; the same files make the same bytes."""
    with atomic_files(path) as (out,), zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)


def classes(android: bool) -> dict[str, bytes]:
    """The files of the jar, with the licence."""
    with tempfile.TemporaryDirectory(prefix="mace.java.") as temporary:
        work = Path(temporary)
        compile_classes(sources("src"), work / "classes")
        if android:
            # What stands for Android's own classes is not packed.
            compile_classes(sources("android_stubs"), work / "stubs")
            compile_classes(sources("android"), work / "classes",
                            (work / "classes", work / "stubs"))
        found = {p.relative_to(work / "classes").as_posix(): p.read_bytes()
                 for p in sorted((work / "classes").rglob("*.class"))}
    head = f"Manifest-Version: 1.0\nImplementation-Version: {bundle.version()}\n"
    # Where R8 and ProGuard look for the rules of a jar; those of an AAR are in proguard.txt.
    rules = {} if android else {"META-INF/proguard/mace.pro": PROGUARD.encode()}
    return {"META-INF/MANIFEST.MF": head.encode(), **_licences("META-INF/"), **rules, **found}


def _licences(folder: str) -> dict[str, bytes]:
    return {f"{folder}{target}": (REPO / source).read_bytes()
            for source, target in bundle.DOCUMENTS.items() if target != "CHANGELOG.md"}


def libraries(abi: Abi, engine: Engine, folder: Path, symbols: Path,
              needs_cxx: bool = True) -> None:
    """Writes libmace.so and libmace_jni.so, and on Android the C++ library if they need it; into
    `symbols` what tells the functions and lines of addresses in the two, by the same names, as
    ndk-stack wants them. Errors: MissingToolError, RunFailedError."""
    folder.mkdir(parents=True, exist_ok=True)
    symbols.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mace.jni.") as temporary:
        work = Path(temporary)
        library = folder / link.SONAME
        merged = link.merge(abi, engine.archives, work, needs_cxx)
        link.shared(abi, merged, library, symbols / link.SONAME)
    jni(abi, library, folder / JNI, symbols / JNI, flags=() if needs_cxx else link.STATIC_CXX)
    if abi.is_android and needs_cxx:
        shutil.copyfile(cxx_library(abi), folder / CXX)


def jni(abi: Abi, library: Path, out: Path, symbols: Path,
        system: Sequence[object] = (), flags: Sequence[str] = ()) -> None:
    """Writes libmace_jni.so, over `library`; `system` are the libraries that it is linked with, in
    place of those of the compiler, and `flags` of its linker. Errors: MissingToolError,
    RunFailedError."""
    with tempfile.TemporaryDirectory(prefix="mace.jni.") as temporary:
        work, objects = Path(temporary), []
        for source in sorted((SOURCES / "jni").glob("*.c")):
            objects.append(work / f"{source.stem}.o")
            # Its build ID is also that of the paths in the line table.
            link.run(["env", f"--chdir={REPO}", abi.tool("g++"), *abi.flags,
                      f"-ffile-prefix-map={REPO}=.", "-x", "c", "-std=c99", "-O2", "-g1", "-fPIC",
                      "-Wall", "-Wextra", "-fvisibility=hidden", f"-I{REPO}", *_jni_headers(abi),
                      "-c", source, "-o", objects[-1]])
        whole = work / JNI
        link.run([abi.tool("g++"), *abi.flags, "-shared", "-o", whole, f"-Wl,-soname,{JNI}",
                  *link.SHARED_FLAGS, *flags, *link.beside(abi), *objects, library,
                  *(system or [*[f"-L{f}" for f in abi.library_folders],
                               *[f"-Wl,-rpath-link,{f}" for f in abi.library_folders],
                               *[f"-l{name}" for name in link.dependencies(abi)]])])
        link.strip(abi, whole, out, symbols)


def _jni_headers(abi: Abi) -> list[str]:
    if abi.is_android:
        return []  # the NDK has them
    include = jdk() / "include"
    return [f"-I{include}", f"-I{include / 'linux'}"]


def cxx_library(abi: Abi) -> Path:
    """The NDK's, which apps pack. Errors: MissingToolError, also if 64-bit devices with pages of
    16 KB could not load it, for which Google Play takes no app."""
    assert abi.ndk is not None
    folder = abi.ndk.bin.parent / "sysroot" / "usr" / "lib" / NDK_TRIPLES[abi.name]
    if not (folder / CXX).is_file():
        raise MissingToolError(f"{abi.name}: the Android NDK has no {folder / CXX}: unpack it as a "
                               "whole")
    least = link.min_alignment(folder / CXX)
    if abi.is_64_bit and least < link.PAGE_BYTES:
        raise MissingToolError(f"{abi.name}: the segments of {folder / CXX} are aligned to {least} "
                               f"bytes, and devices with pages of {link.PAGE_BYTES} cannot load "
                               f"it: install an NDK of r{ndk.FOR_LARGE_PAGES} or later "
                               f"(`sdkmanager \"ndk;{ndk.RECOMMENDED}\"`) and let {ndk.HOME} name "
                               f"it; {abi.ndk.home} has {abi.ndk.version}")
    return folder / CXX


def write_aar(path: Path, abis: Sequence[Abi], lib: Path, needs_cxx: bool = True) -> None:
    """The archive for Gradle; `lib` has the libraries of each ABI in a folder."""
    with tempfile.TemporaryDirectory(prefix="mace.aar.") as temporary:
        root = Path(temporary)
        jar(root / "classes.jar", classes(android=True))
        files = {"AndroidManifest.xml": MANIFEST.format(api=API).encode(),
                 "classes.jar": (root / "classes.jar").read_bytes(), "R.txt": b"",
                 "proguard.txt": PROGUARD.encode(), **_licences(""),
                 "META-INF/com/android/build/gradle/aar-metadata.properties":
                     AAR_METADATA.format(api=API).encode()}
        bundle.write_headers(root, {}, in_cpp=needs_cxx)
        for abi in abis:
            shutil.copytree(lib / abi.name, root / "lib" / abi.name)
            files.update({f"jni/{abi.name}/{p.name}": p.read_bytes()
                          for p in sorted((lib / abi.name).iterdir())})
        prefab.write(root, {abi: link.SONAME for abi in abis}, link.SONAME, needs_cxx)
        files.update({p.relative_to(root).as_posix(): p.read_bytes()
                      for p in sorted((root / prefab.FOLDER).rglob("*")) if p.is_file()})
        jar(path, files)
