"""How tensors are quantized, compared; and whether a model has such tensors.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.graph.ir import Quant
from mace_tools.support import protos


def same_quant(a: Quant | None, b: Quant | None) -> bool:
    """Whether both are quantized, and alike."""
    return (a is not None and b is not None and a.axis == b.axis
            and np.array_equal(a.scale, b.scale) and np.array_equal(a.zero_point, b.zero_point))


def stands_for(array: np.ndarray, quantization: Any) -> np.ndarray:
    """The numbers for which the integers of a tensor of a NetDef stand; what is not quantized stays
    as it is."""
    if not quantization.scales or array.dtype.kind not in "iu":
        return array
    zero = quantization.zero_points[0] if quantization.zero_points else 0
    return (array.astype(np.float64) - zero) * quantization.scales[0]


def is_quantized(net: Any) -> bool:
    """Whether any computed tensor or input of a NetDef is quantized, or any weight stored so."""
    kinds = {protos.mace().DT_INT8, protos.mace().DT_UINT8}
    return (any(q.scales for op in net.op for q in op.output_quantization)
            or any(info.quantization.scales for info in net.input_info)
            or any(tensor.stored_type in kinds for tensor in net.tensors))
