"""How large a library with some ops will be: from a stored table of what each op takes.

SPDX-License-Identifier: Apache-2.0

`python -m mace_tools.generate --measure` in tools/ writes it.

The linker's maps of a library without ops, and of one with each op alone, say in which object files
the difference lies, so that code that several ops share counts once: of each object, the most that
one of the ops takes. The sizes of the libraries without ops and with all of them give the scale.
`check --measure_library` links the library itself.
"""

import functools
import json
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mace_tools.graph.op_schema import all_ops
from mace_tools.package.library import engine, link, sizes
from mace_tools.package.library.abis import Abi, find
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

FILE = REPO / "tools" / "op_sizes.json"
ABI = "arm64"
# Estimates below this are of libraries in which an instruction of 64-bit Arm names any other place:
# it reaches 1 MB. The rest is for what estimates do not know, and for gaps between pages.
NEAR_BYTES = 900 * 1024
# The kernels for fp16 and bf16 of a library with all ops.
MAX_OF_16_BITS = 90_000
# Of each, whether it has the GPU beside the CPU, and 8-bit kernels.
VARIANTS = {"cpu": (False, False), "gpu": (True, False), "quantized": (False, True)}


@functools.cache
def stored() -> dict[str, Any]:
    """The table: `abi` and `variants`; of each the bytes without ops (`base`), the names of object
    files, and by op pairs of an object's number and of bytes."""
    return json.loads(FILE.read_text())


def is_complete() -> bool:
    """Whether the table has the ops of the engine, and no others."""
    return all(set(variant["ops"]) == set(all_ops()) for variant in stored()["variants"].values())


def estimate(ops: Collection[str], gpu: bool = False, quantized: bool = False) -> int:
    """Bytes of the stripped shared library with these ops, of the table's ABI."""
    cpu, with_gpu, with_quantized = (total(stored()["variants"][name], ops)
                                     for name in ("cpu", "gpu", "quantized"))
    return cpu + gpu * (with_gpu - cpu) + quantized * (with_quantized - cpu)


def is_near(abi: Abi, ops: Collection[str] | None, gpu: bool = False, dsp: bool = False,
            types_of_16_bits: bool = False, quantized: bool = False) -> bool:
    """Whether a shared library with these ops (None: all) is made of code for distances of less
    than 1 MB, if the ABI has such. The other parameters are those of engine.build."""
    if not abi.near or dsp:  # how much the vendor's library for DSPs brings is not in the table
        return False
    size = estimate(all_ops() if ops is None else ops, gpu, quantized)
    return size + types_of_16_bits * MAX_OF_16_BITS < NEAR_BYTES


def total(variant: Mapping[str, Any], ops: Collection[str]) -> int:
    """The bytes of the base, and of each object the most that one of the ops takes."""
    most: dict[int, int] = {}
    for op in ops:
        for number, count in variant["ops"].get(op, ()):
            most[number] = max(most.get(number, 0), count)
    return variant["base"] + sum(most.values())


def measure(
    console: Console, abi: Abi, ops: tuple[str, ...] | None, gpu: bool, quantized: bool
) -> int:
    """Bytes of the stripped shared library with these ops (None: all), which is built and linked.

    Errors: MissingToolError, RunFailedError."""
    with _merged(console, abi, ops, gpu, quantized) as merged:
        out = merged.object.with_name(link.SONAME)
        link.shared(abi, merged, out, out.with_suffix(".debug"))
        return out.stat().st_size


@contextmanager
def _merged(
    console: Console, abi: Abi, ops: tuple[str, ...] | None, gpu: bool, quantized: bool
) -> Iterator[link.Merged]:
    made = engine.build(console, abi, ops, gpu, types_of_16_bits=False, quantized=quantized,
                        near=is_near(abi, ops, gpu, quantized=quantized))
    with tempfile.TemporaryDirectory(prefix="mace_size.") as folder:
        yield link.merge(abi, made.archives, Path(folder))


def table(console: Console, abi: Abi, gpu: bool, quantized: bool) -> dict[str, Any]:
    """Measures one variant."""
    def taken(ops: tuple[str, ...]) -> Counter[str]:
        with _merged(console, abi, ops, gpu, quantized) as merged:
            return sizes.by_object(merged.map)

    without = taken(())
    numbers: dict[str, int] = {}
    ops = {}
    for op in all_ops():
        more = {name: count - without[name] for name, count in sorted(taken((op,)).items())
                if count > without[name]}
        ops[op] = [[numbers.setdefault(name, len(numbers)), count] for name, count in more.items()]
    base, whole = (measure(console, abi, some, gpu, quantized) for some in ((), None))
    # The map tells what the linker takes; what it makes of that is smaller where it optimises all
    # at once, and larger by the tables of the file.
    scale = (whole - base) / total({"base": 0, "ops": ops}, all_ops())
    scaled = {op: [[number, round(count * scale)] for number, count in taken_by_op]
              for op, taken_by_op in ops.items()}
    return {"base": base, "objects": list(numbers), "ops": scaled}


def as_text(console: Console) -> str:
    """Measures, and returns the contents of the file."""
    (abi,) = find((ABI,))
    variants = {name: table(console, abi, *has) for name, has in VARIANTS.items()}
    text = json.dumps({"abi": ABI, "of": "stripped shared library", "variants": variants},
                      separators=(",", ":"))
    lines = (*(f'"{name}":' for name in VARIANTS), '"objects"', '"ops"',
             *(f'"{op}":' for op in all_ops()))
    for key in lines:
        text = text.replace(key, "\n" + key)
    return text + "\n"
