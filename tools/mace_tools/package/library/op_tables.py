"""The ops of a compiled engine, as the table in its archives names them.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections.abc import Sequence
from pathlib import Path

from mace_tools.package.library import link
from mace_tools.package.library.abis import Abi

# The object of the table that mace/op_table.bzl writes for mace/ops, of archives with and without
# position-independent code, and a function that it calls: mace::ops::Softmax().
_OBJECT = re.compile(r"op_table(\.pic)?\.o:")
_FUNCTION = re.compile(r"U _ZN4mace3ops\d+(\w+)Ev")


def ops_of(abi: Abi, archives: Sequence[Path]) -> set[str]:
    """The ops for which an engine has shape rules. Errors: MissingToolError, RunFailedError."""
    table = link.run([abi.tool("nm"), "--undefined-only", *archives])
    found, inside = set(), False
    for line in map(str.strip, table.splitlines()):
        function = _FUNCTION.fullmatch(line)
        if line.endswith(":"):
            inside = _OBJECT.fullmatch(line) is not None
        elif inside and function:
            found.add(function[1])
    return found
