"""Matrix products.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.einsum import einsum
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.source import SourceNode

registry.op("Einsum")(einsum)


@registry.op("MatMul")
def matmul(b: Builder, n: SourceNode) -> str:
    return b.op("MatMul", *n.inputs)


@registry.op("Gemm")
def gemm(b: Builder, n: SourceNode) -> str:
    """alpha * A' * B' + beta * C; passes turn it into a FullyConnected if B is constant."""
    y = b.op("MatMul", *n.inputs[:2], transpose_a=n.flag("transA", 0),
             transpose_b=n.flag("transB", 0))
    alpha, beta = n.attr("alpha", 1.0), n.attr("beta", 1.0)
    if alpha != 1:
        y = b.op("Eltwise", y, b.add_const(np.float32(alpha)), type="PROD")
    if len(n.inputs) < 3 or not n.inputs[2] or beta == 0:
        return y
    c = n.inputs[2]
    if beta != 1:
        c = b.op("Eltwise", c, b.add_const(np.float32(beta)), type="PROD")
    return b.op("Eltwise", y, c, type="SUM")
