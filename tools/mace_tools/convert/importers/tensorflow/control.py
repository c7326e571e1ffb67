"""If and While, whose graphs flow.py has found, and the lists of tensors that loops fill.

SPDX-License-Identifier: Apache-2.0

A list is a tensor whose axis 0 has the elements. One that is reserved has zeros for them; where the
file does not say their shape, it is the number 0, which takes the shape of the first element that
is written.
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import ints
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceGraph, SourceNode
from mace_tools.convert.importers.subgraphs import branches, loop_node
from mace_tools.convert.importers.tensorflow import registry

_FOREVER = (1 << 63) - 1
_FIXED = ("give tf.TensorArray its size and element_shape, dynamic_size=False, and "
          "infer_shape=True in the source model")

registry.without_meaning(
    "types that operands have as well, and names", "element_dtype", "shape_type", "handle_dtype",
    "tensor_array_name",
    ops=["TensorListReserve", "TensorListFromTensor", "TensorListGetItem", "TensorListSetItem",
         "TensorListStack", "TensorListGather", "TensorListLength", "TensorArrayV3",
         "TensorArrayReadV3", "TensorArrayWriteV3", "TensorArrayGatherV3", "TensorArrayScatterV3"],
)
registry.without_meaning(
    "shapes that elements have in any case", "element_shape", "element_shape_except0",
    "identical_element_shapes", "num_elements", "clear_after_read",
    ops=["TensorListStack", "TensorArrayV3", "TensorArrayReadV3", "TensorArrayGatherV3"],
)


@registry.op("If")
def if_(b: Builder, n: SourceNode) -> list[str]:
    """The branch that the condition chooses, if it is constant; else an If of the engine"""
    condition, then, other = _truth(b, n.inputs[0]), n.attr("then_branch"), n.attr("else_branch")
    value = b.const(condition)
    if value is None:
        return branches(b, n, condition, then, other)
    return b.inline(n, then if bool(value.reshape(-1)[0]) else other)


def _truth(b: Builder, x: str) -> str:
    """The condition as a bool: a number is true if it is not 0, another tensor if it has elements
    (documentation of tf.raw_ops.If)."""
    if b.dtype(x) == "bool":
        return x
    if b.rank(x) > 0:
        x = b.op("Reduce", b.op("Shape", x, output_type="i32"), reduce_type="PROD", axis=[0])
    return b.op("Compare", x, b.add_const(np.array(0), b.dtype(x)), type="NOT_EQUAL")


@registry.op("While")
def while_(b: Builder, n: SourceNode) -> list[str]:
    """A Loop of the engine, whose body ends with the condition; LSTM, GRU and RNN layers of Keras
    are found in it"""
    condition, body = n.attr("cond"), n.attr("body")

    def of(values: list[str]) -> str:
        for source, tensor in zip(condition.inputs, values):
            b.rename_input(source, tensor)
        return _truth(b, b.inline(n, condition)[0])

    def lists(i: str) -> None:
        for size, source in zip(sizes, body.inputs):
            if size and source:
                b.set_list(b.tensor_of(source), source, b.capture(size))

    sizes = [b.list_size(x) for x in n.inputs]
    whole = SourceGraph(body.nodes, body.outputs, ["", "", *body.inputs])
    made = loop_node(b, n, whole, b.add_const(np.int64(_FOREVER)), of(n.inputs), n.inputs,
                     begin=lists, end=of)
    for size, result, source in zip(sizes, made, n.outputs):
        b.set_list(result, source, size)
    return made


def _reserved(b: Builder, out: str, size: str, element: list[int] | None, dtype: str) -> str:
    """A list of so many elements, all zero. `out`: its name in the source."""
    count = ints(b, size)
    if count is None or element is None or min([*count, *element], default=0) < 0:
        zeros = b.op("Identity", b.add_const(np.zeros(1), dtype, "list"))
    else:
        zeros = b.op("Fill", b.add_const(np.array([*count, *element], np.int32), name="shape"),
                     value=0.0, dtype=dtype)
    b.set_list(zeros, out, size)
    return zeros


@registry.op("TensorListReserve")
def reserve(b: Builder, n: SourceNode) -> str:
    element = b.const(n.inputs[0])
    shape = None if element is None or element.ndim == 0 else [int(d) for d in element]
    return _reserved(b, n.outputs[0], n.inputs[1], shape, _element_type(n, "element_dtype"))


@registry.op("TensorArrayV3")
def tensor_array(b: Builder, n: SourceNode) -> list[str]:
    """Its handle stands for nothing, as every operator also reads the list"""
    if n.attr("dynamic_size", False):
        raise Unsupported("a TensorArray that grows", _FIXED)
    element = n.attr("element_shape")
    shape = None if element is None or None in element else list(element)
    return [b.add_const(np.zeros(1), "f32", "handle"),
            _reserved(b, n.outputs[-1], n.inputs[0], shape, _element_type(n, "dtype"))]


def _element_type(n: SourceNode, attr: str) -> str:
    kind = n.attr(attr)
    if kind is None or kind.engine is None:
        raise Unsupported(f"a list of {'unknown type' if kind is None else kind.name}s",
                          "cut the model around it, or keep such tensors out of loops")
    return str(kind.engine)


def _set(b: Builder, n: SourceNode, x: str, at: str, item: str) -> str:
    """The list x with another element."""
    size, shape, old = b.list_size(x), b.shape(x), x
    if size and (shape is None or None in shape or len(shape) != b.rank(item) + 1):
        whole = b.op("Concat", _vector(b, size), b.op("Shape", item, output_type="i32"), axis=0)
        old = b.op("Expand", x, whole)
    made = b.op("ScatterNd", old, b.op("Reshape", at, dim=[1, 1]),
                b.op("ExpandDims", item, axis=[0]))
    b.set_list(made, n.outputs[0], size)
    return made


def _vector(b: Builder, x: str) -> str:
    return b.op("Reshape", x, dim=[1])


@registry.op("TensorListSetItem")
def set_item(b: Builder, n: SourceNode) -> str:
    if n.attr("resize_if_index_out_of_bounds", False):
        raise Unsupported("a list that grows", _FIXED)
    return _set(b, n, *n.inputs[:3])


@registry.op("TensorArrayWriteV3")
def write(b: Builder, n: SourceNode) -> str:
    _, at, item, array = n.inputs
    return _set(b, n, array, at, item)


@registry.op("TensorListGetItem", "TensorListGather")
def get_item(b: Builder, n: SourceNode) -> str:
    return b.op("Gather", n.inputs[0], n.inputs[1], axis=0)


@registry.op("TensorArrayReadV3", "TensorArrayGatherV3")
def read(b: Builder, n: SourceNode) -> str:
    n.attr("dtype")
    return b.op("Gather", n.inputs[2], n.inputs[1], axis=0)


@registry.op("TensorListFromTensor", "TensorListStack")
def same(b: Builder, n: SourceNode) -> str:
    """The list is a tensor"""
    return b.op("Identity", n.inputs[0])


@registry.op("TensorArrayScatterV3")
def scatter_array(b: Builder, n: SourceNode) -> str:
    _, at, value, array = n.inputs
    size, places, shape = b.list_size(array), b.const(at), b.shape(value)
    count = b.const(size) if size else None
    if (places is not None and shape is not None and count is not None
            and np.array_equal(places, np.arange(int(count)))):
        made = b.op("Identity", value)  # all elements, in their order
    else:
        if size:
            rest = b.op("Shape", value, output_type="i32", start=1)
            array = b.op("Expand", array, b.op("Concat", _vector(b, size), rest, axis=0))
        made = b.op("ScatterNd", array, b.op("ExpandDims", at, axis=[1]), value)
    b.set_list(made, n.outputs[0], size)
    return made


@registry.op("TensorListLength")
def length(b: Builder, n: SourceNode) -> str:
    return _length(b, n.inputs[0])


@registry.op("TensorArraySizeV3")
def array_size(b: Builder, n: SourceNode) -> str:
    return _length(b, n.inputs[1])


def _length(b: Builder, x: str) -> str:
    if b.list_size(x):
        return b.op("Identity", b.list_size(x))
    return b.op("Squeeze", b.op("Shape", x, output_type="i32", start=0, end=1), axis=[0])
