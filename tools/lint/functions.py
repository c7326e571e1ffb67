"""Lengths of functions: beyond a screen, a function is split.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import lizard

from lint.tree import files, is_test

MAX_LINES = 60
# Unrolled loops, which only repeat a line for each register.
UNROLLED = Path("mace/cpu/ukernels")
# Lists with an entry for each field of a struct.
LISTS = "Fields"


def long_functions(root: Path) -> list[str]:
    """One line for each function outside tests and micro-kernels that is too long."""
    found = []
    for path in files(root, ".h", ".cc", ".c", ".py"):
        if is_test(path) or path.is_relative_to(UNROLLED):
            continue
        text = (root / path).read_text()
        for function in lizard.analyze_file.analyze_source_code(str(path), text).function_list:
            is_list = function.name.endswith(f"::{LISTS}")
            if function.length > MAX_LINES and not is_list:
                found.append(f"{path}:{function.start_line}: {function.name} has "
                             f"{function.length} lines, more than {MAX_LINES}")
    return found
