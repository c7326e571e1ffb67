"""The components of a library that a deployment file and its models ask for.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Iterable
from typing import Any

from mace_tools.config.component_names import NAMES, STRATEGIES_OF_ALL, listed
from mace_tools.config.schema import Library

# Widths of windows with kernels for depthwise convolutions that only some models need. Those of
# width 3 are in every library with such convolutions.
DEPTHWISE_WIDTHS = (1, 2, 5, 7)
# Of a convolution by matrix products that Strassen's method may compute: what its output channels
# are a multiple of, and the least input channels times taps (mace/cpu/conv/conv_plan.cc). Where
# there are fewer, its sums cost more than the multiplications that it saves, on any CPU.
STRASSEN_CHANNELS = 32
STRASSEN_DEPTH = 48
# What a convolution may need whose filter the model computes.
CONVOLUTION_KERNELS = frozenset(("depthwise", "strassen", "winograd"))
# Activations with which every kernel ends by itself.
CLAMPS = (b"", b"NOOP", b"RELU", b"RELUX")
# Ops with other activations, even where a model names none.
RECURRENT = ("Gru", "Lstm", "Rnn")

def components_of(library: Library, nets: Iterable[Any] = ()) -> tuple[str, ...]:
    """Those of NAMES that the file lists, and that its other keys and its converted models need."""
    asked = library.asked_components
    if asked is None or "all" in asked:
        return listed(asked or ("all",))
    needed = set(listed(asked))
    models = library.models.values()
    # The factory of models that are compiled in is written for both languages.
    if library.graph_format == "code" or library.cxx == "none":
        needed.add("interfaces")
    if library.target_socs or any(model.tuning_ms for model in models):
        needed.add("interfaces")
    strategies = {model.settings.get("memory_strategy", "AUTO") for model in models}
    if not strategies <= set(STRATEGIES_OF_ALL):
        needed.add("memory_tools")
    if any(model.settings.get("winograd") for model in models):
        needed.add("winograd")
    for net in nets:
        needed |= kernels(net) | of_file(net)
    return tuple(name for name in NAMES if name in needed)


def of_file(net: Any) -> set[str]:
    """Those without which a library refuses the file of a converted model."""
    sources = [*net.input_info, *(variable.tensor for variable in net.variables)]
    is_dynamic = len(net.variables) > 0 or any(
        -1 in info.dims or info.dim_names or info.max_dims for info in sources)
    has_plan = net.HasField("memory_plan") or net.HasField("packed_weights")
    found = {"dynamic": is_dynamic, "memory_tools": has_plan}
    return {name for name, needed in found.items() if needed}


def kernels(net: Any) -> set[str]:
    """Those of KERNELS that a converted model uses."""
    filters = {tensor.name: tuple(tensor.dims) for tensor in net.tensors}
    found: set[str] = set()
    for op in [*net.op, *(op for subgraph in net.subgraphs for op in subgraph.op)]:
        if op.type in RECURRENT or any(arg.name.endswith("activation") and arg.s not in CLAMPS
                                       for arg in op.arg):  # fmt: skip
            found.add("activations")
        if op.type in ("Conv2d", "Deconv2d", "DepthwiseConv2d"):
            found |= _of_filter(op, filters.get(op.input[1]))
    return found


def _of_filter(op: Any, shape: tuple[int, ...] | None) -> set[str]:
    """Those of a convolution of any kind; without a shape, the model computes its filter."""
    if shape is None:
        return set(CONVOLUTION_KERNELS)
    window = shape[2:]
    if op.type == "Deconv2d":
        # One of groups may run as depthwise convolutions, whose windows follow from its stride.
        in_groups = shape[:2] == (1, 1) or any(a.name == "group" and a.i > 1 for a in op.arg)
        return {"depthwise"} if in_groups else set()
    if op.type == "DepthwiseConv2d":
        return {"depthwise"} if window[-1] in DEPTHWISE_WIDTHS else set()
    return _of_convolution(op, shape)


def _of_convolution(op: Any, shape: tuple[int, ...]) -> set[str]:
    """Those of a Conv2d with this filter."""
    channels, depth = shape[0], math.prod(shape[1:])
    found = set()
    if shape[2:] == (3, 3) and all(s == 1 for arg in op.arg if arg.name == "strides"
                                   for s in arg.ints):  # fmt: skip
        found.add("winograd")
    in_groups = any(arg.name == "group" and arg.i > 1 for arg in op.arg)
    if (not in_groups and channels % STRASSEN_CHANNELS == 0 and depth % 2 == 0
            and depth >= STRASSEN_DEPTH):
        found.add("strassen")
    return found
