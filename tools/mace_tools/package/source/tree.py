"""The library's sources as CMake alone builds them: a folder, and the archive of it.

SPDX-License-Identifier: Apache-2.0
"""

import re
import shutil
import tempfile
from pathlib import Path

from mace_tools.package.library import bundle, exports, link
from mace_tools.package.source import cmake_lists
from mace_tools.package.source.file_list import Sources
from mace_tools.support.protos import REPO

CMAKE = Path(__file__).with_name("cmake")
EXPORTS = "mace.version"


def write(sources: Sources, root: Path) -> None:
    """Writes the folder."""
    made = {table.out for table in sources.tables}
    for path in sorted({*sources.flags, *sources.headers} - made - set(sources.generated)):
        _copy(REPO / path, root / path)
    for path, contents in sources.generated.items():
        target = root / "generated" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(contents)
    for name, where in sources.external.items():
        _copy(where, root / "third_party" / "include" / name)
    for source, target in bundle.DOCUMENTS.items():
        _copy(REPO / source, root / target)
    for file in sorted(CMAKE.iterdir()):
        _copy(file, root / (file.name if file.name == "CMakeLists.txt" else f"cmake/{file.name}"))
    folder = root / "cmake"
    (folder / "mace_sources.cmake").write_text(cmake_lists.text(sources))
    (folder / EXPORTS).write_text(version_script(exports.listed()))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def version_script(signatures: list[str]) -> str:
    """What libmace.so exports, for the linker: C++ functions by their names without arguments,
    since these are written in another way for each C++ library."""
    plain = sorted({s for s in signatures if re.fullmatch(r"\w+", s)})
    names = {s.partition("(")[0] for s in signatures if s not in plain}
    # A name of the linker's has letters only; other characters may be any.
    patterns = sorted({re.sub(r"[^\w:]", "?", name) + ("*" if "::" in name else "")
                       for name in names})
    lines = [f"{link.SYMBOL_VERSION} {{", "  global:", *[f"    {name};" for name in plain],
             '    extern "C++" {', *[f"      {p};" for p in patterns], "    };", "  local: *;",
             "};", ""]
    return "\n".join(lines)


def write_archive(sources: Sources, archive: Path) -> int:
    """Writes the .tar.gz and returns the number of its files."""
    name = f"mace-{bundle.version()}"
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".mace.") as place:
        root = Path(place) / name
        write(sources, root)
        files = sorted(p.relative_to(root) for p in root.rglob("*") if p.is_file())
        unfinished = Path(place) / archive.name
        bundle.write_tar(unfinished, root, name, files)
        unfinished.replace(archive)
    return len(files)
