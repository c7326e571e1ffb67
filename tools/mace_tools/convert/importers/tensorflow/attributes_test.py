"""An attribute that an importer function does not ask for makes it refuse the node; every operator.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.importers import load
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.attributes import OPERAND_TYPES
from mace_tools.convert.importers.tensorflow.operators_test import (
    BINARY,
    IMG,
    OTHERS,
    UNARY,
    X,
    i32,
)
from mace_tools.convert.importers.tensorflow.quantized_tensors import READERS
from mace_tools.convert.importers.tensorflow.saved_model import PROTO
from mace_tools.convert.importers.tensorflow.tensorflow_test import FLOAT, Maker
from mace_tools.support import protos
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing import tensorflow_cases

F3 = [np.float32([1, 2, 3])] * 4
WINDOW = {"strides": [1, 1, 1, 1], "padding": "VALID"}
H = np.float32([0])  # a handle
BLOCK = np.concatenate([IMG] * 2)
# Operator: the operands, of which the first is fed, and attributes. Other operators have their
# first case of the grid.
CASES: dict[str, tuple[list[np.ndarray], dict]] = {
    **{op: ([x], {}) for op, x, _ in UNARY}, **{op: ([x, y], {}) for op, x, y, _ in BINARY},
    **{op: ([x, *more], attrs) for op, x, more, attrs, _ in OTHERS},
    **{op: ([X, X], {}) for op in ("Add", "AddV2", "Mul", "Div")},
    **{op: ([X], {}) for op in (
        "CheckNumerics", "EnsureShape", "Erf", "Identity", "IdentityN", "IsInf", "Snapshot",
        "PlaceholderWithDefault", "PreventGradient", "ReadVariableOp", "Shape", "ShapeN")},
    **{op: ([X, i32(1)], {}) for op in ("ArgMax", "Max", "Min", "Mean", "Prod")},
    **{op: ([np.stack([X, X]), np.stack([X, X])], {"adj_y": True})
       for op in ("BatchMatMulV2", "BatchMatMulV3")},
    **{op: ([X > 0, X, X], {}) for op in ("Select", "SelectV2")},
    **{op: ([IMG, *F3], {"is_training": False}) for op in ("FusedBatchNormV2", "FusedBatchNormV3")},
    **{op: ([X, np.float32([1, 2, 3, 4])], {}) for op in ("BiasAdd", "BiasAddV1")},
    "Pack": ([X, X], {"axis": 0, "N": 2}), "Stack": ([X, X], {"axis": 0}),
    "BatchNormWithGlobalNormalization": ([IMG, *F3], {"scale_after_normalization": True}),
    "BatchToSpace": ([np.concatenate([BLOCK] * 2), i32(0, 0, 0, 0).reshape(2, 2)],
                     {"block_size": 2}),
    "Cast": ([X], {"DstT": 3}), "Concat": ([i32(0)[0], X, X], {}),
    "ConcatV2": ([X, X, np.int32(0)], {}), "LogicalNot": ([X > 0], {}),
    "Conv2D": ([IMG, np.ones((2, 2, 3, 1), np.float32)], WINDOW),
    "DepthwiseConv2dNative": ([IMG, np.ones((2, 2, 3, 1), np.float32)], WINDOW),
    "Conv2DBackpropInput": ([i32(2, 5, 5, 1), np.ones((2, 2, 1, 3), np.float32), IMG], WINDOW),
    "ExtractImagePatches": ([IMG], {"ksizes": [1, 2, 2, 1], "rates": [1, 1, 1, 1], **WINDOW}),
    "Fill": ([i32(2, 3), np.float32(1)], {}), "LRN": ([IMG], {}),
    "OneHot": ([i32(0, 1), np.int32(3), np.float32(1), np.float32(0)], {"axis": -1}),
    "Range": ([np.int32(0), np.int32(3), np.int32(1)], {}), "Reshape": ([X, i32(8)], {}),
    "ResizeBicubic": ([IMG, i32(3, 3)], {}), "ResourceGather": ([X, i32(0)], {}),
    "Split": ([np.int32(1), X], {"num_split": 2}),
    "SplitV": ([X, i32(1, 3), np.int32(1)], {"num_split": 2}), "Squeeze": ([X[:1]], {}),
    "StridedSlice": ([X, i32(0), i32(1), i32(1)], {"shrink_axis_mask": 1}),
    "Einsum": ([X, X], {"equation": "ab,cb->ac"}),
    "TensorScatterUpdate": ([X, i32(1).reshape(1, 1), X[:1]], {}),
    "FakeQuantWithMinMaxArgs": ([X], {}),
    "FakeQuantWithMinMaxVars": ([X, np.float32(-1), np.float32(1)], {}),
    "FakeQuantWithMinMaxVarsPerChannel": ([X, np.float32([-1]), np.float32([1])], {}),
    "CombinedNonMaxSuppression": (
        [np.zeros((1, 3, 1, 4), np.float32), np.zeros((1, 3, 2), np.float32), np.int32(2),
         np.int32(3), np.float32(0.5), np.float32(0.1)], {"pad_per_class": True}),
    **{f"NonMaxSuppression{version}": (
        [np.float32([[0, 0, 1, 1], [0, 0, 2, 2]]), np.float32([0.5, 0.25]), np.int32(1),
         *np.float32([0.5, 0, 0])[:scalars]],
        {"pad_to_max_output_size": True} if version > "V3" else {})
       for version, scalars in (("", 0), ("V2", 1), ("V3", 2), ("V4", 2), ("V5", 3))},
    "Conv3D": ([IMG[None], np.ones((1, 1, 1, IMG.shape[-1], 2), np.float32)],
               {"strides": [1] * 5, "padding": "VALID"}),
    "Conv3DBackpropInputV2": (
        [i32(1, *IMG.shape[:3], 2), np.ones((1, 1, 1, 2, IMG.shape[-1]), np.float32), IMG[None]],
        {"strides": [1] * 5, "padding": "VALID"}),
    **{op: ([IMG[None]], {"ksize": [1] * 5, "strides": [1] * 5, "padding": "VALID"})
       for op in ("MaxPool3D", "AvgPool3D")},
    "MaxPoolWithArgmax": ([IMG], {"ksize": [1] * 4, "strides": [1] * 4, "padding": "VALID"}),
    "Where": ([X], {}), "Unique": ([X[0]], {}), "UniqueWithCounts": ([X[0]], {}),
    **{op: ([X, i32(0)], {}) for op in ("UniqueV2", "UniqueWithCountsV2")},
    "DynamicPartition": ([X, i32(0, 1)], {"num_partitions": 2}),
    "TopKV2": ([X, np.int32(2)], {"sorted": True}), "Unpack": ([X], {"num": 2, "axis": 0}),
    "TensorListReserve": ([i32(4), np.int32(2)], {"element_dtype": FLOAT}),
    "TensorListSetItem": ([X, np.int32(1), X[0]], {"element_dtype": FLOAT}),
    "TensorListGetItem": ([X, np.int32(1), i32(4)], {"element_dtype": FLOAT}),
    "TensorListFromTensor": ([X, i32(4)], {}), "TensorListStack": ([X, i32(4)], {}),
    "TensorListGather": ([X, i32(1, 0), i32(4)], {}), "TensorListLength": ([X], {}),
    "TensorArrayV3": ([np.int32(2)], {"dtype": FLOAT}), "TensorArraySizeV3": ([H, X], {}),
    "TensorArrayReadV3": ([H, np.int32(1), X], {"dtype": FLOAT}),
    "TensorArrayWriteV3": ([H, np.int32(1), X[0], X], {}),
    "TensorArrayGatherV3": ([H, i32(1, 0), X], {"dtype": FLOAT}),
    "CropAndResize": ([IMG, np.float32([[0, 0, 1, 1]]), i32(0), i32(2, 2)], {}),
    "ResizeArea": ([IMG, i32(3, 3)], {}),
    **{f"{sort}Segment{kind}": ([X, i32(0, 0), *([np.int32(2)] if sort else [])], {})
       for sort in ("", "Unsorted") for kind in ("Sum", "Prod", "Max", "Min")},
    "AudioSpectrogram": ([X.T], {"window_size": 2, "stride": 1}),
    "Mfcc": ([np.abs(IMG[0]), np.int32(16)], {
        "upper_frequency_limit": 8.0, "lower_frequency_limit": 1.0,
        "filterbank_channel_count": 2, "dct_coefficient_count": 1}),
    **{f"RFFT.{part}": ([X, i32(4)], {}) for part in ("ComplexAbs", "Real", "Imag")},
    **{f"RFFT2D.{part}": ([X, i32(2, 4)], {}) for part in ("ComplexAbs", "Real", "Imag")},
    **{op: ([IMG, *more], {}) for op, more in (
        ("RGBToHSV", []), ("HSVToRGB", []), ("AdjustHue", [np.float32(0.5)]),
        ("AdjustSaturation", [np.float32(0.5)]), ("AdjustContrastv2", [np.float32(0.5)]),
        ("ScaleAndTranslate", [i32(2, 2), np.float32([0.5, 0.5]), np.float32([0, 0])]))},
    **{op: ([i32(1, 2), i32(3, 4)], {}) for op in (
        "BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift")},
    "BroadcastArgs": ([i32(3, 1), i32(3, 4)], {}),
    "Invert": ([i32(1, 2)], {}), "Bitcast": ([X], {"type": 3}),
    "Bucketize": ([X], {"boundaries": [0.5]}),
    **{op: ([X, X], {}) for op in ("LowerBound", "UpperBound", "SoftmaxCrossEntropyWithLogits")},
    "SparseSoftmaxCrossEntropyWithLogits": ([X, i32(0, 1)], {}),
    "DenseBincount": ([i32(1, 2), np.int32(3), X[0, :0]], {}),
    **{op: ([i32(1, 2), np.int32(0), i32(1), i32(5)], {}) for op in (
        "LookupTableFind", "LookupTableFindV2")},
    "TensorArrayScatterV3": ([H, i32(1, 0), X, X], {}),
}
GRID = {case.op: case for case in reversed([*tensorflow_cases.cases()])}
TYPES = {"DstT", "element_dtype", "dtype", "type"}
NEVER = {"Const"}  # refused, whatever their attributes are
# flow.py and assigned.py make them, with attributes of their own.
MADE_HERE = {"If", "While", "AssignVariableOp"}
QUANTIZED = set(READERS)  # quantized_test.py has them
# The first operand decides a shape, or is what they are made by.
FIRST_FIXED = {"BroadcastArgs", "Concat", "Conv2DBackpropInput", "Conv3DBackpropInputV2", "Fill",
               "LinSpace", "Range", "Split", "TensorArrayV3", "TensorListReserve"}


def file(folder, op, **more):
    operands, attrs = CASES[op] if op in CASES else (
        [np.asarray(operand) for operand in GRID[op].operands], GRID[op].attrs)
    fed = 0 if op in CASES else GRID[op].fed
    m, names = Maker(), []
    for k, operand in enumerate(operands):
        feed = k == fed and op not in FIRST_FIXED or op == "Conv2DBackpropInput" and k == 2
        if feed and operand.dtype != np.int32:
            names.append(m.placeholder(f"in{k}", *operand.shape))
            m.graph.node[-1].attr["dtype"].type = FLOAT if operand.dtype == np.float32 else 10
        else:
            names.append(m.const(f"in{k}", operand.astype(np.float32) if operand.dtype == bool
                                 else operand))
    m.node("y", op, *names, **{k: v for k, v in attrs.items() if k not in TYPES}, **more)
    for key in TYPES & attrs.keys():
        m.graph.node[-1].attr[key].type = attrs[key]
    return m.save(folder)


@pytest.mark.parametrize("op", sorted(set(registry.supported()) - NEVER - MADE_HERE - QUANTIZED))
def test_an_unknown_attribute_is_refused(tmp_path, op):
    load("tensorflow", file(tmp_path, op), outputs=["y"])
    with pytest.raises(UnsupportedOps) as e:
        load("tensorflow", file(tmp_path, op, surprise=3), outputs=["y"])
    assert "does not know its attribute surprise = 3" in str(e.value)
    assert [(o.op, o.nodes) for o in e.value.ops] == [(op, ["y"])]


def test_annotations_and_types_of_operands_are_no_attributes_to_know(tmp_path):
    path = file(tmp_path, "Relu", _class="loc:@x", T=1)
    graph = protos.load(PROTO).GraphDef.FromString(path.read_bytes())
    graph.node[-1].attr["_output_shapes"].list.shape.add().dim.add(size=2)
    path.write_bytes(graph.SerializeToString())
    load("tensorflow", path)


def test_the_types_that_are_passed_over_are_those_of_operands():
    definitions = pytest.importorskip("tensorflow.python.framework.op_def_registry")
    results = []
    for op in registry.supported():
        definition = definitions.get(op.partition(".")[0])
        of_operands = {attr for arg in definition.input_arg
                       for attr in (arg.type_attr, arg.type_list_attr)}
        results += [f"{op}.{a.name}" for a in definition.attr
                    if a.name in OPERAND_TYPES and a.name not in of_operands]
    assert results == ["QuantizeV2.T"], "the type of its quantized values, which its function reads"


def test_what_is_refused_of_known_attributes(tmp_path):
    for op, attr, value in (("Cast", "Truncate", True), ("MatMul", "a_is_sparse", True),
                            ("GatherNd", "bad_indices_policy", "IGNORE")):
        with pytest.raises(UnsupportedOps):
            load("tensorflow", file(tmp_path, op, **{attr: value}))
