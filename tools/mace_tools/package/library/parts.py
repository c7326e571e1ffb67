"""What a library can do without, as mace/base/parts.h has it, and what a deployment file asks for.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any

from mace_tools.config.part_names import ALL, PARTS, STRATEGIES_OF_ALL
from mace_tools.config.schema import Library

# Widths of windows of which the kernels for depthwise convolutions are a part of their own. Those
# of width 3 are in every library with such convolutions.
DEPTHWISE_WIDTHS = (1, 2, 5, 7)
# Of a convolution by matrix products that Strassen's method may compute: what its output channels
# are a multiple of, and the least input channels times taps (mace/cpu/conv/conv_plan.cc). Where
# there are fewer, its sums cost more than the multiplications that it saves, on any CPU.
STRASSEN_CHANNELS = 32
STRASSEN_DEPTH = 48
# What a convolution may need whose filter the model computes.
CONVOLUTION_PARTS = frozenset(("depthwise", "strassen", "winograd"))
# Activations with which every kernel ends by itself.
CLAMPS = (b"", b"NOOP", b"RELU", b"RELUX")
# Ops with other activations, even where a model names none.
RECURRENT = ("Gru", "Lstm", "Rnn")
L2 = 3  # a pooling_type (mace/ops/pooling.h)


def parts_of(library: Library, nets: Iterable[Any] = ()) -> tuple[str, ...]:
    """Those that the file lists, and those that its other keys and its converted models need."""
    asked = library.parts
    if asked is None or "all" in asked:
        return listed(asked or ("all",))
    needed = set(asked)
    models = library.models.values()
    if library.graph_format == "code":  # its factory is written for both languages
        needed.add("c_api")
    if library.target_socs or any(model.tuning_ms for model in models):
        needed.add("tuning")
    strategies = {model.settings.get("memory_strategy", "AUTO") for model in models}
    if not strategies <= set(STRATEGIES_OF_ALL):
        needed.add("strategies")
    if any(model.settings.get("winograd") for model in models):
        needed.add("winograd")
    for net in nets:
        needed |= kernel_parts(net) | file_parts(net)
    return tuple(part for part in PARTS if part in needed)


def file_parts(net: Any) -> set[str]:
    """Those without which a library refuses the file of a converted model."""
    sources = [*net.input_info, *(variable.tensor for variable in net.variables)]
    is_open = any(-1 in info.dims or info.dim_names or info.max_dims for info in sources)
    found = {"open_shapes": is_open, "states": len(net.variables) > 0,
             "memory_plans": net.HasField("memory_plan"),
             "packed_weights": net.HasField("packed_weights")}
    return {part for part, needed in found.items() if needed}


def listed(words: Collection[str]) -> tuple[str, ...]:
    """Those of a list of names, in which `all` stands for every part but NAMED_PARTS."""
    return tuple(part for part in PARTS if part in words or ("all" in words and part in ALL))


def kernel_parts(net: Any) -> set[str]:
    """The faster kernels that a converted model uses."""
    filters = {tensor.name: tuple(tensor.dims) for tensor in net.tensors}
    found: set[str] = set()
    for op in [*net.op, *(op for subgraph in net.subgraphs for op in subgraph.op)]:
        if op.type in RECURRENT or any(arg.name.endswith("activation") and arg.s not in CLAMPS
                                       for arg in op.arg):  # fmt: skip
            found.add("activations")
        if op.type == "Pooling":
            found |= {"l2_pooling" for arg in op.arg if arg.name == "pooling_type" and arg.i == L2}
        elif op.type in ("Conv2d", "Deconv2d", "DepthwiseConv2d"):
            found |= _of_filter(op, filters.get(op.input[1]))
    return found


def _of_filter(op: Any, shape: tuple[int, ...] | None) -> set[str]:
    """Those of a convolution of any kind; without a shape, the model computes its filter."""
    if shape is None:
        return set(CONVOLUTION_PARTS)
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
