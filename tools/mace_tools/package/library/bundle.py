"""What stands beside the library so that apps find and trust it: headers, CMake and pkg-config
files, licences, a bill of materials, checksums, and the archive of it all.

SPDX-License-Identifier: Apache-2.0
"""

import gzip
import hashlib
import json
import re
import shutil
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from mace_tools.package.library import link
from mace_tools.package.library.abis import Abi, Software
from mace_tools.support.protos import REPO

HEADERS = REPO / "mace" / "public"
VERSION_HEADER = HEADERS / "mace_version.h"
DOCUMENTS = {"LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md",
             "third_party/notices.txt": "NOTICES.txt"}  # fmt: skip
SUMS = "SHA256SUMS"

PKG_CONFIG = """\
prefix=${{pcfiledir}}/../../..
Name: mace
Description: MACE runs neural networks on mobile and embedded devices
Version: {version}
Cflags: -I${{prefix}}/include
Libs: {libs}
"""

CMAKE_CONFIG = """\
# SPDX-License-Identifier: Apache-2.0
# find_package(mace) defines the target mace::mace, the library for the ABI that is built for.
if(NOT DEFINED MACE_ABI)
  if(ANDROID)
    set(MACE_ABI ${{CMAKE_ANDROID_ARCH_ABI}})
    if(NOT MACE_ABI)
      set(MACE_ABI ${{ANDROID_ABI}})
    endif()
{choices}
  endif()
endif()
get_filename_component(_mace_root "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)
{names}
set(_mace_file "${{_mace_root}}/lib/${{MACE_ABI}}/${{_mace_name_${{MACE_ABI}}}}")
if(NOT EXISTS "${{_mace_file}}")
  set(mace_FOUND FALSE)
  set(mace_NOT_FOUND_MESSAGE "MACE was built for {abis}, not for MACE_ABI='${{MACE_ABI}}' \\
(CMAKE_SYSTEM_PROCESSOR is ${{CMAKE_SYSTEM_PROCESSOR}}): name it in target_abis and build again, \\
or set MACE_ABI")
  return()
endif()
if(NOT TARGET mace::mace)
  set(_mace_libraries {libraries})
  if(ANDROID AND _mace_libraries)
    list(REMOVE_ITEM _mace_libraries "" {not_on_android})
  endif()
  add_library(mace::mace {kind} IMPORTED)
  set_target_properties(mace::mace PROPERTIES
    IMPORTED_LOCATION "${{_mace_file}}"
    INTERFACE_INCLUDE_DIRECTORIES "${{_mace_root}}/include"
    INTERFACE_LINK_LIBRARIES "${{_mace_libraries}}")
endif()
set(MACE_MODEL_DIR "${{_mace_root}}/model")
"""

