"""The names of the parts of a library.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

# As mace/build_defs.bzl has them.
PARTS = ("activations", "arena", "c_api", "capability", "check_numerics", "control_flow",
         "custom_ops", "depthwise", "dumps", "l2_pooling", "memory_plans", "memory_usage",
         "open_shapes", "packed_weights", "pictures", "profile", "sealed", "search", "states",
         "storage", "strassen", "strategies", "tuning", "winograd")  # fmt: skip
# Those that a library has only where its file names them.
NAMED_PARTS = ("sealed",)
ALL = tuple(part for part in PARTS if part not in NAMED_PARTS)  # what `all` stands for
# Those that are faster kernels, which a library has where its models use them.
KERNEL_PARTS = ("activations", "depthwise", "l2_pooling", "strassen", "winograd")
# Those without which nothing fails that an app calls.
QUIET_PARTS = ("c_api", "search", *KERNEL_PARTS)
# The memory strategies that a library has without the part `strategies`.
STRATEGIES_OF_ALL = ("AUTO", "NAIVE", "LINEAR", "GREEDY_BY_SIZE", "PRESERVE_ALL", "offsets/AUTO",
                     "offsets/NAIVE", "offsets/LINEAR", "offsets/GREEDY_BY_SIZE")
