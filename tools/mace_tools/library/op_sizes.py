"""How large a library with some ops will be: from a stored table of what each op takes.

SPDX-License-Identifier: Apache-2.0

    ~/.cache/mace/venv/bin/python -m mace_tools.library.op_sizes    # in tools/: measures again

The table is made by linking a library without ops, and one with each op alone. The linker's maps
say in which object files the difference lies, so that code that several ops share counts once: of
each object, the most that one of the ops takes. `check --measure_library` links the library itself.
"""

from __future__ import annotations

import functools
import json
import tempfile
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from mace_tools.cli_console import Console
from mace_tools.library import engine, link, sizes
from mace_tools.library.abis import Abi, find
from mace_tools.op_facts import all_ops
from mace_tools.protos import REPO

FILE = REPO / "tools" / "op_sizes.json"
ABI = "arm64"
VARIANTS = ("cpu", "gpu")  # the latter with both


@functools.cache
def stored() -> dict[str, Any]:
    """The table: `abi` and `variants`; of each the bytes without ops (`base`), the names of object
    files, and by op pairs of an object's number and of bytes."""
    return json.loads(FILE.read_text())


def estimate(ops: Collection[str], gpu: bool = False) -> int:
    """Bytes of the stripped shared library with these ops, of the table's ABI."""
    return total(stored()["variants"]["gpu" if gpu else "cpu"], ops)


def total(variant: Mapping[str, Any], ops: Collection[str]) -> int:
    """The bytes of the base, and of each object the most that one of the ops takes."""
    most: dict[int, int] = {}
    for op in ops:
        for number, count in variant["ops"].get(op, ()):
            most[number] = max(most.get(number, 0), count)
    return variant["base"] + sum(most.values())


def measure(console: Console, abi: Abi, ops: tuple[str, ...] | None, gpu: bool) -> int:
    """Bytes of the stripped shared library with these ops (None: all), which is built and linked.

    Errors: MissingToolError, RunFailedError."""
    return _linked(console, abi, ops, gpu)[0]


def _linked(
    console: Console, abi: Abi, ops: tuple[str, ...] | None, gpu: bool
) -> tuple[int, Counter[str]]:
    """The bytes of the library, and those that the linker took of each object."""
    made = engine.build(console, abi, ops, gpu, types_of_16_bits=False, quantized=False)
    with tempfile.TemporaryDirectory(prefix="mace_size.") as folder:
        merged = link.merge(abi, made.archives, Path(folder))
        out = Path(folder) / link.SONAME
        link.shared(abi, merged, out, out.with_suffix(".debug"))
        return out.stat().st_size, sizes.by_object(merged.map)


def table(console: Console, abi: Abi, gpu: bool) -> dict[str, Any]:
    """Measures one variant."""
    base, without = _linked(console, abi, (), gpu)
    numbers: dict[str, int] = {}
    ops = {}
    for op in all_ops():
        size, taken = _linked(console, abi, (op,), gpu)
        more = {name: count - without[name] for name, count in sorted(taken.items())
                if count > without[name]}
        # The file has tables besides that the map lacks; they grow as the code does.
        scale = (size - base) / (sum(more.values()) or 1)
        ops[op] = [[numbers.setdefault(name, len(numbers)), round(count * scale)]
                   for name, count in more.items() if round(count * scale) > 0]
    return {"base": base, "objects": list(numbers), "ops": ops}


def main() -> None:
    """Writes the file."""
    (abi,), console = find((ABI,)), Console()
    variants = {name: table(console, abi, name == "gpu") for name in VARIANTS}
    text = json.dumps({"abi": ABI, "of": "stripped shared library, float32", "variants": variants},
                      separators=(",", ":"))
    for key in ('"cpu"', '"gpu"', '"objects"', '"ops"', *(f'"{op}":' for op in all_ops())):
        text = text.replace(key, "\n" + key)
    FILE.write_text(text + "\n")
    console.info(f"wrote {FILE}")


if __name__ == "__main__":
    main()
