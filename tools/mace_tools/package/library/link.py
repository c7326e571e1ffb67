"""From the engine's archives to what apps link: libmace.so, or one complete libmace_<name>.a.

SPDX-License-Identifier: Apache-2.0

Both come from one object: the linker puts together what the public API reaches and drops the rest,
and then all other names become local, so that they meet none of an app's. Where the archives also
have GCC's intermediate code (Abi.link_time), a shared library is compiled from that at once.
"""

import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mace_tools.package.library import exports
from mace_tools.package.library.abis import Abi
from mace_tools.support.exit_codes import RunFailedError

# What a linker of C does not know.
CXX_LIBRARY = "stdc++"
# Libraries that an app links besides the C and C++ ones.
DEPENDENCIES = ("pthread", "dl", "m")
# Those of them that are in Android's C library.
NOT_ON_ANDROID = ("pthread",)
SONAME = "libmace.so"
TEMPLATES = Path(__file__).with_name("templates")
# The archives that define the public API, by the ends of their names.
PUBLIC = tuple(f"lib{name}{end}" for end in (".pic.a", ".a") for name in (
    "runtime", "async_runs", "config", "image", "image_small", "text", "generation", "base",
    "capi"))
C_API = tuple(name for name in PUBLIC if "capi" in name)
# Of the symbols: raised when a release takes one away or changes what it means.
SYMBOL_VERSION = "MACE_1"
# Also fits kernels with small pages; Android asks for it of every 64-bit library.
PAGE_BYTES = 16384
PT_LOAD = 1  # of ELF
# Of every libmace.so. It calls its own functions directly, also those that it exports.
SHARED_FLAGS = ("-Wl,--gc-sections", "-Wl,--build-id=sha1", "-Wl,-Bsymbolic-functions",
                f"-Wl,-z,max-page-size={PAGE_BYTES}", "-Wl,-z,relro,-z,now,-z,noexecstack",
                "-Wl,--no-undefined", "-Wl,--as-needed", "-Wl,-O1")
# Of one that contains the C++ library; the NDK's linker knows no shared libgcc.
STATIC_CXX = ("-static-libstdc++", "-static-libgcc")


@dataclass(frozen=True)
class Merged:
    """The engine as one object, with its debug information."""

    object: Path
    map: Path  # the linker's account of what it took
    exports: tuple[str, ...]  # the symbols of the public API
    archives: tuple[Path, ...]  # of which it is made
    needs_cxx: bool = True  # whether the app has to bring the C++ library


def merge(abi: Abi, archives: Sequence[Path], folder: Path, needs_cxx: bool = True) -> Merged:
    """All in one object, for a shared library, or with the C API alone if the app shall need no
    C++ library. Errors: RunFailedError."""
    roots = [n for n in _roots(abi, archives) if needs_cxx or exports.is_c(n)]
    return replace(_merge(abi, archives, roots, folder / "mace.o"), needs_cxx=needs_cxx)


def merge_apart(abi: Abi, archives: Sequence[Path], folder: Path) -> tuple[Merged, ...]:
    """The engine, and the C API on top of it, which an app in C++ does not link.

    Errors: RunFailedError."""
    roots = _roots(abi, archives)
    in_cpp = [name for name in roots if not exports.is_c(name)]
    in_c = [name for name in roots if exports.is_c(name)]
    apart = [a for a in archives if a.name.endswith(C_API)]
    merged = _merge(abi, [a for a in archives if a not in apart], in_cpp, folder / "mace.o")
    if not apart:
        return (merged,)
    return merged, _merge(abi, apart, in_c, folder / "mace_c.o", has_reserve=False)


def _roots(abi: Abi, archives: Sequence[Path]) -> list[str]:
    return exports.roots(abi, [a for a in archives if a.name.endswith(PUBLIC)],
                         any(a.name.endswith(C_API) for a in archives))


def _merge(
    abi: Abi, archives: Sequence[Path], roots: list[str], out: Path, has_reserve: bool = True
) -> Merged:
    folder = out.parent
    merged = Merged(out, out.with_suffix(".map"), tuple(roots), tuple(archives))
    run([abi.tool("ld"), "-r", "--gc-sections",
         *([f"--wrap={_new(abi)}"] if has_reserve else []),
         *([] if abi.is_android else ["--force-group-allocation"]),
         *[word for name in roots for word in ("-u", name)], f"-Map={merged.map}",
         "-o", merged.object, "--start-group", *archives, "--end-group"])
    if abi.link_time:  # an app's linker must not compile again, and cannot hide names then
        run([abi.tool("objcopy"), "--wildcard", "--remove-section=.gnu.lto_*",
             "--remove-section=.gnu.debuglto_*", merged.object])
    for flag, names in _hiding(abi, merged.object, roots):
        if not names:  # an empty list is an error to objcopy
            continue
        listing = folder / "symbols"
        listing.write_text("".join(f"{name}\n" for name in names))
        run([abi.tool("objcopy"), f"{flag}={listing}", merged.object])
    return merged


