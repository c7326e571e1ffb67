"""The Java package: an outside project classifies its digit by it, JUnit tests it on this machine's
JDK, and its classes compile against Android's.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
import small_models
from consumers import EXPECTED, run

from mace_tools import cli
from mace_tools.exit_codes import ExitCode
from mace_tools.library import java
from mace_tools.protos import REPO, cache_dir
from mace_tools.testing.needed import CURE, need_pocl, need_tools

PROJECT = REPO / "test" / "library" / "app_java"
JUNIT = (Path("/usr/share/java/junit4.jar"), Path("/usr/share/java/hamcrest.jar"))
TESTS = ("org.mace.MaceEngineTest", "org.mace.MistakesTest", "org.mace.StatesTest")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The jar, and the folder of its libraries."""
    need_tools("bazel", "javac", "java")
    folder = tmp_path_factory.mktemp("java")
    assert cli.main(["java", f"--output={folder}"]) == 0
    (jar,) = folder.glob("*.jar")
    return jar, folder / "lib" / "host"


@pytest.fixture(scope="module")
def places(models, tmp_path_factory):
    """All models in one folder, and the pictures as floats."""
    folder = tmp_path_factory.mktemp("places")
    for name, path in models.items():
        for suffix in (".pb", ".data"):
            shutil.copy(path.with_suffix(suffix), folder / f"{name}{suffix}")
    for digit in range(10):
        (folder / f"{digit}.raw").write_bytes(small_models.pixels(digit).tobytes())
    return folder


def start(built, classes, *words, stdin=b""):
    jar, libraries = built
    path = ":".join(map(str, (jar, *classes)))
    return subprocess.run(["java", "-Xcheck:jni", f"-Djava.library.path={libraries}", "-cp", path,
                           *map(str, words)], input=stdin, capture_output=True)


def test_an_outside_project_classifies_its_digit(built, places, tmp_path):
    run(["javac", "-cp", str(built[0]), "-d", str(tmp_path), str(PROJECT / "Classify.java")])
    for digit in (3, 7):
        done = start(built, [tmp_path], "Classify", places / "digits.pb",
                     stdin=(places / f"{digit}.raw").read_bytes())
        answer = [float(word) for word in done.stdout.split()]
        assert done.returncode == 0 and np.argmax(answer) == digit, done.stderr.decode()
        np.testing.assert_allclose(answer, EXPECTED["onnx"][digit], atol=1e-5)


@pytest.fixture(scope="module")
def tests(built, tmp_path_factory):
    if not all(path.is_file() for path in JUNIT):
        pytest.fail(f"not installed: junit4; {CURE}", pytrace=False)
    folder = tmp_path_factory.mktemp("tests")
    java.compile_classes(sorted((java.SOURCES / "test").rglob("*.java")), folder,
                         (built[0], *JUNIT))
    return folder


@pytest.mark.parametrize("name", TESTS)
def test_junit(built, tests, places, name):
    done = start(built, [tests, *JUNIT], f"-Dmace.models={places}", "org.junit.runner.JUnitCore",
                 name)
    said = done.stdout.decode()
    assert done.returncode == 0, said
    assert int(re.search(r"OK \((\d+) tests?\)", said)[1]) > 3
    assert "FATAL ERROR in native" not in said and "WARNING in native" not in said, said


def test_every_class_of_tests_is_run():
    found = {path.stem for path in (java.SOURCES / "test").rglob("*Test.java")}
    assert found == {name.rpartition(".")[2] for name in TESTS}


GPU = """
import java.io.File;
import org.mace.*;
public final class Gpu {
  public static void main(String[] arguments) {
    Options options = new Options().setDevice(Device.GPU).setGpuDataType("fp32_fp32")
        .setGpuStorageFolder(new File(arguments[1]));
    float[][][][] x = new float[1][16][64][64], y = new float[1][32][64][64];
    for (float[][] plane : x[0]) for (float[] row : plane) java.util.Arrays.fill(row, 2);
    try (MaceEngine engine = new MaceEngine(new File(arguments[0]), options)) {
      engine.run(x, y);
      System.out.println(y[0][31][30][30] + " " + engine.dump("plan").contains("GPU"));
    }
  }
}
"""


def test_the_gpu(built, places, tmp_path, monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", str(need_pocl()))
    monkeypatch.setenv("POCL_CACHE_DIR", str(cache_dir() / "pocl"))
    (tmp_path / "Gpu.java").write_text(GPU)
    run(["javac", "-cp", str(built[0]), "-d", str(tmp_path), str(tmp_path / "Gpu.java")])
    done = start(built, [tmp_path], "Gpu", places / "wide.pb", tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    # Before its last line, Java complains of signal handlers that PoCL changed.
    value, on_gpu = done.stdout.decode().splitlines()[-1].split()
    assert float(value) == pytest.approx(2, abs=1e-4) and on_gpu == "true"
    assert any(path.stat().st_size for path in tmp_path.iterdir() if path.suffix != ".java")


def test_libraries_that_are_not_there_are_named(built, places, tmp_path):
    run(["javac", "-cp", str(built[0]), "-d", str(tmp_path), str(PROJECT / "Classify.java")])
    done = start((built[0], tmp_path), [tmp_path], "Classify", places / "digits.pb",
                 stdin=bytes(256))
    assert "MACE needs libmace_jni.so and libmace.so for this machine (amd64): on Android from " \
           "the AAR" in done.stderr.decode()


def test_the_classes_are_of_java_8_and_free_of_android(built):
    with zipfile.ZipFile(built[0]) as archive:
        names = [name for name in archive.namelist() if name.endswith(".class")]
        assert "org/mace/MaceEngine.class" in names and "META-INF/LICENSE" in archive.namelist()
        for name in names:
            data = archive.read(name)
            assert data[:8] == b"\xca\xfe\xba\xbe\0\0\0\x34", name  # major version 52
            assert b"android/" not in data, name
    headers = (REPO / "mace/java/jni/mace_jni.c").read_text()
    native = re.findall(r"static native [\w\[\]]+ (\w+)\(",
                        (java.SOURCES / "src/org/mace/Native.java").read_text())
    assert sorted(native) == sorted(re.findall(r"^NATIVE\(\w+, (\w+)\)", headers, re.MULTILINE))


def test_what_cannot_be_made_is_said_first(tmp_path, capfd, monkeypatch):
    for words, said in ((["--target_abis=hots"], "there is no ABI 'hots'; did you mean 'host'"),
                        (["--ops=Conv3d,Softmax"], "there is no op 'Conv3d'")):
        assert cli.main(["java", f"--output={tmp_path / 'out'}", *words]) == ExitCode.USAGE
        assert said in " ".join(capfd.readouterr().err.split())
    monkeypatch.delenv("ANDROID_NDK_HOME", raising=False)
    words = ["java", f"--output={tmp_path / 'out'}"]
    assert cli.main([*words, "--target_abis=arm64-v8a"]) == ExitCode.MISSING_TOOL
    assert "ANDROID_NDK_HOME is not set" in capfd.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(words) == ExitCode.MISSING_TOOL
    assert "apt-get install openjdk-17-jdk-headless" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()