CMAKE_VERSION = """\
# SPDX-License-Identifier: Apache-2.0
set(PACKAGE_VERSION "{version}")
if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION OR
   NOT PACKAGE_FIND_VERSION_MAJOR MATCHES "^({major}|)$")
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""


def version() -> str:
    found = re.search(r'MACE_VERSION_STRING "([^"]+)"', VERSION_HEADER.read_text())
    assert found is not None
    return found[1]


def write_headers(root: Path, generated: dict[str, str], in_c: bool = True,
                  in_cpp: bool = True) -> None:
    """`generated` are further headers by name. in_c, in_cpp: whether there are those of the API of
    C, and of C++; what they include is there in any case."""
    folder = root / "include" / "mace" / "public"
    folder.mkdir(parents=True)
    left = [header.name for header in HEADERS.glob("*.h")
            if (in_c if re.match(r"mace_c[._]", header.name) else in_cpp)]
    while left:
        name = left.pop()
        if (folder / name).exists():
            continue
        shutil.copyfile(HEADERS / name, folder / name)
        left += re.findall(r'#include "mace/public/([^"]+)"', (HEADERS / name).read_text())
    for name, text in generated.items():
        (folder / name).write_text(text)


def write_build_files(root: Path, files: Mapping[Abi, str]) -> None:
    """Of CMake and pkg-config; `files` are the names of the libraries."""
    abis = list(files)
    is_shared = files[abis[0]].endswith(".so")
    for abi, file in files.items():
        stem = "mace" if is_shared else f":{file}"
        folder = root / "lib" / abi.name / "pkgconfig"
        folder.mkdir(parents=True)
        libraries = [] if is_shared else [*link.cxx_library(abi), *link.dependencies(abi)]
        libs = [f"-L${{prefix}}/lib/{abi.name}", f"-l{stem}", *[f"-l{n}" for n in libraries]]
        (folder / "mace.pc").write_text(
            PKG_CONFIG.format(version=version(), libs=" ".join(libs)))
    folder = root / "lib" / "cmake" / "mace"
    folder.mkdir(parents=True)
    choices = [f'  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^({"|".join(abi.processors)})$")\n'
               f"    set(MACE_ABI {abi.name})" for abi in abis if not abi.is_android]
    (folder / "mace-config.cmake").write_text(CMAKE_CONFIG.format(
        choices="\n".join(choices), abis=", ".join(abi.name for abi in abis),
        names="\n".join(f'set(_mace_name_{abi.name} "{file}")' for abi, file in files.items()),
        kind="SHARED" if is_shared else "STATIC",
        not_on_android=" ".join((link.CXX_LIBRARY, *link.NOT_ON_ANDROID)),
        libraries="" if is_shared else " ".join((link.CXX_LIBRARY, *link.DEPENDENCIES))))
    (folder / "mace-config-version.cmake").write_text(
        CMAKE_VERSION.format(version=version(), major=version().partition(".")[0]))


def write_documents(root: Path, name: str, models: Sequence[Path], having: Sequence[str],
                    cxx: Sequence[Software] = ()) -> None:
    """Licences, what changed, and which software is inside (SPDX). `having`: the components;
    `cxx`: the C++ libraries."""
    folder = root / "share" / "doc" / "mace"
    folder.mkdir(parents=True)
    for source, target in DOCUMENTS.items():
        shutil.copyfile(REPO / source, folder / target)
    built = [(str(p), root / p) for p in _files(root, models)
             if p.parts[0] in ("lib", "model", "opencl")]
    text = json.dumps(bill(name, built, having, cxx), indent=2)
    (folder / "sbom.spdx.json").write_text(text + "\n")


def bill(name: str, files: Sequence[tuple[str, Path]], having: Sequence[str],
         cxx: Sequence[Software] = ()) -> dict[str, object]:
    """SPDX 2.3, with the checksum of every file, by its name in the package."""
    digest = hashlib.sha256("".join(_sha256(path) for _, path in files).encode()).hexdigest()
    parts = [("mace", version(), "Apache-2.0"), ("xxhash", "0.8.1", "BSD-2-Clause")]
    parts += [("mbedtls", "2.28.3", "Apache-2.0")] if "encryption" in having else []
    parts += dict.fromkeys(cxx)
    packages = [{"SPDXID": f"SPDXRef-{part}", "name": part, "versionInfo": number,
                 "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                 "licenseConcluded": licence, "licenseDeclared": licence,
                 "copyrightText": "NOASSERTION"} for part, number, licence in parts]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-mace"}]
    relations += [{"spdxElementId": "SPDXRef-mace", "relationshipType": "CONTAINS",
                   "relatedSpdxElement": f"SPDXRef-{part}"} for part, _, _ in parts[1:]]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"libmace_{name}", "documentNamespace": f"urn:mace:{name}:{digest}",
        # The same input gives the same bytes, so no time of day.
        "creationInfo": {"created": "1980-01-01T00:00:00Z",
                         "creators": [f"Tool: mace-converter-{version()}"]},
        "packages": packages,
        "files": [{"SPDXID": f"SPDXRef-File-{k}", "fileName": f"./{file}",
                   "checksums": [{"algorithm": kind.upper(), "checksumValue": _hash(path, kind)}
                                 for kind in ("sha1", "sha256")],  # SPDX asks for the former
                   "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}
                  for k, (file, path) in enumerate(files)],
        "relationships": relations,
    }  # fmt: skip


def write_archive(root: Path, name: str, models: Sequence[Path]) -> Path:
    """The checksums and the package."""
    write_sums(root, _files(root, models))
    archive = root / f"{name}.tar.gz"
    write_tar(archive, root, name, [*_files(root, models), Path(SUMS)])
    return archive


def write_sums(root: Path, files: Sequence[Path]) -> None:
    """The checksums of files below `root`, for `sha256sum -c`."""
    (root / SUMS).write_text("".join(f"{_sha256(root / p)}  {p}\n" for p in files))


def write_tar(archive: Path, root: Path, name: str, files: Sequence[Path]) -> None:
    """An archive of files below `root`, in a folder `name`; the same files make the same bytes."""
    with (archive.open("wb") as raw,
          gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6) as packed,
          tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar):  # fmt: skip
        for path in files:
            entry = tar.gettarinfo(root / path, f"{name}/{path}")
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            entry.mode = 0o644
            with (root / path).open("rb") as file:
                tar.addfile(entry, file)


def _files(root: Path, models: Sequence[Path]) -> list[Path]:
    """What the package holds; tuning results are in a folder for each SoC."""
    found = [p for part in ("include", "lib", "prefab", "share") for p in (root / part).rglob("*")]
    found += [p for part in ("opencl", "cpu") for p in (root / part).glob("*/*")]
    return sorted(p.relative_to(root) for p in [*found, *models] if p.is_file())


def _sha256(path: Path) -> str:
    return _hash(path, "sha256")


def _hash(path: Path, kind: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, kind).hexdigest()
