"""Makes all files of a release in a folder.

SPDX-License-Identifier: Apache-2.0
"""

import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from mace_tools.config.component_names import NAMES
from mace_tools.package import java, wheel
from mace_tools.package.library import abis, bundle, engine, link, old_glibc
from mace_tools.package.library.abis import Abi
from mace_tools.package.release import deb, maven
from mace_tools.package.source import file_list, tree
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import MissingToolError
from mace_tools.support.protos import REPO

LINUX = ("host", "arm64", "armhf")
WHEELS = ("host", "arm64")
GLIBC = (2, 28)
SBOM = "sbom.spdx.json"


def release(console: Console, out: Path, linux: Sequence[str]) -> list[str]:
    """Writes the folder `out` as a whole, or leaves what was there. Returns what was left out, and
    why. Errors: MaceError."""
    out.parent.mkdir(parents=True, exist_ok=True)
    found, left_out = abis.find(tuple(linux)), []
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as temporary:
        new = Path(temporary) / "new"
        new.mkdir()
        for abi in found:
            made = engine.build(console, abi, None, True, components=NAMES, dsp=True)
            _library(abi, made, new)
            if abi.name in WHEELS:
                wheel.build(abi, made, new, wheel.RELEASED)
        left_out += _java(console, new)
        _example(new)
        tree.write_archive(file_list.read(console), new / f"mace-{bundle.version()}-source.tar.gz")
        write_lists(new)
        if out.exists():
            out.rename(Path(temporary) / "old")
        new.rename(out)
    return left_out


def machine(abi: Abi) -> str:
    """What the files of an ABI are called after."""
    return platform.machine() if abi.name == "host" else abi.name


def _library(abi: Abi, made: engine.Engine, out: Path) -> None:
    """The archive of the library with that of Java, and the Debian package."""
    name = f"mace-{bundle.version()}-linux-{machine(abi)}"
    with tempfile.TemporaryDirectory(prefix="mace.release.") as temporary:
        work, root = Path(temporary), Path(temporary) / "root"
        library = root / "lib" / abi.name / link.SONAME
        library.parent.mkdir(parents=True)
        old_glibc.shared(abi, link.merge(abi, made.archives, work), GLIBC, library,
                         work / "debug" / link.SONAME)
        java.jni(abi, library, library.parent / java.JNI, work / "debug" / java.JNI,
                 old_glibc.system(abi, GLIBC, work))
        bundle.write_headers(root, {})
        bundle.write_build_files(root, {abi: link.SONAME})
        bundle.write_documents(root, name, [], NAMES)
        shutil.move(bundle.write_archive(root, name, []), out / f"{name}.tar.gz")
        if machine(abi) in deb.ARCHITECTURES:
            architecture, triple = deb.ARCHITECTURES[machine(abi)]
            deb.write(out / f"libmace_{bundle.version()}_{architecture}.deb", "libmace",
                      bundle.version(), architecture,
                      f"libc6 (>= {'.'.join(map(str, GLIBC))}), libgcc-s1",
                      debian_files(root, library, triple))


def debian_files(root: Path, library: Path, triple: str) -> dict[str, bytes]:
    """The files of a library's folder where Debian has them."""
    found = {f"usr/lib/{triple}/{path.name}": path.read_bytes()
             for path in sorted(library.parent.glob("*.so"))}
    found |= {f"usr/{path.relative_to(root).as_posix()}": path.read_bytes()
              for path in sorted((root / "include").rglob("*.h"))}
    for path in sorted((root / "share" / "doc" / "mace").iterdir()):
        name = "copyright" if path.name == "LICENSE" else path.name
        found[f"usr/share/doc/libmace/{name}"] = path.read_bytes()
    config = (library.parent / "pkgconfig" / "mace.pc").read_text()
    config = config.replace("${pcfiledir}/../../..", "/usr").replace(
        f"-L${{prefix}}/lib/{library.parent.name} ", "")
    found[f"usr/lib/{triple}/pkgconfig/mace.pc"] = config.encode()
    for path in sorted((root / "lib" / "cmake" / "mace").iterdir()):
        text = path.read_text().replace("${CMAKE_CURRENT_LIST_DIR}/../../..", "/usr").replace(
            "/lib/${MACE_ABI}/", f"/lib/{triple}/")
        found[f"usr/lib/{triple}/cmake/mace/{path.name}"] = text.encode()
    return found


def _example(out: Path) -> None:
    """A converted model and an image, with which a program can be tried."""
    name, models = f"mace-{bundle.version()}-example", REPO / "models" / "digits"
    with tempfile.TemporaryDirectory(prefix="mace.release.") as temporary:
        work = Path(temporary)
        # Its paths are those of the checkout's root.
        link.run(["env", f"--chdir={REPO}", sys.executable, REPO / "tools" / "converter.py",
                  "convert", f"--config={models / 'digits_onnx.yml'}", f"--output={work}"])
        for end in ("pb", "data"):
            shutil.copyfile(work / "digits_onnx" / "model" / f"digits_onnx.{end}",
                            work / f"digits.{end}")
        with Image.open(models / "images" / "3.png") as image:
            image.convert("L").save(work / "3.pgm")
        bundle.write_tar(out / f"{name}.tar.gz", work, name,
                         [Path(file) for file in ("3.pgm", "digits.data", "digits.pb")])


def _java(console: Console, out: Path) -> list[str]:
    """The Maven repository, with the AAR if there is an NDK. Returns what was left out."""
    with tempfile.TemporaryDirectory(prefix="mace.release.") as temporary:
        work = Path(temporary)
        packages, left_out = [work / f"mace-{bundle.version()}.jar"], []
        java.jar(packages[0], java.classes(android=False))
        try:
            found = abis.find(abis.ANDROID)
            need_android_compiler(found)
        except MissingToolError as e:
            left_out.append(f"the AAR: {e}")
        else:
            for abi in found:
                java.cxx_library(abi)
                made = engine.build(console, abi, None, True, components=NAMES, dsp=True)
                java.libraries(abi, made, work / "lib" / abi.name, work / "symbols" / abi.name)
            packages.append(packages[0].with_suffix(".aar"))
            java.write_aar(packages[-1], found, work / "lib")
            maven.native_debug_symbols(out / "native-debug-symbols.zip", work / "symbols",
                                       [abi.name for abi in found])
        maven.publish(out / "maven", packages)
    return left_out


def need_android_compiler(found: Sequence[Abi]) -> None:
    """Errors: MissingToolError for an NDK whose compiler is not Android's, such as that of tests:
    what it makes does not run on phones."""
    for abi in found:
        text = abi.compiler().splitlines()[0]
        if not text.startswith("Android ("):
            raise MissingToolError(f"the compiler of the NDK says that it is '{text}', not one of "
                                   "Android's (\"Android (11349228, ...) clang version ...\")")


def write_lists(out: Path) -> None:
    """The bill of materials and the checksums of all files."""
    names = sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    bill = bundle.bill(f"mace-{bundle.version()}", [(name, out / name) for name in names], NAMES)
    (out / SBOM).write_text(json.dumps(bill, indent=2) + "\n")
    bundle.write_sums(out, [Path(name) for name in sorted([*names, SBOM])])
