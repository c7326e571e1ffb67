"""What the library exports: the functions and tables of mace/public/exports.txt, on every ABI.

SPDX-License-Identifier: Apache-2.0

Functions of C are listed by their names. Of C++ the file has one signature a line, as c++filt
prints it, in words that do not depend on the ABI: `size_t` is `unsigned` whatever its width, and
`std::__cxx11::` is `std::`.
"""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mace_tools.package.library.abis import Abi
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.support.protos import REPO

LIST = REPO / "mace" / "public" / "exports.txt"
# Of a symbol table: defined and global, whether strong, weak or unique.
GLOBAL = "TWVBDRu"
_WORDS = (
    (re.compile(r"std::(__cxx11|__ndk1|__1)::"), "std::"),
    (re.compile(r"\[abi:\w+\]"), ""),
    (re.compile(r"\bunsigned (long long|long|int)\b"), "unsigned"),
    (re.compile(r"\b(long long|long|int)\b"), "int"),
    (re.compile(r"std::basic_string<char, std::char_traits<char>, std::allocator<char> >"),
     "std::string"),
)  # fmt: skip


def listed() -> list[str]:
    """The signatures of the public API."""
    lines = LIST.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def is_c(name: str) -> bool:
    """Whether a symbol is of the C API."""
    return name.startswith("mace_")


def plain(signature: str) -> str:
    """A demangled name in words that do not depend on the ABI."""
    # LLVM's demangler closes lists of arguments without spaces.
    signature = re.sub(r">(?=>)", "> ", signature)
    for pattern, word in _WORDS:
        signature = pattern.sub(word, signature)
    return signature


def symbols(
    abi: Abi, files: Sequence[Path], dynamic: bool = False, kinds: str = GLOBAL
) -> dict[str, str]:
    """The global symbols that files define, mangled, and their plain names."""
    flags = ["--defined-only", "--extern-only", "--format=posix", *(["-D"] if dynamic else [])]
    table = _run([abi.tool("nm"), *flags, *map(str, files)])
    names = [line.split()[0].partition("@")[0] for line in table.splitlines()
             if len(line.split()) >= 2 and line.split()[1] in kinds]
    return demangled(abi, names)


def demangled(abi: Abi, names: Sequence[str]) -> dict[str, str]:
    """Mangled names, and what they are in plain words."""
    lines = _run([abi.tool("c++filt")], "\n".join(names)).splitlines()
    return dict(zip(names, map(plain, lines)))


def roots(abi: Abi, archives: Sequence[Path], in_c: bool = True) -> list[str]:
    """The symbols of the public API, of which that in C may be absent.

    Errors: RunFailedError if the engine lacks one."""
    wanted = {text for text in listed() if in_c or not is_c(text)}
    found = {name: text for name, text in symbols(abi, archives).items() if text in wanted}
    missing = sorted(wanted - set(found.values()))
    if missing:
        raise RunFailedError(f"{LIST} lists what the engine does not define: {missing[0]}"
                             + (f" and {len(missing) - 1} more" if len(missing) > 1 else ""))
    return sorted(found)


def _run(command: list[str], text: str = "") -> str:
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout
