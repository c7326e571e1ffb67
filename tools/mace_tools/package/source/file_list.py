"""What the library is compiled from, as Bazel knows it: files, flags, tables of ops, headers.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from mace_tools.config.component_names import NAMES
from mace_tools.run import runner
from mace_tools.support import bazel
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import RunFailedError

ENGINE = "//mace/capi"  # and below it: all that //mace:library links
LIBRARY = "//mace:library"
# The CPUs, as CMake's list calls them, and Bazel's flags for each.
CPUS = {"x86_64": (), "aarch64": ("--config=aarch64",), "arm": ("--config=armv7",)}
# Repositories of which the library includes files, and where these are in an include path.
EXTERNAL = {"@xxhash//:include/": "", "@opencl//:": "CL/", "@mbedtls//:mbedtls/include/": "",
            "@mbedtls//:": ""}
# Tags of groups of files (mace/unity.bzl), before the names of components.
COMPONENT, WITHOUT = "component=", "without="
_BUILT = re.compile(r"bazel-out/[^/]+/bin/")


@dataclass(frozen=True)
class Variant:
    """One of the libraries that the sources make."""

    cpu: str
    gpu: bool


VARIANTS = tuple(Variant(cpu, gpu) for cpu in CPUS for gpu in (False, True))


@dataclass(frozen=True)
class Table:
    """A list of functions, one for each op, which the build writes from file names."""

    out: str  # the file
    entries: tuple[tuple[str, str], ...]  # namespace, returns, entry, table, header
    has_every_op: bool
    files: tuple[str, ...]  # that define the functions


@dataclass(frozen=True)
class Component:
    """A component, or kernels, that a library may do without."""

    files: tuple[str, ...]
    absent: tuple[str, ...]  # null objects, which stand for them in a library without it


@dataclass(frozen=True)
class Sources:
    # Of each compiled file the flags, by the libraries that have it; of generated files the paths
    # are without bazel-out/.../bin/.
    flags: Mapping[str, Mapping[Variant, tuple[str, ...]]]
    tables: tuple[Table, ...]
    components: Mapping[str, Component]  # by name
    headers: tuple[str, ...]  # of this repository
    external: Mapping[str, Path]  # by the names that are included
    generated: Mapping[str, bytes]  # the contents of compiled files that are no tables


def read(console: Console) -> Sources:
    """Asks Bazel, and lets it write the generated files. Errors: RunFailedError."""
    flags: dict[str, dict[Variant, tuple[str, ...]]] = {}
    generated: dict[str, str] = {}
    # The C API has null objects of its own. Last the library with everything, of which are the
    # files that others have, too.
    withouts = (NAMES, [name for name in NAMES if name != "interfaces"], ())
    for variant, without in itertools.product(VARIANTS, withouts):
        for path, words in compiles(_actions(console, variant, without)).items():
            plain = _BUILT.sub("", path, count=1)
            flags.setdefault(plain, {})[variant] = words
            if plain != path:
                generated[plain] = path
    rule = f'kind("op_table rule", deps({ENGINE}))'
    tables = read_tables(_query(console, f"{rule} + labels(srcs, {rule})"))
    texts = sorted(set(generated) - {table.out for table in tables})
    files = _query(console, f'kind("source file", deps({ENGINE}))')
    groups = _query(console, f'attr(tags, "{COMPONENT}|{WITHOUT}", //mace/...)')
    return Sources(flags, tables, read_components(groups), repository_headers(files),
                   external_headers(files), _built(console, texts))


def _actions(console: Console, variant: Variant, without: Iterable[str]) -> dict[str, object]:
    flags = ["--config=library", *CPUS[variant.cpu], *(f"--define={n}=false" for n in without)]
    flags += [] if variant.gpu else ["--define=opencl=false"]
    return json.loads(bazel.run(
        ["aquery", *flags, "--output=jsonproto",
         f'mnemonic("CppCompile", deps({LIBRARY}))'], console))


def compiles(answer: dict[str, object]) -> dict[str, tuple[str, ...]]:
    """Of the answer of `bazel aquery`: the compiled files, and the flags of each that are the
    project's own, in their order."""
    actions = answer.get("actions")
    if not isinstance(actions, list) or not actions:
        raise RunFailedError(f"`bazel aquery` knows of no file that {LIBRARY} compiles")
    found = {}
    for action in actions:
        words = list(action["arguments"])
        found[words[words.index("-c") + 1]] = own_flags(words)
    return found


def own_flags(words: list[str]) -> tuple[str, ...]:
    """Definitions, and what follows the include folders: before those stand the toolchain's flags,
    which CMake's compiler has in its own way. Warnings are for those who change the code, and
    CMake has options for the standard and for debug information."""
    defines = [w for w in words if w.startswith("-D") and not w.startswith("-D_")]
    last = max(k for k, w in enumerate(words) if w in ("-iquote", "-isystem"))
    end = words.index("-c")
    tail = [w for w in words[last + 2:end] if not re.match(r"-(I|D|W|std=|g\d?$)", w)]
    tail = [w for w in tail if w != "-fno-canonical-system-headers"]
    kept = {}
    for flag in defines + tail:
        key = _kind(flag)
        kept.pop(key, None)  # the last of several counts, and stands where it stands
        kept[key] = flag
    return tuple(kept.values())


