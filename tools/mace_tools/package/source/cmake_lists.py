"""The list of sources that CMake reads, written from what Bazel knows.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mace_tools.package.library import link
from mace_tools.package.library.abis import ABIS
from mace_tools.package.source.file_list import CPUS, Sources, Table, Variant
from mace_tools.support.protos import REPO

# The ABIs whose compiler flags a CPU has; that of floats in registers is the toolchain's choice.
_BASELINE = {"aarch64": "arm64", "arm": "armhf"}
_ABI_FLAGS = re.compile(r"-mfloat-abi=.*")
_INCLUDE = re.compile(r'^\s*#\s*include\s+"(mace/[^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class OpFiles:
    """The files of ops, which a library with some of the ops has only in part."""

    files: frozenset[str]
    always: frozenset[str]  # that other files need
    of_op: Mapping[str, frozenset[str]]  # its own, and those that they need
    every_op: tuple[str, ...]


def text(sources: Sources) -> str:
    every = [flags for by in sources.flags.values() for flags in by.values()]
    common = _common(every)
    lines = ["# What the library is compiled from. Written by tools/converter.py source.",
             "# SPDX-License-Identifier: Apache-2.0", "",
             f"set(MACE_COMMON_FLAGS {' '.join(common)})"]
    of_cpu = {cpu: _common([flags for by in sources.flags.values() for variant, flags in by.items()
                            if variant.cpu == cpu]) for cpu in CPUS}
    for cpu, flags in of_cpu.items():
        words = [*baseline(cpu), *[f for f in flags if f not in common]]
        lines.append(f"set(MACE_FLAGS_{cpu} {' '.join(words)})")
    lines += [f"set(MACE_LINK_FLAGS {' '.join(link.SHARED_FLAGS)})",
              f"set(MACE_LIBRARIES {' '.join(link.DEPENDENCIES)})", ""]
    lines += _groups(sources, of_cpu)
    lines += [line for table in sources.tables for line in _table(table)]
    for name, component in sources.components.items():
        lines += [f"set(MACE_FILES_OF_{name} {' '.join(component.files)})",
                  f"set(MACE_FILES_WITHOUT_{name} {' '.join(component.absent)})"]
    ops = op_files(sources)
    lines += [f"set(MACE_ALL_OPS {' '.join(ops.every_op)})",
              f"set(MACE_OP_FILES {' '.join(sorted(ops.files))})",
              f"set(MACE_OP_FILES_ALWAYS {' '.join(sorted(ops.always))})"]
    lines += [f"set(MACE_OP_FILES_{op} {' '.join(sorted(files))})"
              for op, files in ops.of_op.items()]
    return "\n".join(lines) + "\n"


def baseline(cpu: str) -> list[str]:
    """The flags that all files have because of the CPU."""
    abi = ABIS.get(_BASELINE.get(cpu, ""))
    return [] if abi is None else [f for f in abi.flags if not _ABI_FLAGS.fullmatch(f)]


def _common(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The flags that all have, in the order of the first."""
    first, *others = dict.fromkeys(lists)
    return tuple(f for f in first if all(f in other for other in others))


def _groups(sources: Sources, of_cpu: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Files with the same flags in the same libraries, together."""
    groups = defaultdict(list)
    tables = {table.out for table in sources.tables}
    for path, by in sorted(sources.flags.items()):
        variants = defaultdict(list)
        for variant, flags in by.items():
            variants[tuple(f for f in flags if f not in of_cpu[variant.cpu])].append(variant)
        place = f"generated/{path}" if path in sources.generated or path in tables else path
        for flags, having in variants.items():
            groups[(tuple(map(_name, having)), flags)].append(place)
    lines = []
    for (names, flags), paths in sorted(groups.items()):
        lines += [f"mace_sources(FOR {' '.join(names)}", f"  FLAGS {' '.join(flags)}", "  FILES",
                  *[f"  {path}" for path in paths], ")", ""]
    return lines


def _name(variant: Variant) -> str:
    return variant.cpu + ("+opencl" if variant.gpu else "")


def _table(table: Table) -> list[str]:
    words = "".join(f'\n  {key.upper()} "{value}"' for key, value in table.entries)
    ops = sorted(op_of(path) for path in table.files)
    return [f"mace_op_table({'EVERY_OP' if table.has_every_op else ''}\n"
            f"  OUT generated/{table.out}{words}\n  OPS {' '.join(ops)})", ""]


def op_of(path: str) -> str:
    """As //mace:op_table.bzl has it: depth_to_space.cc defines DepthToSpace."""
    return "".join(word.capitalize() for word in Path(path).stem.split("_"))


def op_files(sources: Sources, read: Callable[[str], str] | None = None) -> OpFiles:
    """By the names of the ops. A file needs those whose headers it includes, also by others;
    `read` gives the text of a file of the repository, if it is there."""
    read = read or _text
    known = set(sources.flags) | set(sources.headers)
    of_op: dict[str, set[str]] = defaultdict(set)
    for table in sources.tables:
        for path in table.files:
            of_op[op_of(path)].add(path)
    files = {path for paths in of_op.values() for path in paths}
    others = [p for p in known if p.endswith(".cc") and p not in files]
    return OpFiles(
        frozenset(files), frozenset(closure(others, files, read, known)),
        {op: frozenset(closure(of_op[op], files, read, known)) for op in sorted(of_op)},
        tuple(sorted({op_of(p) for t in sources.tables if t.has_every_op for p in t.files})))


@functools.cache
def _text(path: str) -> str:
    file = REPO / path
    return file.read_text() if file.is_file() else ""


def closure(
    begin: Iterable[str], files: set[str], read: Callable[[str], str], known: set[str]
) -> set[str]:
    """Those of `files` that are in `begin`, or whose headers are reached from there."""
    seen, todo = set(begin), list(begin)
    while todo:
        path = todo.pop()
        if path not in known:
            continue
        for header in _INCLUDE.findall(read(path)):
            source = header.removesuffix(".h") + ".cc"
            for one in (header, source if source in files else header):
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
    return seen & files
