"""Partitioned variables of SavedModels, against TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load, read
from mace_tools.convert.importers.tensorflow import slices
from mace_tools.convert.importers.tensorflow.saved_model_test import changed
from mace_tools.support.errors import ModelError
from mace_tools.testing.lazily import tf, tf1

X = np.random.default_rng(4).uniform(-1, 1, (2, 9)).astype(np.float32)


@pytest.fixture(params=[False, True], ids=["reference", "resource"])
def saved(request, tmp_path):
    """x v + sum(w), of which v has three parts and w, whose extents need several bytes, four."""
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [None, 9], "x")
        with tf1.variable_scope("net", use_resource=request.param):
            v = tf1.get_variable("v", [9, 4], partitioner=tf1.fixed_size_partitioner(3))
            w = tf1.get_variable("w", [3, 20000],
                                 partitioner=tf1.fixed_size_partitioner(4, axis=1))
            b = tf1.get_variable("b", [4])
        total = tf.reduce_sum(tf.convert_to_tensor(w)) + b
        y = tf.add(x @ tf.convert_to_tensor(v), total, "y")
        session.run(tf1.global_variables_initializer())
        tf1.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": y})
        return tmp_path / "m", session.run(y, {x: X})


def test_values_are_tensorflows(saved):
    folder, want = saved
    got = reference.run(load("tensorflow", folder, {"x": X.shape}), {"x": X})["y"]
    np.testing.assert_allclose(got, want, 1e-4, 1e-4)


def restore(folder, change):
    """Edits the texts that say which parts the graph restores."""
    def edit(meta):
        for node in meta.graph_def.node:
            if node.name.endswith("RestoreV2/shape_and_slices"):
                texts = node.attr["value"].tensor.string_val
                texts[:] = [change(text) for text in texts]
    return changed(folder, edit)


@pytest.mark.parametrize("old, new, message", [
    (b"9 4 0,3", b"9 4 7,3", "part outside of the shape"),
    (b"9 4 0,3", b"8 4 0,3", r"states the shape \[8, 4\], the checkpoint has \[9, 4\]"),
    (b"9 4 0,3", b"9 0,3", "has 1 extents and 2 parts"),
    (b"9 4 0,3", b"9 4 0;3", "part of 'net/v'"),
])
def test_parts_that_are_not_there(saved, old, new, message):
    with pytest.raises(ModelError, match=f"variables.index: the graph restores .*{message}"):
        read("tensorflow", restore(saved[0], lambda text: text.replace(old, new)))


def test_parts_that_the_checkpoint_lacks(saved, monkeypatch):
    monkeypatch.setattr(slices, "key_of", lambda name, extents: b"\0nothing")
    with pytest.raises(ModelError, match=r"stored in parts, which do not fit: the part \[\(0, "):
        read("tensorflow", saved[0])


def test_keys_sort_as_what_they_say():
    numbers = [*range(-70, 70), -2**40, -9000, 127, 128, 8191, 8192, 2**31, 2**55, 2**62]
    keys = [slices.key_of("v", [(0, n)]) for n in sorted(numbers)]
    assert keys == sorted(keys) and len(set(keys)) == len(set(numbers))
    assert slices.key_of("v", [(0, -1)]) == b"\x00v\x00\x01\x01\x01\x80\x7f"
