"""An option that an importer function does not ask for makes it refuse the operator; all of them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import pytest
import tflite

from mace_tools.errors import UnsupportedOps
from mace_tools.importers import load
from mace_tools.importers.tflite import registry
from mace_tools.importers.tflite.operators_test import IMG, TABLE, M, P, X, i32
from mace_tools.testing.tflite_file import Maker

F4 = np.float32([1, 2, 3, 4])
FILTER = np.ones((1, 2, 2, 4), np.float32)
STEP = {"StrideH": 1, "StrideW": 1}
# Operator: the operands, of which the first is fed, options, number of results.
CASES: dict[str, tuple[list[np.ndarray], tuple[str, dict], int]] = {
    **{op: ([x, *more], options, 1) for op, x, more, options, _ in TABLE},
    **{op: ([X], ("", {}), 1) for op in (
        "CEIL", "COS", "FLOOR", "GELU", "NEG", "RANK", "RELU", "RELU_0_TO_1", "SHAPE", "SIGN",
        "SIN", "CAST")},
    **{op: ([P], ("", {}), 1) for op in ("LOG", "SQRT", "SQUARE")},
    **{op: ([X, P], ("", {}), 1) for op in (
        "ADD", "ADD_N", "EQUAL", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "LESS_EQUAL", "NOT_EQUAL")},
    **{op: ([X, i32(1)], ("", {}), 1) for op in (
        "ARG_MIN", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_MIN", "REDUCE_PROD", "SUM")},
    **{op: ([M.astype(np.float32), M.astype(np.float32)], ("", {}), 1)
       for op in ("LOGICAL_AND", "LOGICAL_OR")},
    **{op: ([M.astype(np.float32), X, P], ("", {}), 1) for op in ("SELECT", "SELECT_V2")},
    "LOGICAL_NOT": ([M.astype(np.float32)], ("", {}), 1),
    "CONV_2D": ([IMG, FILTER], ("Conv2DOptions", STEP), 1),
    "DEPTHWISE_CONV_2D": ([IMG, FILTER], ("DepthwiseConv2DOptions", STEP), 1),
    "TRANSPOSE_CONV": ([i32(2, 5, 5, 1), FILTER, IMG], ("TransposeConvOptions",
                                                        {"Padding": 1, **STEP}), 1),
    "FULLY_CONNECTED": ([X, np.ones((3, 4), np.float32)], ("FullyConnectedOptions", {}), 1),
    "DEQUANTIZE": ([X.astype(np.float16)], ("", {}), 1),
    "EMBEDDING_LOOKUP": ([i32(0, 1), X], ("", {}), 1),
    "FILL": ([i32(2, 2), np.float32(1)], ("", {}), 1),
    "RANGE": ([np.int32(0), np.int32(3), np.int32(1)], ("", {}), 1),
    "ONE_HOT": ([i32(0, 1), np.int32(3), np.float32(1), np.float32(0)], ("", {}), 1),
    "REVERSE_SEQUENCE": ([X, i32(2, 3)], ("ReverseSequenceOptions", {"SeqDim": 1}), 1),
    "SPLIT": ([np.int32(1), X], ("SplitOptions", {"NumSplits": 2}), 2),
    "SPLIT_V": ([X, i32(1, 3), np.int32(1)], ("SplitVOptions", {"NumSplits": 2}), 2),
    "TOPK_V2": ([X, np.int32(2)], ("", {}), 2),
    "UNPACK": ([X], ("UnpackOptions", {"Num": 2}), 2),
}
CONSTANT_FIRST = {"TRANSPOSE_CONV", "FILL", "RANGE", "SPLIT"}


def made(op, options=None, **more):
    """A model of one operator, with other options where given."""
    operands, (table, fields), count = CASES[op]
    m, fed, names = Maker(), [], []
    for k, operand in enumerate(operands):
        if (k == 0 and op not in CONSTANT_FIRST) or (op == "TRANSPOSE_CONV" and k == 2):
            fed.append(m.tensor(f"in{k}", operand.shape, operand.dtype.name))
            names.append(fed[-1])
        else:
            names.append(m.const(f"in{k}", operand))
    outputs = [f"y{k}" for k in range(count)]
    m.op(op, names, outputs, options or table, **fields, **more)
    return m, fed, outputs


def test_every_operator_has_a_case():
    assert set(CASES) == set(registry.supported())


@pytest.mark.parametrize("op", registry.supported())
def test_an_option_that_the_schema_does_not_have_is_refused(tmp_path, monkeypatch, op):
    m, fed, outputs = made(op)
    load("tflite", m.save(tmp_path, fed, outputs))
    table = CASES[op][1][0] or "AbsOptions"
    with monkeypatch.context() as newer_schema:
        newer_schema.setattr(tflite, f"{table}Start", lambda b: b.StartObject(32))
        newer_schema.setattr(tflite, f"{table}AddSurprise",
                             lambda b, v: b.PrependInt32Slot(31, v, 0), raising=False)
        m, fed, outputs = made(op, table, Surprise=5)
        path = m.save(tmp_path, fed, outputs)
    with pytest.raises(UnsupportedOps) as e:
        load("tflite", path)
    assert f"does not know its attribute number 31 of {table} = 'set'" in str(e.value)
    assert [(o.op, o.nodes) for o in e.value.ops] == [(op, ["y0"])]


def test_options_of_another_operator_are_refused_unless_they_say_nothing(tmp_path):
    m, fed, outputs = made("RELU", "LeakyReluOptions", Alpha=0.5)
    with pytest.raises(UnsupportedOps, match="attribute Alpha = 0.5"):
        load("tflite", m.save(tmp_path, fed, outputs))
    m, fed, outputs = made("RELU", "LeakyReluOptions")
    load("tflite", m.save(tmp_path, fed, outputs))


def test_an_offset_of_strided_slice_is_refused(tmp_path):
    m, fed, outputs = made("STRIDED_SLICE", Offset=True)
    with pytest.raises(UnsupportedOps, match="attribute Offset = True"):
        load("tflite", m.save(tmp_path, fed, outputs))
