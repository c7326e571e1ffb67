"""Links a shared library for systems with an older glibc than this one.

SPDX-License-Identifier: Apache-2.0

The linker takes a symbol's newest version, `exp@GLIBC_2.29`, where this system's libm.so.6 also has
`exp@GLIBC_2.2.5` for programs that were linked earlier. So the library is linked with stubs of
libc.so.6 and others, which have the same symbols in their newest version up to the one wanted. What
the headers made of newer symbols is in templates/old_glibc.c; any other symbol that the older glibc
lacks is an error of the linker. The C++ library is linked statically: it would be too new as well.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from mace_tools.package.library import link
from mace_tools.package.library.abis import Abi

# The libraries of glibc before 2.34, which moved the functions of two of them to libc.so.6.
_LIBC, _LIBM, _DL, _PTHREAD = "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"
_MERGED = (2, 34)
_MOVED = ((re.compile(r"dl\w+"), _DL), (re.compile(r"(?:pthread|sem)_\w+"), _PTHREAD))
_SYMBOL = re.compile(r"^\s*\d+: \w+\s+\d+ (FUNC|IFUNC|OBJECT|TLS)\s+(?:GLOBAL|WEAK)\s+DEFAULT"
                     r"\s+\d+ (\w+)@@?GLIBC_([\d.]+)", re.MULTILINE)

Version = tuple[int, ...]


def stubs(abi: Abi, newest: Version, folder: Path) -> list[Path]:
    """Writes the stubs. Errors: MissingToolError, RunFailedError."""
    loader = re.findall(r"NEEDED +(ld-linux\S+)",
                        link.run([abi.tool("objdump"), "-p", _file(abi, _LIBC)]))
    found: dict[str, dict[str, tuple[str, Version]]] = {
        name: {} for name in (_LIBC, _LIBM, *loader, _DL, _PTHREAD)}
    for name in (_LIBC, _LIBM, *loader):
        text = link.run([abi.tool("readelf"), "--wide", "--dyn-syms", _file(abi, name)])
        for symbol, kind, version in chosen(_SYMBOL.findall(text), newest):
            target = next((moved for pattern, moved in _MOVED if version[1]
                           and pattern.fullmatch(symbol)), name)
            found[target][symbol] = (kind, version[0])
    return [_stub(abi, name, symbols, folder) for name, symbols in found.items()]


def chosen(
    table: Iterable[tuple[str, str, str]], newest: Version
) -> list[tuple[str, str, tuple[Version, bool]]]:
    """Each symbol with its type and its newest version up to `newest`, and whether it moved to this
    library later.

    >>> chosen([("FUNC", "exp", "2.29"), ("FUNC", "exp", "2.2.5"), ("FUNC", "new", "2.36"),
    ...         ("FUNC", "dlopen", "2.34"), ("FUNC", "dlopen", "2.2.5")], (2, 28))
    [('exp', 'FUNC', ((2, 2, 5), False)), ('dlopen', 'FUNC', ((2, 2, 5), True))]
    """
    versions: dict[str, list[Version]] = {}
    kinds: dict[str, str] = {}
    for kind, symbol, text in table:
        versions.setdefault(symbol, []).append(tuple(map(int, text.split("."))))
        kinds[symbol] = kind
    return [(symbol, kinds[symbol], (max(old), _MERGED in every))
            for symbol, every in versions.items() if (old := [v for v in every if v <= newest])]


def shared(abi: Abi, merged: link.Merged, newest: Version, out: Path, debug: Path) -> None:
    """As link.shared, for systems that have glibc `newest`. Errors: MissingToolError,
    RunFailedError, which names a symbol that such a system lacks."""
    folder = merged.object.parent
    shims = folder / "old_glibc.o"
    link.run([abi.tool("g++"), *abi.flags, "-x", "c", "-std=c99", "-Os", "-fPIC", "-c",
              "-fvisibility=hidden", link.TEMPLATES / "old_glibc.c", "-o", shims])
    link.shared(abi, merged, out, debug, inputs=(
        merged.object, shims, *system(abi, newest, folder)))


def system(abi: Abi, newest: Version, folder: Path) -> list[object]:
    """What a shared library is linked with in place of the compiler's own libraries; the stubs are
    written to `folder`."""
    runtime = [_file(abi, name)
               for name in ("libstdc++.a", "libgcc_s.so.1", "libgcc.a", "libc_nonshared.a")]
    return ["-nodefaultlibs", "-Wl,--start-group", *runtime, *stubs(abi, newest, folder),
            "-Wl,--end-group"]


def _file(abi: Abi, name: str) -> Path:
    """Where the compiler finds a library of the system."""
    return Path(link.run([abi.tool("g++"), *abi.flags, f"-print-file-name={name}"]).strip())


def _stub(abi: Abi, name: str, symbols: dict[str, tuple[str, Version]], folder: Path) -> Path:
    """A library with these symbols, which do nothing."""
    source, script, out = (folder / f"{name}{end}" for end in (".s", ".version", ""))
    lines = [".text"]
    for k, (symbol, (kind, version)) in enumerate(symbols.items()):
        type_ = {"OBJECT": "object", "TLS": "tls_object"}.get(kind, "function")
        lines += [f".globl s{k}", f".type s{k}, %{type_}", f"s{k}: .byte 0", f".size s{k}, 1",
                  f".symver s{k}, {symbol}@@GLIBC_{'.'.join(map(str, version))}"]
    source.write_text("\n".join(lines) + "\n")
    names = {version for _, version in symbols.values()}
    script.write_text("".join(f"GLIBC_{'.'.join(map(str, v))} {{ global: *; }};\n"
                              for v in sorted(names)) or "{ local: *; };\n")
    link.run([abi.tool("g++"), *abi.flags, "-shared", "-nostdlib", "-o", out,
              f"-Wl,-soname,{name}", f"-Wl,--version-script={script}", source])
    return out
