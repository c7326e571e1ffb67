"""The example app for Android: Kotlin's compiler takes it, with Android's classes and the AAR's,
and its part that does without Android runs on this machine.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import re
import subprocess
import xml.etree.ElementTree as ET

import pytest
import small_models

from mace_tools import cli
from mace_tools.package import java
from mace_tools.setup import maven
from mace_tools.support.protos import REPO
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.deep
APP = REPO / "mace" / "examples" / "android"
MAIN = REPO / "test" / "library" / "app_kotlin" / "Main.kt"
COMPILER = ("kotlin-compiler-embeddable", "kotlin-stdlib", "kotlin-script-runtime",
            "kotlin-reflect", "kotlin-daemon-embeddable", "kotlinx-coroutines-core-jvm",
            "annotations")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of the jar and its libraries; and Android's part of the classes."""
    need_tools("bazel", "java", "javac")
    folder = tmp_path_factory.mktemp("java")
    assert cli.main(["java", f"--output={folder}"]) == 0
    (jar,) = folder.glob("*.jar")
    java.compile_classes(java.sources("android"), folder / "android",
                         (jar, maven.need("android-all")))
    return folder, [jar, folder / "android", maven.need("android-all"),
                    maven.need("kotlin-stdlib")]


@pytest.fixture(scope="module")
def app(package, tmp_path_factory):
    """The folder of its classes."""
    out = tmp_path_factory.mktemp("app")
    sources = sorted((APP / "app" / "src").rglob("*.kt"))
    assert len(sources) == 4
    compiler = ":".join(str(maven.need(name)) for name in COMPILER)
    done = subprocess.run(
        ["java", "-cp", compiler, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib",
         "-no-reflect", "-jvm-target", "1.8", "-Werror", "-cp", ":".join(map(str, package[1])),
         "-d", out, *sources, MAIN], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                    reason="covered elsewhere: tools/test.sh library")
def test_it_compiles_and_classifies_on_this_machine(app, package, stand_in, tmp_path):
    assert (app / "org/mace/example/MainActivity.class").is_file()
    (tmp_path / "3.raw").write_bytes(small_models.pixels(3).tobytes())
    assert cli.main(["convert", f"--config={APP / 'models.yml'}", f"--output={tmp_path}"]) == 0
    path = ":".join(map(str, [app, *package[1]]))
    done = subprocess.run(
        ["java", f"-Djava.library.path={package[0] / 'lib' / 'host'}", "-cp", path, "MainKt",
         tmp_path / "example" / "model", tmp_path / "3.raw", tmp_path, stand_in],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer, plan, awaited, dsp, no_dsp = done.stdout.splitlines()
    assert answer == awaited == "3 true"
    steps, size, tensors, has_steps = plan.split()
    assert int(steps) > 5 and int(size) > 10000 and int(tensors) > 5 and has_steps == "true"
    assert dsp.startswith("3 true ")
    assert no_dsp.startswith("3 false no DSP, the CPU takes over: ") and "libmissing.so" in no_dsp


def test_its_files_agree():
    """What Gradle puts together is what the checkout has, under the names that the code opens."""
    gradle = (APP / "app" / "build.gradle.kts").read_text()
    assert re.search(r'minSdk = (\d+)', gradle)[1] == str(java.API)
    (images,) = re.findall(r'mace\.resolve\("(models/[^"]+)"\)', gradle)
    assert {f"{digit}.png" for digit in range(10)} <= {p.name for p in (REPO / images).iterdir()}
    (folder,) = re.findall(r'mace\.resolve\("build/(\w+)/model"\)', gradle)
    activity = (APP / "app/src/main/kotlin/org/mace/example/MainActivity.kt").read_text()
    opened = re.search(r'val model = if \(device == Device.DSP\) "(\w+)" else "(\w+)"', activity)
    config = (APP / "models.yml").read_text()
    assert f"library_name: {folder}\n" in config
    assert set(opened.groups()) == set(re.findall(r"^  (\w+):$", config, re.MULTILINE))
    (name,) = [e.get("{http://schemas.android.com/apk/res/android}name") for e in ET.parse(
        APP / "app/src/main/AndroidManifest.xml").getroot().iter("activity")]
    assert f"class {name.removeprefix('.')} : Activity()" in activity
    for line in ('namespace = "org.mace.example"', 'noCompress += listOf("pb", "data")'):
        assert line in gradle
