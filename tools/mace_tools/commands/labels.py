"""The labels with the best scores of a model.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mace_tools.commands.context import Context
from mace_tools.config.schema import Model
from mace_tools.support import tables
from mace_tools.support.errors import MaceError
from mace_tools.support.limits import read_text
from mace_tools.support.os_errors import explain
from mace_tools.support.tables import shortened

# First lines of label files for models with a class for the background, as TensorFlow's have.
BACKGROUND = ("background", "dummy", "unused background", "__background__")
TOP = 5  # labels that are shown
MAX_BYTES = 16 << 20


def read(context: Context, tag: str, model: Model) -> list[str] | None:
    """The lines of the labels file; None if there is none."""
    name = model.extra("labels")
    if name is None:
        return None
    file = context.deployment.file(name)
    try:
        lines = [s.strip() for s in read_text(file, "utf-8-sig", MAX_BYTES).splitlines()]
    except UnicodeDecodeError as e:
        raise MaceError(f"{tag}: labels: {file} is not text in UTF-8 (byte {e.start})") from e
    except OSError as e:
        raise MaceError(f"{tag}: labels: {file}: {explain(e)}") from e
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise MaceError(f"{tag}: labels: {file} has no labels; write one a line")
    return lines


def show_top(
    context: Context, tag: str, outputs: dict[str, np.ndarray], labels: list[str]
) -> dict[str, Any]:
    """Prints the best labels of every output that has a score for each label, or the best indices
    of outputs that have another number of scores; returns them for --json."""
    fitting = _with_scores(outputs, len(labels))
    if not fitting and labels[0].lower() in BACKGROUND and len(labels) > 1:
        fitting = _with_scores(outputs, len(labels) - 1)
        if fitting:
            context.console.info(
                f"{tag}: labels has {len(labels)} lines for {len(labels) - 1} scores; the first, "
                f"'{labels[0]}', is taken for a class that this model does not have, so that score "
                f"0 is '{labels[1]}'")
            labels = labels[1:]
    if not fitting:
        fitting = {n: a for n, a in outputs.items() if a.ndim and a.size == a.shape[-1] > 1}
        context.console.warn(_misfit(tag, outputs, labels))
        labels = []
    top = {name: top_labels(array, labels or _numbers(array))
           for name, array in fitting.items()}
    for name, rows in top.items():
        width = tables.output_width(context.args.wide)
        context.console.data(top_table(name, rows, width))
    return top


def top_labels(scores: np.ndarray, labels: Sequence[str]) -> list[list[dict[str, Any]]]:
    """The best labels for each row of `scores`, which has a column for each label."""
    rows = scores.reshape(-1, len(labels))
    order = np.argsort(-rows.astype(np.float64), axis=1, kind="stable")[:, :TOP]
    return [[{"label": labels[i], "index": int(i), "score": float(row[i])} for i in best]
            for row, best in zip(rows, order)]


def top_table(name: str, rows: Sequence[Sequence[dict[str, Any]]], most: int = 0) -> str:
    """The same for people, in lines of limited length (0: no limit)."""
    lines = []
    for k, row in enumerate(rows):
        lines.append(f"Top {len(row)} of {name}" + (f", row {k}" if len(rows) > 1 else ""))
        scores = [f"{entry['score']:.6f}" for entry in row]
        space = max(8, most - len("  1    ") - max(map(len, scores))) if most else 0
        labels = [shortened(e["label"], space) if space else e["label"] for e in row]
        width = max(map(len, labels))
        lines += [f"  {place}  {label:<{width}}  {score}"
                  for place, (label, score) in enumerate(zip(labels, scores), 1)]
    return "\n".join(lines)


def _with_scores(outputs: dict[str, np.ndarray], count: int) -> dict[str, np.ndarray]:
    return {n: a for n, a in outputs.items() if count in (a.shape[-1:] or (1,)) + (a.size,)}


def _numbers(array: np.ndarray) -> list[str]:
    return [f"class {k}" for k in range(array.shape[-1])]


def _misfit(tag: str, outputs: dict[str, np.ndarray], labels: list[str]) -> str:
    shapes = ", ".join(f"'{n}' {list(a.shape)}" for n, a in outputs.items())
    text = f"{tag}: labels has {len(labels)} lines; no output has so many scores: {shapes}"
    if _with_scores(outputs, len(labels) + 1):
        return (f"{text}. If score 0 is of the background, as in TensorFlow's models, put a line "
                "'background' before the first label")
    if _with_scores(outputs, len(labels) - 1):
        return (f"{text}. Remove the line that is no label of this model; if that is the first, "
                "for the background, call it 'background' to have it left out")
    return f"{text}. Give the labels file of this model, one line for each score"
