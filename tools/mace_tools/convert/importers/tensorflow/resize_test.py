"""ResizeBicubic and ResizeNearestNeighbor beside TensorFlow: a table of weights is part of what the
one computes, and the rounding of positions of what the other does.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.testing.lazily import tf

# Small ones, one that neither grows nor shrinks, and one so large that positions are rounded.
SIZES = [((7, 9), (14, 18)), ((7, 9), (5, 4)), ((7, 9), (13, 11)), ((7, 9), (20, 33)),
         ((7, 9), (7, 9)), ((7, 9), (1, 1)), ((3, 700), (2, 997))]


@pytest.mark.parametrize("align, half", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("given, size", SIZES)
def test_resize_bicubic(tmp_path, given, size, align, half):
    x = np.random.default_rng(0).random((1, *given, 2), np.float32)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        feed = tf.compat.v1.placeholder(tf.float32, x.shape, "x")
        y = tf.raw_ops.ResizeBicubic(images=feed, size=tf.constant(size), align_corners=align,
                                     half_pixel_centers=half, name="y")
        want = session.run(y, {feed: x})
    (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    got = reference.run(load("tensorflow", tmp_path / "m.pb"), {"x": x})["y"]
    np.testing.assert_allclose(got, want, rtol=0, atol=2e-6)


# Of 14 to 2, for one, the quotient by a rounded 2 / 14 would be just below 7.
@pytest.mark.parametrize("align, half", [(False, False), (True, False), (False, True)])
def test_resize_nearest_takes_the_elements_that_tensorflow_takes(tmp_path, align, half):
    """A row of each of these sizes to each of them, in one graph."""
    sizes = [1, 2, 3, 5, 7, 12, 14, 20, 26, 28, 33, 49, 64, 82]
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        feeds = {tf.compat.v1.placeholder(tf.float32, (1, 1, n, 1), f"x{n}"): np.arange(
            n, dtype=np.float32).reshape(1, 1, n, 1) for n in sizes}
        wanted = {f"y{n}_{m}": tf.raw_ops.ResizeNearestNeighbor(
            images=x, size=tf.constant([1, m]), align_corners=align, half_pixel_centers=half,
            name=f"y{n}_{m}") for n, x in zip(sizes, feeds) for m in sizes}
        want = session.run(wanted, feeds)
    (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    got = reference.run(load("tensorflow", tmp_path / "m.pb"),
                        {x.op.name: value for x, value in feeds.items()})
    assert got.keys() == want.keys()
    assert [n for n in want if got[n].tolist() != want[n].tolist()] == []
