"""The grid of Caffe: each case as it is, and the first one with every value of every field, against
OpenCV or NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2

from mace_tools.convert import importers
from mace_tools.convert.importers.caffe import prototxt, registry
from mace_tools.convert.importers.caffe.layer import own_fields
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.support.protos import load
from mace_tools.testing.caffe_cases import CASES, Case, expected, save
from mace_tools.testing.grid import INVALID, REFUSED, SAME, Outcome, Row, computed, difference

SCHEMA = load(prototxt.PROTO)
# NumPy does not compute these, so that each value would start the engine: the cases have them.
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


def fields() -> list[tuple[str, str]]:
    """The fields whose values are varied, with the types of their layers."""
    found = []
    for kind in registry.supported():
        own = SCHEMA.LayerParameter.DESCRIPTOR.fields_by_name.get(own_fields(kind))
        if own is not None and kind not in BY_ENGINE and CASES[kind][0].want is None:
            found += [(kind, f.name) for f in own.message_type.fields
                      if (kind, f.name) not in DEFINED]
    return found


def texts(kind: str, name: str) -> list[str]:
    """Values of a field."""
    field = SCHEMA.LayerParameter.DESCRIPTOR.fields_by_name[own_fields(kind)].message_type
    f: Any = field.fields_by_name[name]
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


def varied(kind: str, name: str) -> Iterator[str]:
    """The settings of the first case with each value of a field."""
    words = CASES[kind][0].settings.split()
    pairs = [] if "{" in words else [f"{a} {b}" for a, b in zip(words[::2], words[1::2])]
    without = " ".join(w for w in pairs if not w.startswith(f"{name}:"))
    for text in texts(kind, name):
        yield f"{without} {text} {TOGETHER.get(name, '')}".strip()


def outcome(folder: Path, kind: str, case: Case) -> Outcome:
    """What becomes of a network."""
    path, feeds = save(folder, kind, case), case.values()
    try:
        graph = importers.load("caffe", path)
    except UnsupportedOps as e:
        return Outcome(REFUSED, tuple((op.op, op.reason) for op in e.ops))
    except ModelError as e:  # OpenCV does not check what does not fit
        return Outcome(REFUSED, ((kind, str(e).replace(f"{folder}/", "")),))
    try:
        want = expected(path, case, feeds)
    except cv2.error:
        return Outcome(INVALID)
    got = computed(graph, {n: a for n, a in feeds.items() if n in graph.inputs})
    for name, array in zip(graph.outputs, want):
        wrong = difference(got[name], array, 1e-4, 1e-5)
        if wrong:
            return Outcome(f"'{name}': {wrong}")
    return Outcome(SAME)


def rows() -> Iterator[Row]:
    for kind, cases in CASES.items():
        for case in cases:
            yield _row(kind, case)
    for kind, name in fields():
        for settings in varied(kind, name):
            yield _row(kind, replace(CASES[kind][0], settings=settings))


def _row(kind: str, case: Case) -> Row:
    def run() -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            return outcome(Path(folder), kind, case)

    return Row(kind, f"{kind} {case.settings}", run)
