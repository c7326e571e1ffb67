"""How many bytes of a library come from which part of the engine, by the linker's own account.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

# A part, and the archives or sections of which it is; the first that matches counts.
PARTS = (
    ("C++ templates",
     re.compile(r"^\.\w[\w.]*\._Z(N?K?St|N?K?S[abdios]|N9__gnu_cxx|TI|TS|TVN?St)")),
    ("OpenCL", re.compile(r"libopencl\.")),
    ("DSP", re.compile(r"libnnlib\.")),
    ("kernels",
     re.compile(r"lib(cpu(?:_\w+)?|scalar|neon|aarch64|fp16|bf16|avx\w*|amxint8|ukernels|headers|tables)\.")),
    ("ops", re.compile(r"libops\.")),
    ("plan", re.compile(r"libplan\.")),
    ("memory", re.compile(r"lib(memory|offsets|objects|problem|compat)\.")),
    ("pictures", re.compile(r"libimage(?:_\w+)?\.")),
    ("C API", re.compile(r"libcapi\.")),
    ("reader", re.compile(r"lib(model|proto)\.")),
    ("engine", re.compile(r"lib(runtime|config|devices?|graph|base)\.")),
)  # fmt: skip
# Sections that a program maps.
_MAPPED = re.compile(r"\.(text|rodata|data|bss|init_array|fini_array|eh_frame|gcc_except_table|"
                     r"ARM\.ex\w+|tbss|tdata|gnu(?!\.\w*lto_))\b")
_LINE = re.compile(r"^ (\.\S+)(?:\n +| +)0x[0-9a-f]+ +0x([0-9a-f]+) (\S.*)$", re.MULTILINE)


# The same of LLVM's linker: addresses, bytes, alignment, and the section of an object.
_LLD_LINE = re.compile(r"^ *[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+) +\d+ +(\S.*):\((\.\S+)\)$",
                       re.MULTILINE)


def by_part(map_file: Path) -> Counter[str]:
    """Bytes by part, of what the linker kept."""
    found: Counter[str] = Counter()
    for section, origin, size in _kept(map_file):
        found[_part(section, origin)] += size
    return found


def by_object(map_file: Path) -> Counter[str]:
    """The same by object, such as "17-libops.pic.a(softmax.pic.o)". Of an object with micro-kernels
    of all families, each function counts alone."""
    found: Counter[str] = Counter()
    for section, origin, size in _kept(map_file):
        found[f"{origin} {section}" if "(simd__" in origin else origin] += size
    return found


def _kept(map_file: Path) -> Iterator[tuple[str, str, int]]:
    """Sections with their objects and bytes."""
    text = map_file.read_text(errors="replace")
    begin = text.find("Linker script and memory map")
    if begin >= 0:
        kept = _LINE.findall(text[begin:])
    else:
        kept = [(section, size, origin) for size, origin, section in _LLD_LINE.findall(text)]
    for section, size, origin in kept:
        if _MAPPED.match(section) and int(size, 16):
            yield section, Path(origin).name, int(size, 16)


def _part(section: str, archive: str) -> str:
    names = (section, archive)
    return next((part for part, pattern in PARTS if any(pattern.search(n) for n in names)), "other")
