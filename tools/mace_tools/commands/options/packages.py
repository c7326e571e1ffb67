"""The options of the commands that make libraries and packages.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from pathlib import Path

from mace_tools.commands.options import shared
from mace_tools.config import names
from mace_tools.config.names import ABIS, WHEEL_ABIS

ARCHIVE = ".tar.gz"  # the suffix of packed sources


def build(p: argparse.ArgumentParser) -> None:
    p.add_argument("--force", action="store_true", help="build also what is up to date")
    p.add_argument("--sizes", action="store_true",
                   help="print how many bytes of the library are of which part")
    shared.add_tuning(p)
    shared.add_devices(p)
    p.add_argument("--mace_run", type=Path, metavar="FILE",
                   help="a built mace_run, for embed_memory_plan, packed_weights and target_socs: "
                        "[host] (default: built when missing)")


def source(p: argparse.ArgumentParser) -> None:
    p.add_argument("--output", type=Path, metavar="FILE",
                   help=f"the archive (default: build/mace-VERSION{ARCHIVE})")


def wheel(p: argparse.ArgumentParser) -> None:
    p.add_argument("--output", type=Path, metavar="FOLDER", default=Path("build/python"),
                   help="where the wheels go (default: build/python)")
    p.add_argument("--target_abis", default="host", metavar="LIST",
                   help=f"of {', '.join(WHEEL_ABIS)}, with commas between (default: host)")


def java(p: argparse.ArgumentParser) -> None:
    p.add_argument("--output", type=Path, metavar="FOLDER", default=Path("build/java"),
                   help="where the files go (default: build/java)")
    p.add_argument("--maven", type=Path, metavar="FOLDER",
                   help="also writes them as a Maven repository, with POM, sources and javadoc")
    p.add_argument("--target_abis", default="host", metavar="LIST",
                   help=f"of {', '.join(ABIS)}, with commas between (default: host)")
    p.add_argument("--ops", default="all", metavar="LIST",
                   help="the ops of the library (default: all); `build --json` writes those of a "
                        "model")
    p.add_argument("--components", "--parts", default="all", metavar="LIST",
                   help="what the library does besides running models, as `components` of a "
                        "deployment file (default: all)")
    p.add_argument("--cxx", default="app", choices=names.CXX,
                   help="none: libmace.so contains the C++ library and exports the C API alone, so "
                        "that the AAR has no libc++_shared.so (default: app)")
