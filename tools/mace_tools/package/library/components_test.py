"""Which components a deployment file asks for, and that all lists of them agree.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

import pytest

from mace_tools.cli.parser import parse
from mace_tools.commands import java
from mace_tools.config.component_names import ALL, COMPONENTS, FORMER, KERNELS, NAMES
from mace_tools.config.load import load
from mace_tools.config.problems import ConfigError
from mace_tools.package.library.components import CONVOLUTION_KERNELS, components_of, kernels
from mace_tools.support.protos import REPO, mace
from mace_tools.testing.needed import need_tools

CMAKE = REPO / "tools" / "mace_tools" / "package" / "source" / "cmake" / "mace_functions.cmake"
DIGITS = REPO / "models" / "digits" / "digits_onnx.yml"


def bare(tmp_path):
    """The path of a deployment file of a library without components."""
    path = tmp_path / "bare.yml"
    path.write_text(DIGITS.read_text().replace("library_name:", "components: none\nlibrary_name:")
                    .replace("models/digits/", f"{DIGITS.parent}/"))
    return path


def listed_in(tmp_path, keys="", model_keys=""):
    text = DIGITS.read_text().replace("library_name: digits_onnx", f"library_name: lib\n{keys}")
    text = text.replace("    runtime: cpu", f"    runtime: cpu\n{model_keys}")
    if "build_type" in keys:
        text = text.replace("build_type: proto\n", "")
    path = tmp_path / "lib.yml"
    path.write_text(text.replace("models/digits/", f"{DIGITS.parent}/"))
    return components_of(load(path).library)


@pytest.mark.parametrize("keys, model_keys, components", [
    ("", "", ALL),
    ("components: all\n", "", ALL),
    ("components: [all, encryption, language]\n", "", NAMES),
    ("components: [encryption]\n", "", ("encryption",)),
    ("components: none\n", "", ()),
    ("components: [memory_tools, diagnostics]\n", "", ("diagnostics", "memory_tools")),
    # what other keys need
    ("components: none\ntarget_socs: [host]\n", "", ("interfaces",)),
    ("components: none\n", "    tuning_ms: 5\n", ("interfaces",)),
    ("components: none\n", "    memory_strategy: SKYLINE\n", ("memory_tools",)),
    ("components: [dynamic]\n", "    memory_strategy: GREEDY_BY_SIZE\n", ("dynamic",)),
    ("components: none\n", "    winograd: 4\n", ("winograd",)),
    ("components: none\n", "    winograd: 0\n", ()),
    ("components: none\nbuild_type: code\n", "", ("interfaces",)),
    # the former name of the key
    ("parts: [all, sealed, language]\n", "", NAMES),
    ("parts: none\n", "", ()),
    ("parts: [tuning, dumps]\n", "", ("diagnostics", "interfaces")),
])
def test_a_library_has_the_components_that_its_file_needs(tmp_path, keys, model_keys, components):
    assert listed_in(tmp_path, keys, model_keys) == components


# What they were before there were components, with what they do in docs/library.md.
BEFORE = {
    "diagnostics": ("dumps", "profile", "check_numerics", "capability"),
    "dynamic": ("open_shapes", "states", "control_flow"),
    "interfaces": ("c_api", "pictures", "custom_ops", "tuning", "storage"),
    "memory_tools": ("search", "strategies", "memory_plans", "packed_weights", "arena",
                     "memory_usage"),
    "encryption": ("sealed",),
}


@pytest.mark.parametrize("component, former", [
    (component, name) for component, names in BEFORE.items() for name in names])
@pytest.mark.parametrize("key", ["components", "parts"])
def test_a_former_name_selects_the_component_that_contains_it(tmp_path, key, component, former):
    assert listed_in(tmp_path, f"{key}: [{former}]\n") == (component,)


def test_the_former_name_of_kernels_that_follow_from_ops_adds_nothing(tmp_path):
    assert listed_in(tmp_path, "parts: [l2_pooling]\n") == ()


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_can_be_named_for_models_that_come_later(tmp_path, kernel):
    assert listed_in(tmp_path, f"parts: [{kernel}]\n") == (kernel,)


@pytest.mark.parametrize("option", ["--components", "--parts"])
def test_the_option_of_java_has_both_names(option):
    having = java._components(parse(["java", f"{option}=all,sealed,language"]).components)
    assert having == NAMES


def test_each_of_the_24_former_names_is_known():
    assert len({*FORMER, *KERNELS}) == 24
    assert sum(len(names) for names in BEFORE.values()) + 1 + len(KERNELS) == 24


def absent_in_cmake(folder, **variables):
    """The components that CMake leaves out, or its error."""
    script = folder / "select.cmake"
    script.write_text(f"cmake_minimum_required(VERSION 3.16)\ninclude({CMAKE})\n"
                      'mace_select_components()\nmessage("${MACE_ABSENT}")\n')
    done = subprocess.run(["cmake", *(f"-D{name}={value}" for name, value in variables.items()),
                           "-P", script], capture_output=True, text=True, check=False)
    text = " ".join(done.stderr.split())
    return set(text.split(";")) if done.returncode == 0 else text


@pytest.mark.parametrize("former, component", FORMER.items())
def test_cmake_knows_the_former_names(tmp_path, former, component):
    need_tools("cmake")
    expected = {name for name in NAMES if name != component}
    assert absent_in_cmake(tmp_path, MACE_COMPONENTS="all", MACE_PARTS=former) == expected
    assert absent_in_cmake(tmp_path, MACE_COMPONENTS=component or "none") == expected


@pytest.mark.parametrize("variables, expected", [
    ({"MACE_COMPONENTS": "all"}, {"encryption", "language"}),
    ({"MACE_COMPONENTS": "all,encryption"}, {"language"}),
    ({"MACE_COMPONENTS": "all", "MACE_PARTS": "all,sealed"}, {"language"}),
    ({"MACE_COMPONENTS": ""}, "MACE_COMPONENTS is empty: name components, or write all or none"),
    ({"MACE_COMPONENTS": "memory"}, "there is no component 'memory'; there is diagnostics, "),
    ({"MACE_COMPONENTS": "none", "MACE_PARTS": "none"}, "MACE_PARTS is another name of"),
])
def test_lists_of_components_in_cmake(tmp_path, variables, expected):
    need_tools("cmake")
    found = absent_in_cmake(tmp_path, **variables)
    assert expected in found if isinstance(expected, str) else found == expected


def test_both_names_of_the_key_are_too_many(tmp_path):
    with pytest.raises(ConfigError, match="parts: is another name of `components`"):
        listed_in(tmp_path, "components: all\nparts: all\n")


def test_bazel_cmake_the_header_and_the_page_have_the_same_components():
    bazel = (REPO / "mace" / "build_defs.bzl").read_text()
    for name, names in (("COMPONENTS", COMPONENTS), ("KERNELS", KERNELS)):
        assert f"{name} = {list(names)}".replace("'", '"') in bazel
    cmake = CMAKE.read_text()
    assert f"set(_mace_names {' '.join(NAMES)})" in cmake
    page = (REPO / "docs" / "library.md").read_text()
    for name in NAMES:
        assert f"| `{name}` |" in page
    for former, component in FORMER.items():
        value = component or '""'
        assert f"set(_mace_former_{former} {value})" in cmake
        row = next((r for r in page.splitlines() if r.startswith(f"| `{component}` |")), page)
        assert f"`{former}`" in row


@pytest.mark.parametrize("op, window, strides, needed", [
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
    ("Deconv2d", None, (2, 2), set(CONVOLUTION_KERNELS)),
    ("Conv2d", None, (1, 1), set(CONVOLUTION_KERNELS)),
    ("Pooling", (3, 3), (1, 1), set()),
])
def test_a_library_has_the_kernels_that_its_models_need(op, window, strides, needed):
    net = mace().NetDef()
    node = net.op.add(type=op, input=["x", "filter"])
    node.arg.add(name="strides", ints=strides)
    if window is not None:
        net.tensors.add(name="filter", dims=[8, 8, *window])
    assert kernels(net) == needed


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
    assert kernels(net) == ({"strassen"} if needs else set())


@pytest.mark.parametrize("channels, group", [((8, 1), 8), ((8, 2), 4), ((1, 1), 1)])
def test_transposed_convolutions_of_groups_need_depthwise_kernels(channels, group):
    net = mace().NetDef()
    node = net.op.add(type="Deconv2d", input=["x", "filter"])
    node.arg.add(name="group", i=group)
    net.tensors.add(name="filter", dims=[*channels, 3, 3])
    assert kernels(net) == {"depthwise"}


@pytest.mark.parametrize("op, args, needs", [
    ("Conv2d", {"activation": b"SWISH"}, True),
    ("Conv2d", {"activation": b"RELUX"}, False),
    ("Eltwise", {}, False),
    ("Activation", {"activation": b"RELU"}, False),
    ("Activation", {"activation": b"TANH"}, True),
    ("Lstm", {}, True),
    ("Rnn", {"cell_activation": b"RELU"}, True),
])
def test_activations_that_no_clamp_computes_need_kernels(op, args, needs):
    net = mace().NetDef()
    net.tensors.add(name="filter", dims=[8, 8, 1, 1])
    for place in (net.op, net.subgraphs.add(name="body").op):
        del net.op[:]
        node = place.add(type=op, input=["x", "filter"])
        for name, value in args.items():
            node.arg.add(name=name, s=value)
        assert kernels(net) == ({"activations"} if needs else set())


@pytest.mark.parametrize("add, components", [
    (lambda net: None, ()),
    (lambda net: net.input_info.add(dims=[1, 3]), ()),
    (lambda net: net.input_info.add(dims=[-1, 3]), ("dynamic",)),
    (lambda net: net.input_info.add(dims=[4, 3], dim_names=["batch", ""]), ("dynamic",)),
    (lambda net: net.input_info.add(dims=[4], max_dims=[4]), ("dynamic",)),
    (lambda net: net.variables.add(), ("dynamic",)),
    (lambda net: net.variables.add().tensor.dims.append(-1), ("dynamic",)),
    (lambda net: net.memory_plan.offsets.append(0), ("memory_tools",)),
    (lambda net: net.packed_weights.weights.add(), ("memory_tools",)),
])
def test_a_library_loads_its_models(tmp_path, add, components):
    net = mace().NetDef()
    library = load(bare(tmp_path)).library
    add(net)
    assert components_of(library, [net]) == components
