"""The binary interface of the library: what it exports, and how the types of its headers lie in
memory. Changes that break apps which are linked already are told from additions, and a list that
lacks additions is refused, since later changes to these would go unnoticed.

SPDX-License-Identifier: Apache-2.0

`python -m mace_tools.package.library.abi` writes mace/public/abi.txt, the interface as it is
committed. It has a declaration on each line; those of types come from the debug information of a
file that includes the headers, on x86-64:

    function mace::MaceVersion()
    returns mace::MaceModel::Load(...): MaceStatus
    type mace::MaceTensor has 48 bytes
    field mace::MaceTensor at 24: data_, shared_ptr<void>
    virtual mace::MaceStream at 2: size
    enumerator mace::DataFormat NHWC = 1
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mace_tools.package.library import bundle, exports, link
from mace_tools.package.library.abis import ABIS
from mace_tools.support.protos import REPO

BASELINE = REPO / "mace" / "public" / "abi.txt"
COMMAND = "(cd tools && ~/.cache/mace/venv/bin/python -m mace_tools.package.library.abi)"
_NODE = re.compile(r"^ <\w+><(\w+)>: Abbrev Number: \d+ \((\w+)\)$")
_DEPTH = re.compile(r"^ <(\w+)>")
# A name, and a value after its form and, of a string, its place.
_ATTRIBUTE = re.compile(r"^    <\w+> +DW_AT_(\w+) *: "
                        r"(?:\(\w+\) )?(?:\(offset: \w+\): )?(.*)$")
_RECORDS = ("DW_TAG_class_type", "DW_TAG_structure_type", "DW_TAG_union_type")
_SUFFIXES = {"DW_TAG_pointer_type": "*", "DW_TAG_reference_type": "&",
             "DW_TAG_rvalue_reference_type": "&&", "DW_TAG_const_type": " const",
             "DW_TAG_volatile_type": " volatile"}  # fmt: skip


@dataclass
class Node:
    """An entry of the debug information."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.attributes.get("name", "").strip()

    def number(self, name: str) -> int:
        text = self.attributes[name].split()[0]
        return int(text, 0)


def current() -> list[str]:
    """The declarations of this checkout. Errors: CalledProcessError if its headers do not
    compile."""
    headers = [p for p in sorted(bundle.HEADERS.glob("*.h"))]
    functions = [f"function {signature}" for signature in exports.listed()]
    version = f"version {bundle.version()} {link.SYMBOL_VERSION}"
    return [version, *sorted({*functions, *declarations_of(headers, REPO)})]


