"""Grids of models with a single operator: what becomes of each, against its framework.

SPDX-License-Identifier: Apache-2.0

The grid of a platform is the module mace_tools.testing.<platform>_grid: its `rows()` are found by
mace_tools.front_ends.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

SAME, REFUSED, INVALID = "same", "refused", "the framework refuses it"


@dataclass(frozen=True)
class Outcome:
    """`kind`: SAME, REFUSED, INVALID, or how the results differ; `reason`: why it is refused."""

    kind: str
    reasons: tuple[tuple[str, str], ...] = field(default=())  # operator, reason


@dataclass(frozen=True)
class Row:
    """A model of the grid; `run` tells what becomes of it."""

    op: str
    name: str
    run: Callable[[], Outcome]


def rows_of(platform: str) -> Iterator[Row] | None:
    """The grid of a platform, or None if it has none."""
    name = f"mace_tools.testing.{platform}_grid"
    if importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name).rows()


def difference(got: np.ndarray, want: np.ndarray, relative: float, absolute: float) -> str:
    """How a result differs from the framework's; empty if it does not."""
    if got.shape != want.shape:
        return f"its shape is {got.shape}, the framework gives {want.shape}"
    if got.dtype != want.dtype:
        return f"its type is {got.dtype}, the framework gives {want.dtype}"
    if not np.allclose(got, want, relative, absolute, equal_nan=True):
        with np.errstate(all="ignore"):
            return f"it is off by up to {np.nanmax(np.abs(got.astype(float) - want))}"
    return ""
