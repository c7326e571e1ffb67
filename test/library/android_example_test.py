"""The example app for Android: Kotlin's compiler takes it, with Android's classes and the AAR's,
and its part that does without Android runs on this machine.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ET
import zipfile

import pytest
import small_models

from mace_tools import cli
from mace_tools.package import java
from mace_tools.setup import maven
from mace_tools.support.protos import REPO
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.deep
IN_THE_SUITE = pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                                  reason="covered elsewhere: tools/test.sh library")
APP = REPO / "mace" / "examples" / "android"
MAIN = REPO / "test" / "library" / "app_kotlin" / "Main.kt"
COMPILER = ("kotlin-compiler-embeddable", "kotlin-stdlib", "kotlin-script-runtime",
            "kotlin-reflect", "kotlin-daemon-embeddable", "kotlinx-coroutines-core-jvm",
            "annotations")
# What a build with Gradle makes of the manifest, and what the test calls.
APP_RULES = """\
-keep class org.mace.example.MainActivity { <init>(); }
-keep class MainKt { public static void main(java.lang.String[]); }
"""


def android():
    return maven.need("android-all", "15-")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of the jar and its libraries; and Android's part of the classes."""
    need_tools("bazel", "java", "javac")
    folder = tmp_path_factory.mktemp("java")
    assert cli.main(["java", f"--output={folder}", "--components=all,language"]) == 0
    (jar,) = folder.glob("*.jar")
    java.compile_classes(java.sources("android"), folder / "android",
                         (jar, maven.need("android-all", "5.")))
    java.jar(folder / "android.jar", {p.relative_to(folder / "android").as_posix(): p.read_bytes()
                                      for p in sorted((folder / "android").rglob("*.class"))})
    return folder, [jar, folder / "android.jar", maven.need("kotlin-stdlib"),
                    maven.need("annotations")]


