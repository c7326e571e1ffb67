"""Writes every generated list of the tree: in tools/,

    ~/.cache/mace/venv/bin/python -m mace_tools.generate [--measure]

SPDX-License-Identifier: Apache-2.0

The sizes of ops are measured with --measure, or if the list of ops has changed.
"""

import argparse

from mace_tools import generate
from mace_tools.support.console import Console


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mace_tools.generate")
    parser.add_argument("--measure", action="store_true", help="measure the sizes of ops again")
    measure, console = parser.parse_args().measure, Console()
    for name in generate.LISTS:
        _write(name, console)
    from mace_tools.package.library import op_sizes  # reads the lists, which are written by now

    if measure or not op_sizes.is_complete():
        _write(generate.MEASURED, console)


def _write(name: str, console: Console) -> None:
    for path, text in generate.outputs(name, console):
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            console.info(f"wrote {path}")


if __name__ == "__main__":
    main()
