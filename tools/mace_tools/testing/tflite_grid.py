"""The grid of TFLite: each case plain and with other values of every option, against LiteRT.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tflite

from mace_tools.convert import importers
from mace_tools.graph.run_io import first_values, own_inputs
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.by_litert import litert
from mace_tools.testing.detection import OUTPUTS, detector
from mace_tools.testing.grid import INVALID, REFUSED, SAME, Outcome, Row, computed, difference
from mace_tools.testing.tflite_cases import CASES, Case

DETECTION = "'TFLite_Detection_PostProcess'"
RELATIVE, ABSOLUTE = 2e-5, 2e-6


def outcome(op: str, path: Path, feeds: dict[str, np.ndarray], outputs: list[str]) -> Outcome:
    """What becomes of a model."""
    wanted = litert(path.read_bytes(), feeds)
    if isinstance(wanted, str):
        return Outcome(INVALID)
    try:
        graph = importers.load("tflite", path)
    except UnsupportedOps as e:
        return Outcome(REFUSED, tuple((op.op, op.reason) for op in e.ops))
    except ModelError as e:  # LiteRT does not check what does not fit
        return Outcome(REFUSED, ((op, str(e)),))
    got = computed(graph, {name: feeds[name] for name in own_inputs(graph)} | first_values(graph))
    for name, want in zip(outputs, wanted):
        wrong = difference(got[name], want, RELATIVE, ABSOLUTE)
        if wrong:
            return Outcome(f"'{name}': {wrong}")
    return Outcome(SAME)


def options(case: Case) -> Iterator[tuple[str, Any]]:
    """Other values of the numbers among the options of a case, by the schema."""
    if not case.options:
        return
    for name in sorted(dir(tflite)):
        field = name.removeprefix(f"{case.options}Add")
        table = getattr(tflite, case.options)
        if field == name or not hasattr(table, field) or hasattr(table, f"{field}Length"):
            continue
        for value in _values(case.options, field):
            if value != case.fields.get(field):
                yield field, value


def _values(table: str, field: str) -> list[Any]:
    """Values of an option: the type of its default, which an empty table has, says which."""
    import flatbuffers

    b = flatbuffers.Builder()
    getattr(tflite, f"{table}Start")(b)
    b.Finish(getattr(tflite, f"{table}End")(b))
    default = getattr(getattr(tflite, table).GetRootAs(b.Output()), field)()
    if isinstance(default, bool):
        return [True, False]
    if field in ("Padding", "Mode"):
        return [0, 1]
    if field.startswith(("Stride", "Dilation", "Filter")):
        return [1, 2, 3]
    if isinstance(default, int):
        return [0, 1, 2, 3, *([] if field.endswith("Mask") else [-1])]
    return [0.0, 0.5, -1.5] if isinstance(default, float) else []


def rows() -> Iterator[Row]:
    varied = set()
    for case in CASES:
        yield _row(case)
        if case.op in varied:
            continue
        varied.add(case.op)
        for field, value in options(case):
            yield _row(replace(case, fields=case.fields | {field: value}))


    for changes in ({}, {"use_regular_nms": True}, {"max_classes_per_detection": 2}):
        yield _detector(changes)


def _detector(changes: dict[str, Any]) -> Row:
    """Finds as many boxes as it has rows, because LiteRT does not say what the others are."""
    changes = {"max_detections": 2, "nms_score_threshold": 0.0, **changes}

    def run() -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            path, feeds = detector(Path(folder), **changes)
            return outcome(DETECTION, path, feeds, OUTPUTS)

    return Row(DETECTION, f"{DETECTION} {changes}", run)


def _row(case: Case) -> Row:
    def run() -> Outcome:
        try:
            m, feeds, outputs = case.model()
        except (TypeError, ValueError, OverflowError):  # the schema has no such value
            return Outcome(INVALID)
        with tempfile.TemporaryDirectory() as folder:
            path = m.save(Path(folder), list(feeds), outputs)
            return outcome(case.op, path, feeds, outputs)

    return Row(case.op, str(case), run)
