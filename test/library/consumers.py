"""Libraries as an outside project gets them: built, unpacked from the package alone, and linked.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from mace_tools import cli
from mace_tools.package.library import exports, link
from mace_tools.package.library.abis import ABIS
from mace_tools.support.protos import REPO, cache_dir
from mace_tools.testing.needed import need_pocl

APP = Path(__file__).parent / "app"
APP_IN_C = Path(__file__).parent / "app_c"
DIGITS = REPO / "models" / "digits"
VERSES = REPO / "models" / "verses"
EXPECTED = json.loads((DIGITS / "expected.json").read_text())
QEMU = {"host": [], "arm64": [str(REPO / "third_party/toolchains/qemu_aarch64.sh")],
        "armhf": [str(REPO / "third_party/toolchains/qemu_armv7.sh")]}  # fmt: skip


def gpu_environment(site: Path) -> dict[str, str]:
    """Of a Python process that imports the package in `site` and computes on the GPU by PoCL.

    PoCL finds the linker of a kernel that is not in its cache by PATH.
    """
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(site),
            "OCL_ICD_VENDORS": str(need_pocl()), "POCL_CACHE_DIR": str(cache_dir() / "pocl")}


class Place:
    """A folder with deployment files, and what is built from them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def config(self, name: str, keys: str = "", model_keys: str = "", tag: str = "digits") -> Path:
        """A deployment file of the digits model; `keys` stand at the top."""
        text = (DIGITS / "digits_onnx.yml").read_text()
        text = text.replace("library_name: digits_onnx", f"library_name: {name}\n{keys}")
        text = text.replace("  digits_onnx:\n", f"  {tag}:\n")
        text = text.replace("    runtime: cpu", f"    runtime: cpu\n{model_keys}")
        if "build_type" in keys or "graph_format" in keys:
            text = text.replace("build_type: proto\n", "", 1)
            assert text.count("build_type") + text.count("graph_format") == 1
        path = self.folder / f"{name}.yml"
        path.write_text(text.replace("models/digits/", f"{DIGITS}/"))
        return path

    def build(self, config: Path, *arguments: str) -> int:
        return cli.main(["build", f"--config={config}", f"--output={self.folder / 'build'}",
                         *arguments])

    def unpacked(self, name: str) -> Path:
        """The folder that the package of a library holds."""
        out = self.folder / "packages"
        with tarfile.open(self.folder / "build" / name / f"libmace_{name}.tar.gz") as tar:
            tar.extractall(out)
        return out / f"libmace_{name}"


def compile_app(
    package: Path, out: Path, abi: str = "host", compiler: str = "", standard: str = "c++11",
    flags: tuple[str, ...] = (), source: Path | None = None, libraries_of: str = "",
) -> Path:
    """Compiles an app as the pkg-config file says, in C where `standard` is one of C.
    libraries_of: the ABI of the library, if it is called otherwise than the app's."""
    packed = libraries_of or abi
    in_c = not standard.startswith("c++")
    tool = compiler or ABIS[abi].tool("gcc" if in_c else "g++")
    source = source or (APP_IN_C / "classify.c" if in_c else APP / "classify.cc")
    flags = (*flags, "-pedantic") if in_c else flags
    sysroot = [f"-L{folder}" for folder in ABIS[abi].library_folders]
    sysroot += [f"-Wl,-rpath-link,{folder}" for folder in ABIS[abi].library_folders]
    sysroot += [f"-Wl,-rpath,{package / 'lib' / packed}"]
    run([tool, *ABIS[abi].flags, f"-std={standard}", "-Wall", "-Wextra", "-Werror", *flags,
         str(source), "-o", str(out), *pkg_config(package, packed), *sysroot])
    return out


def pkg_config(package: Path, abi: str) -> list[str]:
    """The flags for a compiler."""
    path = {"PKG_CONFIG_LIBDIR": str(package / "lib" / abi / "pkgconfig")}
    return run(["pkg-config", "--cflags", "--libs", "mace"], env=path).split()


def start(
    program: Path, abi: str, *arguments: object, digit: int = 3, folder: Path | None = None
) -> Any:
    """Runs the app on the picture of a digit, in a folder."""
    picture = Image.open(DIGITS / "images" / f"{digit}.png").convert("L")
    assert picture.size == (8, 8)
    pixels = np.asarray(picture, np.float32) / np.float32(255)
    return subprocess.run([*QEMU[abi], str(program), *map(str, arguments)], check=False,
                          input=pixels.tobytes(), capture_output=True, cwd=folder)


def classify(program: Path, abi: str, *arguments: object, digit: int = 3) -> list[float]:
    """The probabilities of the digits that the app prints, which are the model's."""
    done = start(program, abi, *arguments, digit=digit)
    assert done.returncode == 0, done.stderr.decode()
    answer = [float.fromhex(word) for word in done.stdout.decode().split()]
    assert np.argmax(answer) == digit
    np.testing.assert_allclose(answer, EXPECTED["onnx"][digit], atol=1e-5)
    return answer


def check_needs_no_cxx(package: Path, abi: str, tmp_path: Path) -> None:
    """A package of `cxx: none`: a program in C runs with it, and neither of the two needs a C++
    library or has names of C++."""
    app = compile_app(package, tmp_path / "app", "arm64" if abi == "arm64-v8a" else abi,
                      standard="c99", libraries_of=abi)
    files = package / "model" / "digits.pb", package / "model" / "digits.data"
    classify(app, "arm64" if abi == "arm64-v8a" else abi, *files)
    library = package / "lib" / abi / link.SONAME
    for file in (library, app):
        needed = re.findall(r"NEEDED.*\[(\S+)\]", run(["readelf", "--dynamic", str(file)]))
        assert needed and not [n for n in needed if re.match(r"lib(stdc\+\+|c\+\+|gcc_s)", n)]
    table = run(["nm", "--dynamic", "--defined-only", "--extern-only", "--format=posix",
                 str(library)])
    names = {line.split()[0].partition("@")[0] for line in table.splitlines()} - {
        link.SYMBOL_VERSION}
    assert names == {name for name in exports.listed() if exports.is_c(name)}
    headers = {path.name for path in (package / "include" / "mace" / "public").iterdir()}
    assert "mace_c.h" in headers and not {"mace.h", "mace_api.h", "mace_op.h"} & headers
    bill = json.loads((package / "share/doc/mace/sbom.spdx.json").read_text())
    assert [p["name"] for p in bill["packages"]][2:] == [
        "libc++" if abi == "arm64-v8a" else "libstdc++"]


def run(words: list[str], env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=cwd,
                          env={**os.environ, **(env or {})})
    assert done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def clang(name: str = "clang++-19") -> str:
    path = shutil.which(name)
    assert path, "clang-19 is not installed; tools/setup.sh --for test installs it"
    return path
