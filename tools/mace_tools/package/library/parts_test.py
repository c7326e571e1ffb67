"""Which parts a deployment file asks for, and that all lists of them agree.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re

import pytest

from mace_tools.config.load import load
from mace_tools.config.part_names import ALL, PARTS
from mace_tools.package.library.parts import CONVOLUTION_PARTS, kernel_parts, parts_of
from mace_tools.support.protos import REPO, mace

DIGITS = REPO / "models" / "digits" / "digits_onnx.yml"


def bare(tmp_path):
    """The path of a deployment file of a library without parts."""
    path = tmp_path / "bare.yml"
    path.write_text(DIGITS.read_text().replace("library_name:", "parts: none\nlibrary_name:")
                    .replace("models/digits/", f"{DIGITS.parent}/"))
    return path


def listed(tmp_path, keys="", model_keys=""):
    text = DIGITS.read_text().replace("library_name: digits_onnx", f"library_name: lib\n{keys}")
    text = text.replace("    runtime: cpu", f"    runtime: cpu\n{model_keys}")
    if "build_type" in keys:
        text = text.replace("build_type: proto\n", "")
    path = tmp_path / "lib.yml"
    path.write_text(text.replace("models/digits/", f"{DIGITS.parent}/"))
    return parts_of(load(path).library)


@pytest.mark.parametrize("keys, model_keys, parts", [
    ("", "", ALL),
    ("parts: all\n", "", ALL),
    ("parts: [all, sealed]\n", "", PARTS),
    ("parts: [sealed]\n", "", ("sealed",)),
    ("parts: none\n", "", ()),
    ("parts: [tuning, dumps]\n", "", ("dumps", "tuning")),
    # what other keys need
    ("parts: none\ntarget_socs: [host]\n", "", ("tuning",)),
    ("parts: none\n", "    tuning_ms: 5\n", ("tuning",)),
    ("parts: none\n", "    memory_strategy: SKYLINE\n", ("strategies",)),
    ("parts: [dumps]\n", "    memory_strategy: GREEDY_BY_SIZE\n", ("dumps",)),
    ("parts: none\n", "    winograd: 4\n", ("winograd",)),
    ("parts: none\n", "    winograd: 0\n", ()),
    ("parts: none\nbuild_type: code\n", "", ("c_api",)),
])
def test_a_library_has_the_parts_that_its_file_needs(tmp_path, keys, model_keys, parts):
    assert listed(tmp_path, keys, model_keys) == parts


def test_bazel_cmake_the_header_and_the_page_have_the_same_parts():
    bazel = (REPO / "mace" / "build_defs.bzl").read_text()
    assert f"PARTS = {list(PARTS)}".replace("'", '"') in bazel
    cmake = REPO / "tools" / "mace_tools" / "package" / "source" / "cmake" / "mace_functions.cmake"
    assert f"set(_mace_parts {' '.join(PARTS)})" in cmake.read_text()
    header = (REPO / "mace" / "base" / "parts.h").read_text()
    # Nothing asks for the C API, and one room of the engine each for the others.
    known = {n.lower() for n in re.findall(r"(?:ifdef |defined\()MACE_WITHOUT_(\w+)", header)}
    assert known == set(PARTS) - {"activations", "c_api", "depthwise", "l2_pooling", "sealed",
                                  "storage"}
    page = (REPO / "docs" / "library.md").read_text()
    assert all(f"| `{part}` |" in page for part in PARTS)


@pytest.mark.parametrize("op, window, strides, parts", [
    ("Conv2d", (3, 3), (1, 1), {"winograd"}),
    ("Conv2d", (3, 3), (), {"winograd"}),  # their default is 1
    ("Conv2d", (3, 3), (2, 2), set()),
    ("Conv2d", (1, 1), (1, 1), set()),
    ("DepthwiseConv2d", (3, 3), (1, 1), set()),
    ("DepthwiseConv2d", (5, 5), (2, 2), {"depthwise"}),
    ("DepthwiseConv2d", (7, 7), (1, 1), {"depthwise"}),
    ("DepthwiseConv2d", (1, 5), (1, 1), {"depthwise"}),  # kernels are for a width
    ("DepthwiseConv2d", (5, 3), (1, 1), set()),
    ("DepthwiseConv2d", (2, 2), (1, 1), {"depthwise"}),
    ("DepthwiseConv2d", (3, 1), (1, 1), {"depthwise"}),
    ("DepthwiseConv2d", (9, 9), (1, 1), set()),
    ("Deconv2d", (4, 4), (2, 2), set()),
    ("Deconv2d", None, (2, 2), set(CONVOLUTION_PARTS)),
    ("Conv2d", None, (1, 1), set(CONVOLUTION_PARTS)),
    ("Pooling", (3, 3), (1, 1), set()),
])
def test_a_library_has_the_kernels_that_its_models_need(op, window, strides, parts):
    net = mace().NetDef()
    node = net.op.add(type=op, input=["x", "filter"])
    node.arg.add(name="strides", ints=strides)
    if window is not None:
        net.tensors.add(name="filter", dims=[8, 8, *window])
    assert kernel_parts(net) == parts


@pytest.mark.parametrize("shape, group, needs", [
    ((512, 512, 1, 1), 1, True),
    ((64, 64, 1, 1), 1, True),
    ((32, 48, 1, 1), 1, True),
    ((64, 8, 5, 5), 1, True),
    ((1000, 512, 1, 1), 1, False),  # halves of the columns are no whole vectors
    ((64, 46, 1, 1), 1, False),
    ((64, 49, 1, 1), 1, False),  # an odd depth has no halves
    ((64, 64, 1, 1), 2, False),
])
def test_large_products_need_the_method_of_strassen(shape, group, needs):
    net = mace().NetDef()
    node = net.op.add(type="Conv2d", input=["x", "filter"])
    node.arg.add(name="group", i=group)
    net.tensors.add(name="filter", dims=shape)
    assert kernel_parts(net) == ({"strassen"} if needs else set())


@pytest.mark.parametrize("channels, group", [((8, 1), 8), ((8, 2), 4), ((1, 1), 1)])
def test_transposed_convolutions_of_groups_need_depthwise_kernels(channels, group):
    net = mace().NetDef()
    node = net.op.add(type="Deconv2d", input=["x", "filter"])
    node.arg.add(name="group", i=group)
    net.tensors.add(name="filter", dims=[*channels, 3, 3])
    assert kernel_parts(net) == {"depthwise"}


@pytest.mark.parametrize("op, args, needs", [
    ("Conv2d", {"activation": b"SWISH"}, True),
    ("Conv2d", {"activation": b"RELUX"}, False),
    ("Eltwise", {}, False),
    ("Activation", {"activation": b"RELU"}, False),
    ("Activation", {"activation": b"TANH"}, True),
    ("Lstm", {}, True),
    ("Rnn", {"cell_activation": b"RELU"}, True),
])
def test_activations_that_no_clamp_computes_are_a_part(op, args, needs):
    net = mace().NetDef()
    net.tensors.add(name="filter", dims=[8, 8, 1, 1])
    for place in (net.op, net.subgraphs.add(name="body").op):
        del net.op[:]
        node = place.add(type=op, input=["x", "filter"])
        for name, value in args.items():
            node.arg.add(name=name, s=value)
        assert kernel_parts(net) == ({"activations"} if needs else set())


@pytest.mark.parametrize("kind, parts", [(1, set()), (2, set()), (3, {"l2_pooling"})])
def test_pooling_of_squares_is_a_part(kind, parts):
    net = mace().NetDef()
    net.op.add(type="Pooling", input=["x"]).arg.add(name="pooling_type", i=kind)
    assert kernel_parts(net) == parts


@pytest.mark.parametrize("add, parts", [
    (lambda net: None, ()),
    (lambda net: net.input_info.add(dims=[1, 3]), ()),
    (lambda net: net.input_info.add(dims=[-1, 3]), ("open_shapes",)),
    (lambda net: net.input_info.add(dims=[4, 3], dim_names=["batch", ""]), ("open_shapes",)),
    (lambda net: net.input_info.add(dims=[4], max_dims=[4]), ("open_shapes",)),
    (lambda net: net.variables.add(), ("states",)),
    (lambda net: net.variables.add().tensor.dims.append(-1), ("open_shapes", "states")),
    (lambda net: net.memory_plan.offsets.append(0), ("memory_plans",)),
    (lambda net: net.packed_weights.weights.add(), ("packed_weights",)),
])
def test_a_library_loads_its_models(tmp_path, add, parts):
    net = mace().NetDef()
    library = load(bare(tmp_path)).library
    add(net)
    assert parts_of(library, [net]) == parts
