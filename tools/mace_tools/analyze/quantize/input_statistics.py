"""Mean and covariance of what a layer multiplies its weights by, over all samples.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.graph.ir import Node

MAX_TAPS = 2560  # a larger covariance would take too long
_MAX_ROWS = 1024  # positions of a sample that are looked at


class Moments:
    """Of `groups` groups of `taps` operands each: the inputs of a filter's window, in the order of
    the weights."""

    def __init__(self, node: Node, w_shape: tuple[int, ...]) -> None:
        self.node, self.w_shape = node, w_shape
        self.count = 0
        if node.op == "FullyConnected":
            self.groups, self.taps = 1, w_shape[1]
        elif node.op == "DepthwiseConv2d":
            self.groups, self.taps = w_shape[1], w_shape[2] * w_shape[3]
        else:
            self.groups = int(node.attr("group"))
            self.taps = w_shape[1] * w_shape[2] * w_shape[3]
        self._sum = np.zeros((self.groups, self.taps))
        self._products: np.ndarray | None = None

    def add(self, x: np.ndarray) -> None:
        """Of a sample. One that fits no window adds nothing."""
        rows = self._rows(x)
        if rows is None or not len(rows):
            return
        per_group = np.ascontiguousarray(rows.transpose(1, 0, 2)).astype(np.float32)
        products = (per_group.transpose(0, 2, 1) @ per_group).astype(np.float64)
        self._products = products if self._products is None else self._products + products
        self._sum += per_group.sum(1, dtype=np.float64)
        self.count += len(rows)

    def mean(self) -> np.ndarray | None:
        return self._sum / self.count if self.count else None

    def covariance(self) -> np.ndarray | None:
        """[groups, taps, taps]."""
        if self._products is None:
            return None
        mean = self._sum / self.count
        return self._products / self.count - mean[:, :, None] * mean[:, None, :]

    def second(self) -> np.ndarray | None:
        """The mean of products of operands, [groups, taps, taps]."""
        return None if self._products is None else self._products / self.count

    def _rows(self, x: np.ndarray) -> np.ndarray | None:
        """[rows, groups, taps]: windows that lie inside the image."""
        if self.node.op == "FullyConnected":
            return x.reshape(-1, 1, self.taps) if x.size % self.taps == 0 else None
        height, width = self.w_shape[2:]
        (down, right), dilations = self.node.attr("strides"), self.node.attr("dilations")
        tall, wide = (height - 1) * dilations[0] + 1, (width - 1) * dilations[1] + 1
        if x.ndim != 4 or x.shape[1] < tall or x.shape[2] < wide:
            return None
        views = np.lib.stride_tricks.sliding_window_view(x, (tall, wide), (1, 2))
        views = views[:, ::down, ::right, :, ::dilations[0], ::dilations[1]]
        n, h, w, channels = views.shape[:4]
        places = np.arange(0, n * h * w, max(1, -(-n * h * w // _MAX_ROWS)))
        image, row, column = np.unravel_index(places, (n, h, w))
        found = views[image, row, column]  # [rows, C, kh, kw]
        return found.reshape(len(found), self.groups, channels // self.groups * height * width)
