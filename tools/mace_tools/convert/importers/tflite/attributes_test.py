"""An option that an importer function does not ask for makes it refuse the operator; all of them.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import replace

import numpy as np
import pytest
import tflite

from mace_tools.convert.importers import load
from mace_tools.convert.importers.registry import GENERAL_HELP
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.flat import OPERATORS, is_custom
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing import tflite_cases
from mace_tools.testing.detection import detector, options
from mace_tools.testing.tflite_file import Maker

AUDIO = {"'AudioSpectrogram'": ((40, 1), {"window_size": 8, "stride": 4}),
         "'Mfcc'": ((1, 6, 65), {})}
CASES = {case.op: case for case in reversed(tflite_cases.CASES)}


def made(op, options=None, **more):
    """A model of one operator, with other options where given."""
    case = CASES[op]
    fields = {**case.fields, **more}
    m, feeds, outputs = replace(case, options=options or case.options, fields=fields).model()
    return m, list(feeds), outputs


@pytest.mark.parametrize("op", list(CASES))
def test_an_option_that_the_schema_does_not_have_is_refused(tmp_path, monkeypatch, op):
    m, fed, outputs = made(op)
    load("tflite", m.save(tmp_path, fed, outputs))
    table = CASES[op].options or "AbsOptions"
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


@pytest.mark.parametrize("op", sorted(filter(is_custom, registry.supported())))
def test_an_option_that_a_custom_operator_does_not_know_is_refused(tmp_path, op):
    if op == "'TFLite_Detection_PostProcess'":
        path, _ = detector(tmp_path, surprise=3)
    elif op in AUDIO:
        m, (shape, given) = Maker(), AUDIO[op]
        m.tensor("x", shape)
        m.op(op.strip("'"), ["x", m.const("rate", np.int32(16000))], ["y"],
             CustomOptions=options({**given, "surprise": 3}))
        path = m.save(tmp_path, ["x"], ["y"])
    else:  # MediaPipe's have no names for their options
        m = Maker()
        for name in ("x", "w"):
            m.tensor(name, (1, 4, 4, 1))
        m.op(op.strip("'"), ["x", "w"], ["y", "z"], CustomOptions=options({"surprise": 3}))
        path = m.save(tmp_path, ["x", "w"], ["y"])
    with pytest.raises(UnsupportedOps, match="surprise = 3|are not those of MediaPipe") as e:
        load("tflite", path)
    assert [o.op for o in e.value.ops] == [op]


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


def test_every_builtin_converts_or_has_advice(tmp_path):
    rest = set(OPERATORS.values()) - set(registry.supported())
    rest -= {"CUSTOM", "PLACEHOLDER_FOR_GREATER_OP_CODES"}
    assert sum(not is_custom(op) for op in registry.supported()) >= 120
    for op in sorted(rest):
        m = Maker()
        m.tensor("x", (2,))
        m.op(op, ["x"], ["y"])
        with pytest.raises(UnsupportedOps) as e:
            load("tflite", m.save(tmp_path, ["x"], ["y"]))
        assert e.value.ops[0].op == op
        assert "nearest operator" not in e.value.ops[0].help, op
        assert e.value.ops[0].help != GENERAL_HELP, op
