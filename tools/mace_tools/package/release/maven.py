"""A Maven repository in a folder: the jar or AAR, its POM, its sources and its documentation, each
with the checksums that Maven and Gradle look for.

SPDX-License-Identifier: Apache-2.0

The layout is that of https://maven.apache.org/repository/layout.html.
"""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from mace_tools.package import java
from mace_tools.package.library import bundle, link
from mace_tools.support.atomic import atomic_files
from mace_tools.support.exit_codes import MissingToolError

GROUP = "org.mace"
# By packaging: the artifact of it, and what it is.
ARTIFACTS = {"jar": ("mace", "MACE's Java API; it needs libmace_jni.so and libmace.so"),
             "aar": ("mace-android", "MACE for Android, with its libraries")}
_POM = """\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 \
https://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
  <packaging>{packaging}</packaging>
  <name>{artifact}</name>
  <description>{description}</description>
  <licenses>
    <license>
      <name>Apache-2.0</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>
    </license>
  </licenses>
</project>
"""


def publish(root: Path, packages: Sequence[Path]) -> list[Path]:
    """Writes the artifacts of these .jar and .aar files below `root`, and returns their files.
    Other artifacts and versions that are there stay. Errors: MissingToolError, RunFailedError."""
    version, written = bundle.version(), []
    for package in packages:
        packaging = package.suffix[1:]
        artifact, description = ARTIFACTS[packaging]
        folder = root.joinpath(*GROUP.split("."), artifact, version)
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{artifact}-{version}"
        with tempfile.TemporaryDirectory(prefix="mace.maven.") as temporary:
            android = packaging == "aar"
            files = {f"{stem}.{packaging}": package.read_bytes(),
                     f"{stem}.pom": _POM.format(group=GROUP, artifact=artifact, version=version,
                                                packaging=packaging,
                                                description=description).encode(),
                     f"{stem}-sources.jar": _jar(Path(temporary) / "s.jar", _sources(android)),
                     f"{stem}-javadoc.jar": _jar(Path(temporary) / "d.jar",
                                                 _javadoc(android, Path(temporary)))}
        for name, data in files.items():
            written.append(folder / name)
            _write(folder / name, data)
            for kind in ("md5", "sha1", "sha256"):
                digest = hashlib.new(kind, data, usedforsecurity=False).hexdigest()
                _write(folder / f"{name}.{kind}", digest.encode())
    return written


def native_debug_symbols(out: Path, symbols: Path, abis: Sequence[str]) -> None:
    """The archive that Google Play takes to make crash logs readable: a folder for each ABI with
    the libraries' symbols under the libraries' names."""
    java.jar(out, {f"{abi}/{path.name}": path.read_bytes()
                   for abi in abis for path in sorted((symbols / abi).glob("*.so"))})


def _parts(android: bool) -> tuple[str, ...]:
    return ("src", "android") if android else ("src",)


def _sources(android: bool) -> dict[str, bytes]:
    return {path.relative_to(java.SOURCES / part).as_posix(): path.read_bytes()
            for part in _parts(android) for path in java.sources(part)}


def _javadoc(android: bool, work: Path) -> dict[str, bytes]:
    """The pages; they hold no time. Errors: MissingToolError, RunFailedError."""
    tool = java.jdk() / "bin" / "javadoc"
    if not tool.is_file():
        raise MissingToolError(f"the documentation of the Java classes needs {tool}, which is not "
                               "there: install a whole JDK (default-jdk-headless)")
    out, classpath = work / "javadoc", []
    if android:
        java.compile_classes(java.sources("android_stubs"), work / "stubs")
        classpath = ["-classpath", work / "stubs"]
    link.run([tool, "-quiet", "-notimestamp", "-Xdoclint:all,-missing", "-encoding", "UTF-8",
              "-docencoding", "UTF-8", "-locale", "en_US", "-d", out, *classpath,
              *[path for part in _parts(android) for path in java.sources(part)]])
    return {path.relative_to(out).as_posix(): path.read_bytes()
            for path in sorted(out.rglob("*")) if path.is_file()}


def _jar(path: Path, files: Mapping[str, bytes]) -> bytes:
    java.jar(path, dict(sorted(files.items())))
    return path.read_bytes()


def _write(path: Path, data: bytes) -> None:
    with atomic_files(path) as (file,):
        file.write(data)
