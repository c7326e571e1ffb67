"""Transposed convolutions in NumPy, against the convolutions whose gradients they are.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.ops.common.windows import EXPLICIT, FULL, SAME, SAME_LOWER, VALID
from mace_tools.convert.reference import evaluate
from mace_tools.graph.ir import Node


def run(op, *operands, **attrs):
    return evaluate(Node("n", op, [f"i{k}" for k in range(len(operands))], ["y"], attrs),
                    operands)[0]


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("padding", [VALID, SAME, FULL, SAME_LOWER, EXPLICIT])
def test_a_transposed_convolution_is_the_gradient_of_a_convolution(padding, stride, dilation):
    """sum(conv(y) * x) equals sum(y * deconv(x)) for all x and y."""
    rng = np.random.default_rng(padding * 10 + stride)
    y, w = rng.normal(size=(1, 12, 11, 2)), rng.normal(size=(3, 2, 3, 2))
    attrs = {"strides": [stride] * 2, "dilations": [dilation, 1], "padding": padding,
             "padding_values": [1, 0, 2, 1] if padding == EXPLICIT else []}
    forward = run("Conv2d", y, w, **attrs)
    x = rng.normal(size=forward.shape)
    back = run("Deconv2d", x, w.transpose(1, 0, 2, 3), output_shape=[12, 11], **attrs)
    assert back.shape == y.shape
    np.testing.assert_allclose(np.sum(forward * x), np.sum(y * back), rtol=1e-9)


@pytest.mark.parametrize("padding, extents", [
    (VALID, (11, 8)), (SAME, (8, 6)), (FULL, (5, 6)), (EXPLICIT, (8, 8))])
def test_extents_without_an_output_shape(padding, extents):
    """As mace/ops/common/window.h says: (in - 1) * stride + extent - pads + output_padding."""
    values = [1, 0, 2, 0] if padding == EXPLICIT else []
    y = run("Deconv2d", np.ones((1, 4, 3, 1)), np.ones((1, 1, 4, 2)), strides=[2, 2],
            padding=padding, padding_values=values, output_padding=[1, 2])
    assert y.shape == (1, *extents, 1)
