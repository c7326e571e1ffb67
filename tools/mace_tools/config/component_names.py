"""The names of the components of a library, and of kernels that only some models need.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Collection, Mapping

# As mace/build_defs.bzl has them.
COMPONENTS = ("diagnostics", "dynamic", "encryption", "interfaces", "language", "memory_tools")
# Those that a library has only where its file names them.
NAMED = ("encryption", "language")
# Kernels that a library has where its models use them.
KERNELS = ("activations", "depthwise", "strassen", "winograd")
NAMES = (*COMPONENTS, *KERNELS)
ALL = tuple(name for name in NAMES if name not in NAMED)  # what `all` stands for
# Former names, by the component that contains what they stood for. The kernels without one are in
# every library with their ops.
FORMER: Mapping[str, str | None] = {
    "arena": "memory_tools", "c_api": "interfaces",
    "capability": "diagnostics", "check_numerics": "diagnostics", "control_flow": "dynamic",
    "custom_ops": "interfaces", "dumps": "diagnostics", "l2_pooling": None,
    "memory_plans": "memory_tools", "memory_usage": "memory_tools", "open_shapes": "dynamic",
    "packed_weights": "memory_tools", "pictures": "interfaces", "profile": "diagnostics",
    "sealed": "encryption", "search": "memory_tools", "states": "dynamic",
    "storage": "interfaces", "strategies": "memory_tools", "tuning": "interfaces",
}  # fmt: skip
# The memory strategies that a library has without the component `memory_tools`.
STRATEGIES_OF_ALL = ("AUTO", "NAIVE", "LINEAR", "GREEDY_BY_SIZE", "PRESERVE_ALL", "offsets/AUTO",
                     "offsets/NAIVE", "offsets/LINEAR", "offsets/GREEDY_BY_SIZE")


def listed(words: Collection[str]) -> tuple[str, ...]:
    """Those of NAMES that a list stands for, in which `all` means ALL."""
    chosen = {FORMER.get(word, word) for word in words}
    return tuple(name for name in NAMES if name in chosen or ("all" in chosen and name in ALL))
