"""Models compiled in: an object with their bytes, and the functions that make engines of them.

SPDX-License-Identifier: Apache-2.0

The assembler copies the files into read-only sections (.incbin), so that a large model builds in
seconds and the system maps its weights from the program's file as it would map a file of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mace_tools.package.library.abis import Abi
from mace_tools.package.library.link import run

# Of the functions in C++ and in C.
HEADERS = ("mace_engine_factory.h", "mace_c_engine_factory.h")
# Where weights begin, so that they are used in place.
ALIGNMENT = 64


@dataclass(frozen=True)
class CodeModel:
    tag: str
    graph: Path
    data: Path | None  # None: from a file when the app runs
    data_bytes: int


TEMPLATES = Path(__file__).with_name("templates")


def headers(library: str, models: Sequence[CodeModel]) -> dict[str, str]:
    """Their texts by their names."""
    names = "; ".join(f"{m.tag} (weights {_place(m)})" for m in models)
    return {name: _filled(name, library=library, models=f"Models: {names}.") for name in HEADERS}


def _filled(name: str, **texts: str) -> str:
    """A template with its @words@ replaced."""
    text = (TEMPLATES / f"{name}.in").read_text()
    for word, value in texts.items():
        text = text.replace(f"@{word}@", value)
    return text


def _place(model: CodeModel) -> str:
    return "compiled in" if model.data is not None else "in a file" if model.data_bytes else "none"


def compile(abi: Abi, models: Sequence[CodeModel], include: Path, folder: Path) -> list[Path]:
    """The objects of the models and of their functions. Errors: RunFailedError."""
    objects = []
    for model in models:
        source, result = folder / f"{model.tag}.S", folder / f"model_{model.tag}.o"
        source.write_text(_assembly(model))
        run([abi.tool("g++"), *abi.flags, "-c", source, "-o", result])
        objects.append(result)
    (folder / "compiled_models.h").write_text(_filled("compiled_models.h"))
    factories = []
    for name, text in (("mace_engine_factory", _factory(models)),
                       ("mace_c_engine_factory", _filled("mace_c_engine_factory.cc"))):
        source, result = folder / f"{name}.cc", folder / f"{name}.o"
        source.write_text(text)
        run([abi.tool("g++"), *abi.flags, "-std=c++11", "-O2", "-fPIC", "-fno-exceptions",
             "-fno-rtti", "-Wall", "-Wextra", f"-I{include}", "-c", source, "-o",
             result])
        factories.append(result)
    return [*factories, *objects]


def _assembly(model: CodeModel) -> str:
    lines = []
    for part, file in (("graph", model.graph), ("data", model.data)):
        if file is None:
            continue
        symbol = f"mace_code_{model.tag}_{part}"
        lines += [f'  .section .rodata.{symbol},"a",%progbits', f"  .balign {ALIGNMENT}",
                  f"  .globl {symbol}", f"  .hidden {symbol}", f"{symbol}:",
                  f'  .incbin "{_quoted(file)}"', f"  .globl {symbol}_end",
                  f"  .hidden {symbol}_end", f"{symbol}_end:", "  .byte 0"]
    return "\n".join([*lines, '  .section .note.GNU-stack,"",%progbits', ""])


def _quoted(path: Path) -> str:
    return str(path.resolve()).replace("\\", "\\\\").replace('"', '\\"')


def _factory(models: Sequence[CodeModel]) -> str:
    declarations, rows = [], []
    for model in models:
        names = []
        for part, file in (("graph", model.graph), ("data", model.data)):
            symbol = f"mace_code_{model.tag}_{part}"
            names += [symbol, f"{symbol}_end"] if file is not None else ["nullptr", "nullptr"]
        declarations += [f"extern const unsigned char {name}[] MACE_HIDDEN;" for name in names
                         if name != "nullptr"]
        needs_file = "true" if model.data is None and model.data_bytes else "false"
        rows.append(f'{{"{model.tag}", {", ".join(names)}, {needs_file}}},')
    return _filled("mace_engine_factory.cc", declarations="\n".join(declarations),
                   rows="\n".join(rows))
