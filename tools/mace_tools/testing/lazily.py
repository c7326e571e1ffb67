"""Frameworks that take seconds to import, imported when a test first uses them.

SPDX-License-Identifier: Apache-2.0
"""

import importlib
from typing import Any


class Lazily:
    """A module, or what dots lead to in it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for marks of its own in all that a module has
            raise AttributeError(name)
        module, *parts = self._path.split(".")
        found = importlib.import_module(module)
        for part in (*parts, name):
            found = getattr(found, part)
        return found


tf = Lazily("tensorflow")
tf1 = Lazily("tensorflow.compat.v1")
RAW = Lazily("tensorflow.raw_ops")
keras = Lazily("keras")
layers = Lazily("keras.layers")
