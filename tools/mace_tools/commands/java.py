"""java: the Java classes of the engine with its libraries, and the AAR for Android.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import shutil
from pathlib import Path

from mace_tools.config import component_names, values
from mace_tools.config.names import ABIS
from mace_tools.config.problems import did_you_mean
from mace_tools.graph.op_schema import all_ops
from mace_tools.package import java
from mace_tools.package.library import abis, bundle, engine
from mace_tools.package.release import maven
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode, UsageError
from mace_tools.support.locks import alone


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file."""
    names = tuple(dict.fromkeys(args.target_abis.split(",")))
    for name in names:
        if name not in ABIS:
            raise UsageError(f"--target_abis={args.target_abis}: there is no ABI '{name}'"
                             f"{did_you_mean(name, list(ABIS))}; there are "
                             f"{', '.join(ABIS)}")
    ops, having = _ops(args.ops), _components(args.components)
    needs_cxx = args.cxx != "none"
    if args.output.exists() and not args.output.is_dir():
        raise UsageError(f"--output={args.output} is no folder")
    if args.maven is not None and args.maven.exists() and not args.maven.is_dir():
        raise UsageError(f"--maven={args.maven} is no folder")
    java.jdk()
    found = abis.find(names)
    for abi in found:
        if abi.is_android and needs_cxx:
            java.cxx_library(abi)  # before minutes of compiling
    out: Path = args.output
    with alone(out / ".java.lock", console, f"another command that writes {out}"):
        for abi in found:
            made = engine.build(console, abi, ops, True, components=having, dsp=True)
            for part in ("lib", "symbols"):
                shutil.rmtree(out / part / abi.name, ignore_errors=True)
            java.libraries(abi, made, out / "lib" / abi.name, out / "symbols" / abi.name,
                           needs_cxx)
        archives = _archives(out, [abi for abi in found if abi.is_android], needs_cxx)
        android = [abi.name for abi in found if abi.is_android]
        if android:
            archives.append(out / "native-debug-symbols.zip")
            maven.native_debug_symbols(archives[-1], out / "symbols", android)
        published = [] if args.maven is None else maven.publish(
            args.maven, [p for p in archives if p.suffix[1:] in maven.ARTIFACTS])
        libraries = [p for abi in found for p in sorted((out / "lib" / abi.name).iterdir())]
        for path in (*archives, *published, *libraries):
            console.data(f"{path}  {path.stat().st_size} bytes")
    return ExitCode.OK


def _archives(out: Path, android: list[abis.Abi], needs_cxx: bool) -> list[Path]:
    """Writes the jar, and the AAR if there are ABIs of Android."""
    jar = out / f"mace-{bundle.version()}.jar"
    java.jar(jar, java.classes(android=False))
    if not android:
        return [jar]
    java.write_aar(jar.with_suffix(".aar"), android, out / "lib", needs_cxx)
    return [jar, jar.with_suffix(".aar")]


def _components(text: str) -> tuple[str, ...]:
    try:
        return component_names.listed(values.components(text.split(",")))
    except ValueError as e:
        raise UsageError(f"--components={text}: {e}") from e


def _ops(text: str) -> tuple[str, ...] | None:
    if text == "all":
        return None
    ops = tuple(sorted(set(text.split(","))))
    for op in ops:
        if op not in all_ops():
            raise UsageError(f"--ops={text}: there is no op '{op}'"
                             f"{did_you_mean(op, list(all_ops()))}; docs/ops.md lists them")
    return ops
