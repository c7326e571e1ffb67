"""The Java package: an outside project classifies its digit by it, JUnit tests it on this machine's
JDK, and its classes compile against Android's.

SPDX-License-Identifier: Apache-2.0
"""

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
from mace_tools.package import encryption, java
from mace_tools.setup import maven
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO, cache_dir
from mace_tools.testing.needed import CURE, need_pocl, need_tools

pytestmark = pytest.mark.deep
PROJECT = REPO / "test" / "library" / "app_java"
SECRET = bytes(range(100, 132))
JUNIT = (Path("/usr/share/java/junit4.jar"), Path("/usr/share/java/hamcrest.jar"))
TESTS = ("org.mace.AsyncRunsTest", "org.mace.GeneratorTest", "org.mace.ImportedMemoryTest",
         "org.mace.InsideTest", "org.mace.MaceEngineTest", "org.mace.MistakesTest",
         "org.mace.PicturesTest", "org.mace.SealedTest", "org.mace.StatesTest")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The jar, and the folder of its libraries."""
    need_tools("bazel", "javac", "java")
    folder = tmp_path_factory.mktemp("java")
    assert cli.main(["java", f"--output={folder}", "--components=all,encryption,language"]) == 0
    (jar,) = folder.glob("*.jar")
    return jar, folder / "lib" / "host"


@pytest.fixture(scope="module")
def places(built, models, tmp_path_factory):
    """All models in one folder, and the pictures as floats."""
    folder = tmp_path_factory.mktemp("places")
    for name, path in models.items():
        for suffix in (".pb", ".data"):
            shutil.copy(path.with_suffix(suffix), folder / f"{name}{suffix}")
    (folder / "verses.tokenizer").write_bytes(
        (models["verses"].with_suffix(".tokenizer")).read_bytes())
    encryption.seal(folder / "digits.pb", folder / "digits.data", encryption.Key(SECRET, "k7"),
                 folder / "digits.sealed")
    run(["gcc", "-shared", "-fPIC", "-Wall", "-Werror", f"-I{REPO}", str(PROJECT / "scaled.c"),
         "-o", str(folder / "libscaled.so"), f"-L{built[1]}", "-lmace", f"-Wl,-rpath,{built[1]}"])
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
    message = done.stdout.decode()
    assert done.returncode == 0, message
    assert int(re.search(r"OK \((\d+) tests?\)", message)[1]) > 3
    assert "FATAL ERROR in native" not in message and "WARNING in native" not in message, message


# Of an app whose code are the tests: JUnit finds these by their names.
APP_RULES = """\
-keepattributes RuntimeVisibleAnnotations
-keep class org.mace.*Test { public *; }
"""
NOT_CALLED = {"valueOf", "values"}  # of enums


@pytest.fixture(scope="module")
def shrunk(built, tests, tmp_path_factory):
    """The jar and its tests as R8 leaves them in an app, by the rules of the AAR and no other of
    the package; and the folder of R8's report."""
    folder = tmp_path_factory.mktemp("shrunk")
    java.jar(folder / "tests.jar", {p.relative_to(tests).as_posix(): p.read_bytes()
                                    for p in sorted(tests.rglob("*.class"))})
    (folder / "consumer.txt").write_text(java.PROGUARD)
    (folder / "app.txt").write_text(APP_RULES)
    (folder / "usage.rules").write_text(f"-dontoptimize\n-printusage {folder}/usage.txt\n")
    command = [
        "java", "-cp", str(maven.need("r8")), "com.android.tools.r8.R8", "--release",
        "--classfile", "--lib", str(java.jdk()),
        *[word for name in ("consumer", "app") for word in ("--pg-conf", f"{folder}/{name}.txt")],
        *[word for path in JUNIT for word in ("--classpath", str(path))],
        str(built[0]), str(folder / "tests.jar")]
    run([*command, "--output", str(folder / "app.jar")])
    run([*command, "--output", str(folder / "plain.jar"), "--pg-conf",
         str(folder / "usage.rules")])
    return folder / "app.jar", folder


@pytest.mark.parametrize("name", TESTS)
def test_an_app_that_r8_has_shrunk_works(built, shrunk, places, name):
    done = start((shrunk[0], built[1]), JUNIT, f"-Dmace.models={places}",
                 "org.junit.runner.JUnitCore", name)
    message = done.stdout.decode()
    assert done.returncode == 0, message + done.stderr.decode()
    assert int(re.search(r"OK \((\d+) tests?\)", message)[1]) > 3


def test_the_shrunk_app_calls_every_public_method(shrunk):
    """Else the test above would not see what R8 does to one of them."""
    removed, kind = [], ""
    for line in (shrunk[1] / "usage.txt").read_text().splitlines():
        if line.startswith(" "):
            found = re.search(r"^ +public .*?(\w+)\(", line)  # and not a constant
            if found and found[1] not in NOT_CALLED:
                removed.append(f"{kind}{found[1]}")
        else:
            kind = line
    assert removed == []
    with zipfile.ZipFile(shrunk[0]) as archive:
        names = archive.namelist()
    assert "org/mace/Native.class" in names and "org/mace/Options.class" not in names  # renamed


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


