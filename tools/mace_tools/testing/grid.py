"""Grids of models with a single operator: what becomes of each, against its framework.

SPDX-License-Identifier: Apache-2.0

The grid of a platform is the module mace_tools.testing.<platform>_grid: run_grids.py finds
its `rows()`.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from mace_tools.analyze.compare.engine import Engine
from mace_tools.convert import reference
from mace_tools.graph.extract import cut
from mace_tools.graph.ir import Graph
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import RunFailedError

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


def computed(graph: Graph, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs by NumPy, or by the engine where NumPy lacks an op. Errors: RunFailedError."""
    if all(reference.evaluates(node.op) for node in graph.nodes):
        with np.errstate(all="ignore"):
            return reference.run(graph, feeds)
    engine = Engine(runner.find(Console(), None), "cpu")
    result, = engine.run([cut(graph, feeds, graph.outputs)])
    if result.error:
        raise RunFailedError(result.error)
    return dict(result.outputs)


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