def declarations_of(headers: Iterable[Path], include: Path) -> Iterator[str]:
    """Of the types in namespace mace, and of C types whose names begin with mace."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "abi.cc", Path(folder) / "abi.o"
        source.write_text("".join(f'#include "{h.relative_to(include)}"\n' for h in headers))
        subprocess.run(["g++", "-std=c++17", "-g", "-fno-eliminate-unused-debug-types",
                        "-femit-class-debug-always", f"-I{include}", "-c", source, "-o", result],
                       check=True)
        text = subprocess.run(["readelf", "--wide", "--debug-dump=info", result], check=True,
                              capture_output=True, text=True, errors="replace").stdout
    roots, nodes = _parse(text)
    for unit in roots:
        for node in unit.children:
            if node.tag == "DW_TAG_namespace" and node.name == "mace":
                for inner in node.children:
                    yield from _declarations(inner, "mace::", nodes)
            elif re.match(r"mace|Mace|MACE", node.name):
                yield from _declarations(node, "", nodes)
    yield from _returns(nodes)


def _returns(nodes: dict[str, Node]) -> Iterator[str]:
    """What the exported member functions return, which their names do not say. The compiler
    describes other functions only where they are called."""
    functions = {n.attributes.get("linkage_name", n.name): n for n in nodes.values()
                 if n.tag == "DW_TAG_subprogram" and "type" in n.attributes}
    plain = exports.demangled(ABIS["host"], list(functions))
    listed = set(exports.listed())
    for mangled, name in plain.items():
        if name in listed:
            yield f"returns {name}: {_type(functions[mangled], nodes)}"


def _parse(text: str) -> tuple[list[Node], dict[str, Node]]:
    """The entries at the top, and all by their offsets."""
    roots: list[Node] = []
    by_offset: dict[str, Node] = {}
    parents: list[Node] = []
    node = None
    for line in text.splitlines():
        found = _NODE.match(line)
        if found:
            depth = int(_DEPTH.match(line)[1], 16)  # type: ignore[index]
            node = by_offset[found[1]] = Node(found[2])
            del parents[depth:]
            (parents[-1].children if parents else roots).append(node)
            parents.append(node)
        elif node is not None and (attribute := _ATTRIBUTE.match(line)):
            node.attributes[attribute[1]] = attribute[2]
    return roots, by_offset


def _declarations(node: Node, scope: str, nodes: dict[str, Node]) -> Iterator[str]:
    name = scope + node.name
    if not node.name or "declaration" in node.attributes:
        return
    if node.tag == "DW_TAG_enumeration_type":
        yield f"type {name} has {node.number('byte_size')} bytes"
        for one in node.children:
            yield f"enumerator {name} {one.name} = {one.number('const_value')}"
    elif node.tag in _RECORDS:
        yield f"type {name} has {node.number('byte_size')} bytes"
        for child in node.children:
            yield from _part(child, name, nodes)
            yield from _declarations(child, f"{name}::", nodes)
    elif node.tag == "DW_TAG_typedef":
        yield f"type {name} is {_type(node, nodes)}"


def _part(child: Node, name: str, nodes: dict[str, Node]) -> Iterator[str]:
    """Of a member that instances have."""
    if child.tag == "DW_TAG_member" and "data_member_location" in child.attributes:
        place = child.number("data_member_location")
        yield f"field {name} at {place}: {child.name}, {_type(child, nodes)}"
    elif child.tag == "DW_TAG_inheritance":
        place = child.number("data_member_location")
        yield f"base {name} at {place}: {_type(child, nodes)}"
    elif child.tag == "DW_TAG_subprogram" and "vtable_elem_location" in child.attributes:
        slot = re.search(r"DW_OP_constu: (\d+)", child.attributes["vtable_elem_location"])
        yield f"virtual {name} at {slot[1] if slot else '?'}: {child.name}"


def _type(node: Node, nodes: dict[str, Node]) -> str:
    """The name of its type."""
    found = re.match(r"<0x(\w+)>", node.attributes.get("type", ""))
    if found is None:
        return "void"
    of = nodes[found[1]]
    if of.tag in _SUFFIXES:
        return _type(of, nodes) + _SUFFIXES[of.tag]
    if of.tag == "DW_TAG_subroutine_type":
        given = [_type(c, nodes) for c in of.children if c.tag == "DW_TAG_formal_parameter"]
        return f"{_type(of, nodes)}({', '.join(given)})"
    if of.tag == "DW_TAG_array_type":
        counts = [c.number("upper_bound") + 1 if "upper_bound" in c.attributes else ""
                  for c in of.children]
        return _type(of, nodes) + "".join(f"[{count}]" for count in counts)
    return of.name or of.tag


def broken(before: list[str], now: list[str]) -> list[str]:
    """What apps that were linked with `before` miss in `now`: declarations that went or changed,
    and new parts of types that there were, which have another size or other virtual functions
    now."""
    types = {line.split()[1] for line in before if line.startswith("type ")}
    gone = sorted(set(before[1:]) - set(now))
    grown = [line for line in sorted(set(now[1:]) - set(before))
             if line.split()[0] in ("field", "base", "virtual") and line.split()[1] in types]
    return [f"- {line}" for line in gone] + [f"+ {line}" for line in grown]


def problems(before: list[str], now: list[str]) -> str:
    """What is wrong with `now`, or with `before` as the list of it; "" if nothing is."""
    old, new = before[0].split()[1], now[0].split()[1]
    renew = f"renew mace/public/abi.txt by {COMMAND}"
    major = new.partition(".")[0]
    if now[0].split()[2] != f"MACE_{major}":
        return (f"the version is {new} and SYMBOL_VERSION of "
                f"tools/mace_tools/package/library/link.py is {now[0].split()[2]}: "
                f"it is to be MACE_{major}")
    if old.partition(".")[0] != major:
        return f"mace/public/abi.txt is of version {old}, the headers are of {new}: {renew}"
    lines = broken(before, now)
    if lines:
        return (f"apps linked with {old} break with this library:\n" + "\n".join(lines) +
                "\nUndo that; or, if it must be, raise MACE_VERSION_MAJOR and SYMBOL_VERSION, and "
                f"{renew}. (Renewing alone will do while no release has what is gone.)")
    new_declarations = [f"+ {line}" for line in now if line not in set(before)]
    if new_declarations:
        return ("mace/public/abi.txt is stale: it lacks\n" + "\n".join(new_declarations) +
                f"\nNo app breaks by these additions; {renew}")
    return ""


def read(path: Path = BASELINE) -> list[str]:
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


def main() -> int:
    now = current()
    print("\n".join(broken(read(), now) or ["nothing that apps use went or changed"]))
    head = [line for line in BASELINE.read_text().splitlines() if line.startswith("#")]
    BASELINE.write_text("\n".join([*head, *now]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
