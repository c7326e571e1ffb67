"""Replaces modules of mace_tools by those below $MACE_OVERLAY, in every Python process of a test.

SPDX-License-Identifier: Apache-2.0

Python imports this file when it starts, as its folder is in $PYTHONPATH; so processes that a test
starts see a mutant, too, and no file of the tree is changed.
"""

import atexit
import builtins
import os
from importlib.machinery import SourceFileLoader

reached: set[int] = set()  # blocks that were executed
imported: set[int] = set()  # those while a module was imported


def _replace_modules(overlay: str) -> None:
    plain = SourceFileLoader.get_code

    def get_code(self, fullname):
        at = self.path.rfind("/mace_tools/")
        other = overlay + self.path[at:]
        if at < 0 or not os.path.isfile(other):
            return plain(self, fullname)
        with open(other, "rb") as file:
            return compile(file.read(), self.path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code


def _record(path: str) -> None:
    plain = SourceFileLoader.exec_module

    def exec_module(self, module):
        before = set(reached)
        reached.clear()
        try:
            plain(self, module)
        finally:
            imported.update(reached)
            reached.clear()
            reached.update(before)

    def write() -> None:
        with open(path, "a") as file:
            file.write("".join(f"{i}\n" for i in reached | imported))

    SourceFileLoader.exec_module = exec_module
    builtins.mace_reached = reached.add  # called by each block of the instrumented modules
    atexit.register(write)


if "MACE_OVERLAY" in os.environ:
    _replace_modules(os.environ["MACE_OVERLAY"])
if "MACE_REACHED" in os.environ:
    _record(os.environ["MACE_REACHED"])
