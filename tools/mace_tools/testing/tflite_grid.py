"""The grid of TFLite: each case plain and with other values of every option, against LiteRT.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tflite
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from mace_tools import importers
from mace_tools.errors import ModelError, UnsupportedOps
from mace_tools.states import first_values, own_inputs
from mace_tools.testing import goldens
from mace_tools.testing.detection import OUTPUTS, detector
from mace_tools.testing.grid import INVALID, REFUSED, SAME, Outcome, Row, computed, difference
from mace_tools.testing.tflite_cases import CASES, Case

DETECTION = "'TFLite_Detection_PostProcess'"
RELATIVE, ABSOLUTE = 2e-5, 2e-6


def litert(model: bytes, feeds: dict[str, np.ndarray]) -> list[np.ndarray] | str:
    """What LiteRT computes, by its own kernels without a delegate, or why it does not."""
    return goldens.kept(["ai-edge-litert"], model, feeds, "without a delegate",
                        lambda: _in_a_process(model, feeds))


def _in_a_process(model: bytes, feeds: dict[str, np.ndarray]) -> list[np.ndarray] | str:
    """Of its own, which LiteRT ends for some models that it cannot run."""
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if child == 0:
            faulthandler.disable()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what is wrong with a model is no news
            try:
                pickle.dump(_in_child(model, feeds), file)
            except Exception as e:  # of whatever kind
                pickle.dump(str(e), file)
            file.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status != 0:
            return f"LiteRT ended with status {status}"
        file.seek(0)
        return pickle.load(file)


def _in_child(model: bytes, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    run = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=
                      OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    run.allocate_tensors()
    places = {d["name"]: d["index"] for d in run.get_input_details()}
    for name, array in feeds.items():
        run.set_tensor(places[name], array)
    run.invoke()
    return [run.get_tensor(d["index"]) for d in run.get_output_details()]


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
