"""Choices by a number: tf.switch_case, and lookup tables, against TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import read, translate
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.lazily import tf

X = np.float32([0.5, -2.0, 3.0])


def compare(folder, function, operands, *feeds):
    """The outputs of a function for each feed are TensorFlow's; `operands` are its specs."""
    module = tf.Module()
    module.f = tf.function(function, input_signature=operands)
    tf.saved_model.save(module, str(folder), signatures=module.f)
    model = read("tensorflow", folder)
    shapes = {name: info.shape for name, info in model.inputs.items()}
    graph = convert(translate("tensorflow", model, shapes, model.outputs))
    for feed in feeds:
        got = reference.run(graph, {n: x for n, x in zip(shapes, feed) if n in graph.inputs})
        want = module.f(*map(tf.constant, feed))
        for name in model.outputs:
            value = want[model.role(name)] if isinstance(want, dict) else want
            assert got[name].tolist() == np.asarray(value).tolist()
            assert got[name].dtype == value.dtype.as_numpy_dtype
    return graph


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_switch_case(tmp_path, count):
    def chosen(index, x):
        return tf.switch_case(index, [
            lambda k=k: {"a": x * float(k + 1) + k, "b": tf.constant(k)} for k in range(count)])

    feeds = [(np.int32(index), X) for index in (*range(count), count, -1, 77)]
    compare(tmp_path, chosen, [tf.TensorSpec([], tf.int32, "i"), tf.TensorSpec([3], tf.float32,
                                                                             "x")], *feeds)


def test_a_constant_index_leaves_its_branch(tmp_path):
    graph = compare(tmp_path, lambda x: tf.switch_case(tf.constant(1), [
        lambda: x, lambda: x * 2.0, lambda: -x]), [tf.TensorSpec([3], tf.float32, "x")], (X,))
    assert [n.op for n in graph.nodes] == ["Eltwise"]


def table(keys, values, default, *types):
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(
        *(tf.constant(v, t) for v, t in zip((keys, values), types))), default)


FAR = [3, 1 << 40, -(1 << 63), (1 << 63) - 1]


@pytest.mark.parametrize("keys, values, default, types, is_compared", [
    ([3, 5, 1, -7], [10, 20, 30, 40], -1, ("int64", "int64"), False),
    ([3, 5, 1, -7], [1.5, 2.5, 3.5, 4.5], 0.25, ("int64", "float32"), False),
    ([3, 5, 1, -7], [10, 20, 30, 40], -1, ("int32", "int32"), False),
    (FAR, [10, 20, 30, 40], -1, ("int64", "int64"), True),
    ([3, (1 << 31) - 1], [10, 20], -1, ("int32", "int32"), True),
])
def test_tables_of_numbers(tmp_path, keys, values, default, types, is_compared):
    limits = np.iinfo(types[0])
    x = np.array([3, 5, -7, 0, 4, -9, 6, 1, limits.min, limits.max, limits.max - 1, keys[1]],
                 types[0])
    graph = compare_table(tmp_path, table(keys, values, default, *types), x)
    assert ("Compare" in {n.op for n in graph.nodes}) == is_compared


def compare_table(folder, held, x):
    module = tf.Module()
    module.table = held
    module.f = tf.function(lambda x: module.table.lookup(x),
                           input_signature=[tf.TensorSpec(x.shape, x.dtype, "x")])
    tf.saved_model.save(module, str(folder), signatures=module.f)
    model = read("tensorflow", folder)
    (name,), (out,) = model.inputs, model.outputs
    graph = convert(translate("tensorflow", model, {name: x.shape}, [out]))
    got, want = reference.run(graph, {name: x})[out], np.asarray(module.f(x))
    assert got.tolist() == want.tolist() and got.dtype == want.dtype
    return graph


def test_tables_of_texts_are_refused(tmp_path):
    with pytest.raises(UnsupportedOps, match="a table of texts.*\n.*look up in the app"):
        compare_table(tmp_path, table([3], ["a"], "", "int64", "string"), np.int64([3]))


def test_counts_between_bounds(tmp_path):
    """tf.math.bincount computes the number of bins, and clamps it to one that is known."""
    x = np.int32([[0, 3, 3, 1], [6, 5, 5, 5]])
    compare(tmp_path, lambda x: tf.math.bincount(x, minlength=7, maxlength=7, axis=-1),
            [tf.TensorSpec([2, 4], tf.int32, "x")], (x,))
