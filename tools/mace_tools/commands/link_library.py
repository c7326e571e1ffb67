"""The library of one ABI: linked from the engine and the models that are compiled in.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mace_tools.commands.context import Context
from mace_tools.commands.convert import Converted
from mace_tools.package import java
from mace_tools.package.library import compiled_models, engine, link, sizes
from mace_tools.package.library.abis import Abi
from mace_tools.support.exit_codes import MissingToolError


@dataclass(frozen=True)
class Built:
    """What stands for one ABI."""

    abi: Abi
    file: Path  # below the library's folder
    parts: dict[str, int]
    others: tuple[Path, ...] = ()  # the same by other names, and what it needs beside it


def code_models(context: Context, models: dict[str, Converted]) -> list[compiled_models.CodeModel]:
    """Those that are compiled in."""
    library = context.deployment.library
    if library.graph_format != "code":
        return []
    return [compiled_models.CodeModel(
                tag, m.pb, m.data if library.embeds_weights else None, m.net.data_bytes)
            for tag, m in models.items()]


def link_library(
    context: Context, abi: Abi, made: engine.Engine, models: list[compiled_models.CodeModel],
    tuned: list[str],
) -> Built:
    library, root = context.deployment.library, context.folder
    place, work = root / "lib" / abi.name, root / "_tmp" / "library" / abi.name
    place.mkdir(parents=True)
    work.mkdir(parents=True)
    if library.linkshared:
        names = [link.SONAME]
        needs_cxx = library.cxx != "none"
        merged = [link.merge(abi, made.archives, work, needs_cxx)]
        link.shared(abi, merged[0], place / names[0],
                    root / "debug" / abi.name / f"{link.SONAME}.debug")
        if abi.is_android and needs_cxx and _add_cxx_library(context, abi, place):
            names.append(java.CXX)
    else:
        # Named after what the models are tuned for: DEVICE.SOC, or host.
        endings = [f".{name}.a" for name in dict.fromkeys(tuned)] or [".a"]
        names = [f"libmace_{library.library_name}{ending}" for ending in endings]
        objects = compiled_models.compile(abi, models, root / "include", work) if models else []
        merged = [*link.merge_apart(abi, made.archives, work)]
        link.static(abi, merged, objects, place / names[0])
        for other in names[1:]:
            link_or_copy(str(place / names[0]), str(place / other))
    parts = sum((sizes.by_part(part.map) for part in merged), Counter[str]())
    file, *others = ((place / name).relative_to(root) for name in names)
    return Built(abi, file, dict(parts), tuple(others))


def _add_cxx_library(context: Context, abi: Abi, place: Path) -> bool:
    """Puts the C++ library of the NDK beside libmace.so, which needs it. One that no app should
    ship is left out, with a warning."""
    try:
        shutil.copyfile(java.cxx_library(abi), place / java.CXX)
    except MissingToolError as e:
        context.console.warn(f"{java.CXX} is not beside {link.SONAME}: {e}")
        return False
    return True


def link_or_copy(source: str, target: str) -> None:
    """Whatever writes a file here replaces it, so that a link serves as a copy."""
    try:
        os.link(source, target)
    except FileNotFoundError:  # another process converts there, and has replaced it
        pass
    except OSError:  # of a file system without links
        shutil.copy2(source, target)
