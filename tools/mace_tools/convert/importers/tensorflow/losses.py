"""Losses, which models for inference keep now and then.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry


@registry.op("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(b: Builder, n: SourceNode) -> list[str]:
    """The loss of each row, and its gradient by the features: softmax less the labels"""
    features, labels = n.inputs[:2]
    logs, zero = b.op("Softmax", features, axis=-1, use_log=1), b.add_const(
        np.array(0), b.dtype(features), "zero")
    if n.op.startswith("Sparse"):
        classes = b.extents(features)[-1]
        if classes is None:
            raise Unsupported("the number of classes is not known", "give input_shapes")
        numbers = b.add_const(np.arange(classes), b.dtype(labels), "classes")
        own = b.op("Compare", b.op("ExpandDims", labels, axis=[-1]), numbers, type="EQUAL")
        chosen, labels = b.op("Select", own, logs, zero), b.op("Cast", own, to=b.dtype(features))
    else:  # 0 times the logarithm of 0 is 0
        chosen = b.op("Select", b.op("Compare", labels, zero, type="EQUAL"), zero,
                      b.op("Eltwise", labels, logs, type="PROD"))
    loss = b.op("Unary", b.op("Reduce", chosen, reduce_type="SUM", axis=[-1]), type="NEG")
    gradient = b.op("Eltwise", b.op("Softmax", features, axis=-1), labels, type="SUB")
    return [loss, gradient]
