"""The Prefab package of a library for Android: the folder prefab/ of an AAR.

SPDX-License-Identifier: Apache-2.0

The format is that of https://google.github.io/prefab, schema version 2: prefab.json describes the
bundle, module.json the library, and an abi.json in each libs/android.<abi> the file beside it.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mace_tools.package.library import bundle, link
from mace_tools.package.library.abis import API, Abi

FOLDER = "prefab"


def write(root: Path, files: Mapping[Abi, str], static: str, needs_cxx: bool = True) -> None:
    """Adds the folder, if an ABI is Android's; headers and libraries are written before. `files`:
    the names of the libraries, of which Prefab allows one: `static`, if they are static."""
    android = [abi for abi in files if abi.is_android]
    if not android:
        return
    is_static = files[android[0]].endswith(".a")
    name = static if is_static else link.SONAME
    module = root / FOLDER / "modules" / "mace"
    shutil.copytree(root / "include", module / "include")
    _write(root / FOLDER / "prefab.json", {"schema_version": 2, "name": "mace",
                                           "version": bundle.version(), "dependencies": []})
    needed = link.dependencies(android[0]) if is_static else []
    # Standard C++ types are parameters of the API of C++, so that the app and the library share one
    # C++ library; Prefab lets a shared library link no other.
    stl = "c++_shared" if needs_cxx else "none"
    _write(module / "module.json", {"export_libraries": [f"-l{name}" for name in needed],
                                    "library_name": Path(name).stem})
    for abi in android:
        assert abi.ndk is not None
        folder = module / "libs" / f"android.{abi.name}"
        folder.mkdir(parents=True)
        shutil.copyfile(root / "lib" / abi.name / files[abi], folder / name)
        _write(folder / "abi.json", {"abi": abi.name, "api": API, "ndk": abi.ndk.major, "stl": stl,
                                     "static": is_static})


def _write(path: Path, metadata: dict[str, Any]) -> None:
    path.write_text(json.dumps(metadata, indent=2) + "\n")