FRAMES = """
import android.graphics.*;
import android.media.Image;
import java.nio.*;
import org.mace.*;
import org.mace.android.Pictures;
public final class Frames extends Image {
  static ByteBuffer bytes(int... values) {
    ByteBuffer made = ByteBuffer.allocateDirect(values.length);
    for (int value : values) made.put((byte) value);
    made.rewind();
    return made;
  }
  static final class Bytes extends Plane {
    final ByteBuffer data; final int row, pixel;
    Bytes(ByteBuffer data, int row, int pixel) {
      this.data = data; this.row = row; this.pixel = pixel;
    }
    @Override public int getRowStride() { return row; }
    @Override public int getPixelStride() { return pixel; }
    @Override public ByteBuffer getBuffer() { return data; }
  }
  final int format;
  Frames(int format) { this.format = format; }
  @Override public int getFormat() { return format; }
  @Override public int getWidth() { return 4; }
  @Override public int getHeight() { return 2; }
  @Override public Rect getCropRect() { return new Rect(2, 0, 4, 2); }
  @Override public Plane[] getPlanes() {
    ByteBuffer chroma = bytes(128, 128, 128);
    return new Plane[] {new Bytes(bytes(0, 0, 1, 2, 0, 0, 3, 4), 4, 1),
        new Bytes(chroma, 4, 2), new Bytes(chroma, 4, 2)};
  }
  static final class Two extends Bitmap {
    @Override public int getWidth() { return 2; }
    @Override public int getHeight() { return 1; }
    @Override public int getRowBytes() { return 8; }
    @Override public void copyPixelsToBuffer(Buffer pixels) {
      ((ByteBuffer) pixels).put(bytes(10, 20, 30, 255, 40, 50, 60, 255));
    }
  }
  static void print(Picture picture, ImageConverter.Builder of) {
    try (ImageConverter converter = of.build()) {
      ByteBuffer tensor = converter.newTensor();
      converter.convert(picture, tensor);
      FloatBuffer floats = tensor.asFloatBuffer();
      while (floats.hasRemaining()) System.out.print((int) floats.get() + " ");
      System.out.println();
    }
  }
  public static void main(String[] arguments) {
    double[] none = {0}, one = {1};
    print(Pictures.of(new Frames(35), 90), new ImageConverter.Builder(2, 2)
        .setChannels(ImageConverter.Channels.GRAY, none, one));
    print(Pictures.of(new Two()), new ImageConverter.Builder(2, 1));
    try {
      Pictures.of(new Frames(256), 0);
    } catch (IllegalArgumentException e) {
      System.out.println(e.getMessage());
    }
  }
}
"""


def test_frames_and_bitmaps_of_android(built, tmp_path):
    """With fakes for Android's classes; aar_test.py compiles against the real ones."""
    java.compile_classes(java.sources("android_stubs"), tmp_path)
    java.compile_classes(java.sources("android"), tmp_path, (built[0], tmp_path))
    (tmp_path / "Frames.java").write_text(FRAMES)
    run(["javac", "-cp", f"{built[0]}:{tmp_path}", "-d", str(tmp_path),
         str(tmp_path / "Frames.java")])
    done = start(built, [tmp_path], "Frames")
    # The right half of the frame, a quarter turned clockwise; red, green and blue.
    assert done.stdout.decode().splitlines() == [
        "3 1 4 2 ", "10 20 30 40 50 60 ",
        "a frame of format 256; it is YUV_420_888 (35) or RGBA_8888 (1)"], done.stderr.decode()


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
    headers = "".join(p.read_text() for p in sorted((java.SOURCES / "jni").glob("*.c")))
    native = re.findall(r"static native [\w\[\]]+ (\w+)\(",
                        (java.SOURCES / "src/org/mace/Native.java").read_text())
    assert sorted(native) == sorted(re.findall(r"^NATIVE\(\w+, (\w+)\)", headers, re.MULTILINE))


def test_what_cannot_be_made_is_refused_first(tmp_path, capfd, monkeypatch):
    for words, message in ((["--target_abis=hots"], "there is no ABI 'hots'; did you mean 'host'"),
                           (["--ops=Conv3d,Softmax"], "there is no op 'Conv3d'")):
        assert cli.main(["java", f"--output={tmp_path / 'out'}", *words]) == ExitCode.USAGE
        assert message in " ".join(capfd.readouterr().err.split())
    monkeypatch.delenv("ANDROID_NDK_HOME", raising=False)
    words = ["java", f"--output={tmp_path / 'out'}"]
    assert cli.main([*words, "--target_abis=arm64-v8a"]) == ExitCode.MISSING_TOOL
    assert "ANDROID_NDK_HOME is not set" in capfd.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(words) == ExitCode.MISSING_TOOL
    assert "apt-get install default-jdk-headless" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()