@pytest.fixture(scope="module")
def app(package, tmp_path_factory):
    """The jar of its classes."""
    folder = tmp_path_factory.mktemp("app")
    sources = sorted((APP / "app" / "src").rglob("*.kt"))
    assert len(sources) == 8
    compiler = ":".join(str(maven.need(name)) for name in COMPILER)
    path = ":".join(map(str, [*package[1], android()]))
    done = subprocess.run(
        ["java", "-cp", compiler, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib",
         "-no-reflect", "-jvm-target", "1.8", "-Werror", "-cp", path, "-d", folder / "app.jar",
         *sources, MAIN], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "app.jar"


def shrink(app, package, out, *options):
    """By the rules of the AAR, and those that Gradle makes."""
    (out.parent / "consumer.txt").write_text(java.PROGUARD)
    (out.parent / "app.txt").write_text(APP_RULES)
    done = subprocess.run(
        ["java", "-cp", maven.need("r8"), "com.android.tools.r8.R8", "--release", "--lib",
         android(), "--lib", java.jdk(), "--pg-conf", out.parent / "consumer.txt", "--pg-conf",
         out.parent / "app.txt", *options, "--output", out, app, *package[1]],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Missing class" not in done.stderr, done.stderr
    return out


@IN_THE_SUITE
def test_r8_makes_the_code_of_an_apk(app, package, tmp_path):
    out = shrink(app, package, tmp_path / "dex.zip", "--min-api", str(java.API))
    with zipfile.ZipFile(out) as archive:
        code = archive.read("classes.dex")
    for name in ("org/mace/example/MainActivity", "org/mace/Native", "org/mace/MaceException"):
        assert f"L{name};".encode() in code
    assert b"Lorg/mace/example/Camera;" not in code  # renamed: it is shrunk
    assert b"android/hardware/camera2/CameraManager" in code  # and called


@IN_THE_SUITE
@pytest.mark.parametrize("is_shrunk", [False, True])
def test_what_needs_no_screen_runs_on_this_machine(app, package, stand_in, models, tmp_path,
                                                   is_shrunk):
    (tmp_path / "3.raw").write_bytes(small_models.pixels(3).tobytes())
    assert cli.main(["convert", f"--config={APP / 'models.yml'}", f"--output={tmp_path}"]) == 0
    code = [app, *package[1]]
    if is_shrunk:
        code = [shrink(app, package, tmp_path / "shrunk.jar", "--classfile")]
    done = subprocess.run(
        ["java", f"-Djava.library.path={package[0] / 'lib' / 'host'}", "-cp",
         ":".join(map(str, [*code, android()])), "MainKt", tmp_path / "example" / "model",
         tmp_path / "3.raw", tmp_path, stand_in, models["verses"].parent],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer, plan, frame, report, measured, text, awaited, dsp, no_dsp = done.stdout.splitlines()
    assert answer == "3" and awaited == "3 true" and frame == "3 true true"
    steps, size, tensors, has_steps = plan.split()
    assert int(steps) > 5 and int(size) > 10000 and int(tensors) > 5 and has_steps == "true"
    check_report(json.loads(report))
    assert re.fullmatch(r"nodes: \d+ on CPU \| memory: \d+ KB, of which \d+ KB for activations; "
                        r"\d+ KB mapped", measured)
    assert text == "12 true CANCELLED"
    assert dsp.startswith("3 true ")
    assert no_dsp.startswith("3 false no DSP, the CPU takes over: ") and "libmissing.so" in no_dsp


def check_report(found):
    assert found["failed"] == {"GPU": "no driver"} and found["phone"] == {"cores": 2}
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["mace"])
    (cpu,) = found["devices"]
    times, used = cpu["milliseconds"], cpu["bytes"]
    assert cpu["runs"] == 6 and cpu["device"] == "CPU"
    assert 0 < times["min"] <= times["median"] <= times["p90"] <= times["max"]
    assert times["create"] > 0 and times["first"] > 0
    assert used["anonymous"] >= used["arena"] > 0 and "weights" in used
    assert {node["device"] for node in cpu["nodes"]} == {"CPU"}
    assert any(node["op"].startswith("Softmax") for node in cpu["nodes"])


def test_its_files_agree():
    """What Gradle puts together is what the checkout has, under the names that the code opens."""
    gradle = (APP / "app" / "build.gradle.kts").read_text()
    assert re.search(r'minSdk = (\d+)', gradle)[1] == str(java.API)
    (images,) = re.findall(r'mace\.resolve\("(models/[^"]+)"\)', gradle)
    assert {f"{digit}.png" for digit in range(10)} <= {p.name for p in (REPO / images).iterdir()}
    folders = re.findall(r'mace\.resolve\("build/(\w+)/model"\)', gradle)
    sources = APP / "app/src/main/kotlin/org/mace/example"
    activity = (sources / "MainActivity.kt").read_text()
    opened = re.search(r'val model = if \(device == Device.DSP\) "(\w+)" else "(\w+)"', activity)
    config = (APP / "models.yml").read_text()
    verses = (REPO / "models/verses/verses.yml").read_text()
    assert folders == [re.search(r"^library_name: (\w+)$", text, re.MULTILINE)[1]
                       for text in (config, verses)]
    assert set(opened.groups()) == set(re.findall(r"^  (\w+):$", config, re.MULTILINE))
    assert '"verses.pb", "verses.data", "verses.tokenizer"' in (sources / "Writer.kt").read_text()
    manifest = ET.parse(APP / "app/src/main/AndroidManifest.xml").getroot()
    named = "{http://schemas.android.com/apk/res/android}name"
    (name,) = [e.get(named) for e in manifest.iter("activity")]
    assert f"class {name.removeprefix('.')} : Activity()" in activity
    assert [e.get(named) for e in manifest.iter("uses-permission")] == [
        "android.permission.CAMERA"]
    for line in ('namespace = "org.mace.example"', 'noCompress += listOf("pb", "data")'):
        assert line in gradle
