"""Losses, which some models have as outputs.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode


def _loss(b: Builder, n: SourceNode, log_prob: str, target: str, weight: str) -> str:
    """The negative of what `target` selects of axis 1, weighted."""
    ignored, how = n.attr("ignore_index"), n.attr("reduction", "mean")
    if how not in ("mean", "sum", "none"):
        raise Unsupported(f"reduction '{how}'", "use mean, sum or none")
    keeps = ""
    if ignored is not None:
        keeps = b.op("Compare", target, b.add_const(np.array(ignored), b.dtype(target)),
                     type="NOT_EQUAL")
        target = b.op("Select", keeps, target, b.add_const(np.array(0), b.dtype(target)))
    picked = b.op("GatherElements", log_prob, b.op("ExpandDims", target, axis=[1]), axis=1)
    loss = b.op("Unary", b.op("Squeeze", picked, axis=[1]), type="NEG")
    factor = b.op("Gather", weight, target, axis=0) if weight else ""
    if keeps:
        zero, one = (b.add_const(np.float32(v)) for v in (0, 1))
        factor = b.op("Select", keeps, factor or one, zero)
    if factor:
        loss = b.op("Eltwise", loss, factor, type="PROD")
    if how == "none":
        return loss
    if how == "sum" or not factor:
        return b.op("Reduce", loss, reduce_type=how.upper(), axis=[], keepdims=0)
    sums = [b.op("Reduce", x, reduce_type="SUM", axis=[], keepdims=0) for x in (loss, factor)]
    return b.op("Eltwise", *sums, type="DIV")


@registry.op("NegativeLogLikelihoodLoss")
def nll_loss(b: Builder, n: SourceNode) -> str:
    log_prob, target, weight = [*n.inputs, ""][:3]
    return _loss(b, n, log_prob, target, weight)


@registry.op("SoftmaxCrossEntropyLoss")
def cross_entropy(b: Builder, n: SourceNode) -> list[str]:
    scores, target, weight = [*n.inputs, ""][:3]
    log_prob = b.op("Softmax", scores, axis=1, use_log=1)
    return [_loss(b, n, log_prob, target, weight), log_prob]
