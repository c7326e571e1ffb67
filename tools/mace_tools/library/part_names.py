"""The names of the parts of a library.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

# As mace/build_defs.bzl has them.
PARTS = ("capability", "check_numerics", "control_flow", "custom_ops", "dumps", "pictures",
         "strategies", "tuning")
# The memory strategies that a library has without the part `strategies`.
STRATEGIES_OF_ALL = ("AUTO", "NAIVE", "LINEAR", "GREEDY_BY_SIZE", "PRESERVE_ALL", "offsets/AUTO",
                     "offsets/NAIVE", "offsets/LINEAR", "offsets/GREEDY_BY_SIZE")