def _kind(flag: str) -> str:
    """What flags have in common of which only the last counts."""
    found = re.match(r"-O|-ffp-contract=|-march=|-mfpu=", flag)
    return found[0] if found else flag


def _query(console: Console, asked: str) -> ElementTree.Element:
    text = bazel.run(["query", "--output=xml", asked], console)
    # Python reads XML 1.0, of which this is.
    return ElementTree.fromstring(re.sub(r'version="1\.1"', 'version="1.0"', text, count=1))


def read_tables(answer: ElementTree.Element) -> tuple[Table, ...]:
    """The op_table rules of a query, with the files of their groups."""
    groups = {rule.attrib["name"]: _labels(rule, "srcs") for rule in answer.iter("rule")}
    tables = []
    for rule in answer.iter("rule"):
        if rule.attrib["class"] != "op_table":
            continue
        words = {e.attrib["name"]: e.attrib["value"] for e in rule
                 if e.tag in ("string", "output", "boolean") and "value" in e.attrib}
        entries = tuple((key, words[key])
                        for key in ("namespace", "returns", "entry", "table", "header"))
        files = [path for label in _labels(rule, "srcs")
                 for path in groups.get(label) or [label]]
        tables.append(Table(_path(words["out"]), entries, words.get("has_every_op") == "true",
                            tuple(sorted(map(_path, files)))))
    return tuple(sorted(tables, key=lambda t: t.out))


def read_components(answer: ElementTree.Element) -> dict[str, Component]:
    """The groups of files that mace/unity.bzl makes of components."""
    found: dict[str, dict[str, list[str]]] = {}
    for rule in answer.iter("rule"):
        for tag in (e.attrib["value"] for lists in rule.iter("list")
                    if lists.attrib["name"] == "tags" for e in lists.iter("string")):
            for kind in (COMPONENT, WITHOUT):
                if tag.startswith(kind):
                    groups = found.setdefault(tag.removeprefix(kind), {COMPONENT: [], WITHOUT: []})
                    groups[kind] += map(_path, _labels(rule, "srcs"))
    return {name: Component(tuple(sorted(groups[COMPONENT])), tuple(sorted(groups[WITHOUT])))
            for name, groups in sorted(found.items())}


def _labels(rule: ElementTree.Element, name: str) -> list[str]:
    return [label.attrib["value"] for lists in rule.iter("list")
            if lists.attrib["name"] == name for label in lists.iter("label")]


def _path(label: str) -> str:
    """//mace/ops:softmax.cc is mace/ops/softmax.cc."""
    return label.removeprefix("//").replace(":", "/")


def repository_headers(answer: ElementTree.Element) -> tuple[str, ...]:
    paths = (_path(name) for name, _ in _files(answer) if name.startswith("//mace"))
    return tuple(sorted(p for p in paths if p.endswith((".h", ".inc"))))


def external_headers(answer: ElementTree.Element) -> dict[str, Path]:
    """What is included, some of it code. Errors: RunFailedError for a file of a repository that
    EXTERNAL does not have."""
    found = {}
    for name, folder in _files(answer):
        if name.startswith(("//", "@bazel_tools")) or not name.endswith((".c", ".h")):
            continue
        prefix = next((p for p in EXTERNAL if name.startswith(p)), None)
        if prefix is None:
            raise RunFailedError(f"the library includes {name}: add its repository to EXTERNAL in "
                                 f"{__file__}, and its licence to third_party/notices.txt")
        inside = name.partition("//:")[2]
        found[EXTERNAL[prefix] + name.removeprefix(prefix)] = folder / inside
    return found


def _files(answer: ElementTree.Element) -> Iterable[tuple[str, Path]]:
    """Labels, and the folders of their BUILD files."""
    for file in answer.iter("source-file"):
        yield file.attrib["name"], Path(file.attrib["location"].rpartition("/")[0])


def _built(console: Console, paths: list[str]) -> dict[str, bytes]:
    """The generated files, built for this machine: their text is the same for all."""
    if not paths:
        return {}
    labels = [_label(path) for path in paths]

    def contents(output: Path) -> dict[str, bytes]:
        missing = [path for path in paths if not (output / path).is_file()]
        if missing:
            raise RunFailedError(f"`bazel build {shlex.join(labels)}` did not make "
                                 f"{output / missing[0]}")
        return {path: (output / path).read_bytes() for path in paths}

    return bazel.output(console, ["--config=library"], labels, contents)


def _label(path: str) -> str:
    """The label of a file, whose package is the nearest folder with a BUILD file."""
    for folder in Path(path).parents:
        if (runner.REPO / folder / "BUILD.bazel").is_file():
            return f"//{folder}:{Path(path).relative_to(folder)}"
    raise RunFailedError(f"no package has {path}")
