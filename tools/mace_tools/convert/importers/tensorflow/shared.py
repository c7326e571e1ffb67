"""Operators that mean the same in TFLite.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.tensorflow import READERS, TRANSFORMS, registry
from mace_tools.convert.importers.tf_shared import SEGMENTS, TENSORFLOW

for name, function in TENSORFLOW.items():
    registry.op(name)(function)

registry.without_meaning("element types of operands, which these have as well", "Treal",
                         "Tcomplex", ops=[f"{t}.{r}" for t in TRANSFORMS for r in READERS])
registry.without_meaning("element types of operands, which these have as well", "Tnumsegments",
                         ops=SEGMENTS)
