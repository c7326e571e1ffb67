"""Every field of every layer that converts: its result is OpenCV's or NumPy's, or it is refused.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from mace_tools import importers, reference
from mace_tools.errors import MaceError, UnsupportedOps
from mace_tools.importers.caffe import prototxt, registry
from mace_tools.importers.caffe.layer import own_fields
from mace_tools.protos import load
from mace_tools.testing.caffe_cases import CASES, Case, expected, save

SCHEMA = load(prototxt.PROTO)
# Only the engine computes these: test/golden/caffe_layers_test.py runs their cases.
BY_ENGINE = {"DetectionOutput", "Proposal", "Python.ProposalLayer", "PSROIPooling"}
# Fields that change the result and that OpenCV ignores: the cases have them with a definition.
DEFINED = {
    ("Deconvolution", "dilation"), ("Log", "base"), ("Swish", "beta"), ("Concat", "concat_dim"),
    ("Slice", "slice_dim"), ("Slice", "slice_point"), ("LRN", "k"), ("LRN", "alpha"),
    ("LRN", "beta"), ("LRN", "local_size"), ("LRN", "norm_region"), ("MVN", "eps"),
    ("Interp", "shrink_factor"), ("Interp", "pad_beg"), ("Interp", "pad_end"),
    ("InnerProduct", "transpose"), ("PriorBox", "img_h"), ("PriorBox", "img_w"),
    ("PriorBox", "img_size"), ("PriorBox", "variance"), ("Reshape", "axis"),
    ("Flatten", "axis"), ("Interp", "zoom_factor"), ("Log", "scale"), ("Log", "shift"),
}
# What else must be there, as OpenCV does not take Caffe's default for it.
TOGETHER = {"pad_h": "pad_w: 0", "pad_w": "pad_h: 1"}
NUMBERS = [0, 1, 2, 3, -1]


def fields():
    found = []
    for kind in registry.supported():
        field = SCHEMA.LayerParameter.DESCRIPTOR.fields_by_name.get(own_fields(kind))
        if field is not None:
            found += [(kind, f.name) for f in field.message_type.fields]
    return found


def texts(kind: str, name: str) -> list[str]:
    """Values of a field."""
    field = SCHEMA.LayerParameter.DESCRIPTOR.fields_by_name[own_fields(kind)].message_type
    f = field.fields_by_name[name]
    if f.enum_type is not None:
        return [f"{name}: {v.name}" for v in f.enum_type.values]
    if f.message_type is not None:
        return [f"{name} {{ dim: 0 dim: -1 }}" if f.message_type.name == "BlobShape"
                else f"{name} {{ type: 'xavier' }}"]
    if f.cpp_type == f.CPPTYPE_BOOL:
        return [f"{name}: true", f"{name}: false"]
    if f.cpp_type == f.CPPTYPE_STRING:
        return [f"{name}: 'x'"]
    whole = f.cpp_type not in (f.CPPTYPE_FLOAT, f.CPPTYPE_DOUBLE)
    return [f"{name}: {v}" for v in (NUMBERS if whole else [0.25, 1.5, -0.5])
            if v >= 0 or f.cpp_type != f.CPPTYPE_UINT32]


def outcome(folder, kind: str, case: Case, settings: str) -> str:
    """What becomes of a network: "same", "refused", or how the two differ."""
    path, feeds = save(folder, kind, case, settings), case.values()
    try:
        graph = importers.load("caffe", path)
        got = reference.run(graph, {n: a for n, a in feeds.items() if n in graph.inputs})
    except MaceError:
        return "refused"
    try:
        want = expected(path, Case(settings, case.shapes, case.blobs, case.tops, case.feeds), feeds)
    except cv2.error:
        return "OpenCV refuses it"
    for name, array in zip(graph.outputs, want):
        if got[name].shape != array.shape or not np.allclose(got[name], array, 1e-4, 1e-5,
                                                             equal_nan=True):
            return f"{name} differs"
    return "same"


@pytest.mark.parametrize("kind", registry.supported())
def test_fields_of_other_layers_are_refused(tmp_path, kind):
    case = CASES[kind][0]
    path = save(tmp_path, kind, case)
    importers.load("caffe", path)
    other = "threshold_param" if own_fields(kind) != "threshold_param" else "elu_param"
    surprise = f"{other} {{ {'threshold' if other[0] == 't' else 'alpha'}: 3 }}"
    text = path.read_text()
    place = text.rindex("}")
    path.write_text(f"{text[:place]}  {surprise}\n}}\n")
    with pytest.raises(UnsupportedOps, match=f"does not know its attribute {other}"):
        importers.load("caffe", path)


@pytest.mark.parametrize("kind, name", [
    (kind, name) for kind, name in fields()
    if kind not in BY_ENGINE and (kind, name) not in DEFINED and CASES[kind][0].want is None])
def test_field(tmp_path, kind, name):
    case = CASES[kind][0]
    outcomes = {}
    for text in texts(kind, name):
        without = " ".join(w for w in _pairs(case.settings) if not w.startswith(f"{name}:"))
        settings = f"{without} {text} {TOGETHER.get(name, '')}".strip()
        outcomes[text] = outcome(tmp_path, kind, case, settings)
    assert set(outcomes.values()) <= {"same", "refused", "OpenCV refuses it"}, outcomes


def _pairs(settings: str) -> list[str]:
    words = settings.split()
    return [f"{a} {b}" for a, b in zip(words[::2], words[1::2])] if "{" not in settings else []