def _hiding(abi: Abi, merged: Path, roots: list[str]) -> list[tuple[str, list[str]]]:
    """Options of objcopy, and their symbols, that make all others than `roots` local."""
    if abi.is_android:
        # The NDK's linker leaves inline functions in groups, of which an app's linker keeps one
        # each: their names stay global.
        strong = exports.symbols(abi, [merged], kinds="TDBR")
        return [("--localize-symbols", [name for name in strong if name not in roots])]
    # Unique symbols, which inline functions of the C++ library have, cannot become local at once.
    unique = list(exports.symbols(abi, [merged], kinds="u"))
    return [("--weaken-symbols", unique), ("--keep-global-symbols", roots)]


def _new(abi: Abi) -> str:
    """The symbol of operator new. The engine's calls of it, and no others, become those of
    mace/base/memory_reserve.h."""
    return f"_Znw{'m' if abi.is_64_bit else 'j'}"


def dependencies(abi: Abi) -> list[str]:
    """The libraries that an app links besides."""
    return [n for n in DEPENDENCIES if not (abi.is_android and n in NOT_ON_ANDROID)]


def cxx_library(abi: Abi) -> list[str]:
    """The C++ library that a static library needs, which a linker of C does not know."""
    return [] if abi.is_android else [CXX_LIBRARY]  # an Android app chooses one of two


def shared(abi: Abi, merged: Merged, out: Path, debug: Path,
           inputs: Sequence[object] = ()) -> None:
    """Writes the stripped library, and its line tables for a debugger into `debug`. `inputs`: what
    it is linked from, in place of the engine and the system's libraries."""
    script = merged.object.with_suffix(".version")
    exported = "".join(f"  {name};\n" for name in merged.exports)
    script.write_text(f"{SYMBOL_VERSION} {{\n global:\n{exported} local: *;\n}};\n")
    whole = merged.object.with_suffix(".so")
    run([abi.tool("g++"), *abi.flags, "-shared", "-o", whole, f"-Wl,-soname,{SONAME}",
         f"-Wl,--version-script={script}", *SHARED_FLAGS,
         *([] if merged.needs_cxx else STATIC_CXX),
         *([f"-Wl,-T,{TEMPLATES / abi.layout}"] if abi.layout else []),
         *(inputs or [*_inputs(abi, merged), *[f"-L{f}" for f in abi.library_folders],
                      *[f"-Wl,-rpath-link,{f}" for f in abi.library_folders],
                      *[f"-l{name}" for name in dependencies(abi)]])])
    strip(abi, whole, out, debug)


def strip(abi: Abi, whole: Path, out: Path, debug: Path) -> None:
    """Parts a shared library into what apps pack and what debuggers read."""
    debug.parent.mkdir(parents=True, exist_ok=True)
    run([abi.tool("objcopy"), "--only-keep-debug", whole, debug])
    run([abi.tool("strip"), "--strip-unneeded", "-o", out, whole])
    run([abi.tool("objcopy"), f"--add-gnu-debuglink={debug}", out])


def beside(abi: Abi) -> list[str]:
    """The flags of a shared library that finds others in its own folder. Android's linker does so
    by itself and ignores DT_RUNPATH."""
    return [] if abi.is_android else ["-Wl,-rpath,$ORIGIN"]


def min_alignment(library: Path) -> int:
    """Of the segments that are loaded. Errors: RunFailedError if it is no ELF library."""
    data = library.read_bytes()
    try:
        if data[:4] != b"\x7fELF" or data[5] != 1:
            raise ValueError("it does not begin as one for little-endian CPUs")
        word, sizes, alignment = ("Q", 32, 48) if data[4] == 2 else ("I", 28, 28)
        (table,) = struct.unpack_from(f"<{word}", data, sizes)
        size, count = struct.unpack_from("<HH", data, 54 if data[4] == 2 else 42)
        heads = [table + i * size for i in range(count)]
        return min(struct.unpack_from(f"<{word}", data, head + alignment)[0] for head in heads
                   if struct.unpack_from("<I", data, head)[0] == PT_LOAD)
    except (IndexError, ValueError, struct.error) as e:
        raise RunFailedError(f"{library} is no shared library: {e}") from e


def _inputs(abi: Abi, merged: Merged) -> list[object]:
    """What a shared library is linked from."""
    if not abi.link_time:
        return [merged.object]
    own_new = f"-Wl,--wrap={_new(abi)},-u,__wrap_{_new(abi)}"
    return [*abi.link_time, own_new, *[f"-Wl,-u,{name}" for name in merged.exports],
            "-Wl,--start-group", *merged.archives, "-Wl,--end-group"]


def static(abi: Abi, merged: Sequence[Merged], objects: Sequence[Path], out: Path) -> None:
    """Writes the archive; `objects` are those of models that are compiled in."""
    plain = [part.object.with_name(f"lib{part.object.name}") for part in merged]
    for part, stripped in zip(merged, plain):
        run([abi.tool("strip"), "--strip-debug", "-o", stripped, part.object])
    out.unlink(missing_ok=True)
    run([abi.tool("ar"), "-rcsD", out, *plain, *objects])


def run(command: Sequence[object]) -> str:
    """Its stdout. Errors: RunFailedError with the end of its stderr."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise RunFailedError(f"`{' '.join(words[:4])} ...` failed:\n{done.stderr.strip()[-4000:]}")
    return done.stdout
