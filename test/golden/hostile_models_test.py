"""Each class of weakness that inference engines had in public: a model file that shows it, from the
file to the message.

SPDX-License-Identifier: Apache-2.0

The classes are those of the CVEs of TFLite, ExecuTorch and ONNX. The file is made here, in the
format where the weakness was found. The converter refuses it, or the engine does when it is created
or when the model runs; never is there a crash, an internal error, or an answer.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from golden import Run, import_model, run_all
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

from mace_tools.convert.importers.tensorflow.tensorflow_test import INT32
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker as TfMaker
from mace_tools.support.errors import MaceError
from mace_tools.testing.tflite_file import Maker

HUGE = 2**31 - 1
Arrays = Mapping[str, np.ndarray]
I32 = np.int32


@dataclass
class Case:
    """A model of one format, what it is fed, and what the message has in it."""

    platform: str
    save: Callable[[Path], Path]
    feeds: Arrays
    says: str  # a regular expression


def f32(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def tflite(op: str, operands: list, says: str, options: str = "", fed: int = 1,
           more: Callable[[Maker], object] = id, **fields: object) -> Case:
    """One operator; the first `fed` operands are inputs, the others are constants."""
    m = Maker()
    names, feeds = [], {}
    for k, operand in enumerate(operands):
        value = np.asarray(operand)
        if k < fed:
            feeds[f"x{k}"] = value
            m.tensor(f"x{k}", value.shape, value.dtype.name)
        else:
            m.const(f"x{k}", value)
        names.append(f"x{k}")
    m.op(op, names, ["y"], options, **fields)
    more(m)
    return Case("tflite", lambda folder: m.save(folder, list(feeds), ["y"]), feeds, says)


def onnx_case(op: str, operands: list, says: str, fed: int = 1, opset: int = 17,
              results: int = 1, **attrs: object) -> Case:
    names, feeds, known = [], {}, []
    for k, operand in enumerate(operands):
        value = np.asarray(operand)
        names.append(f"x{k}")
        if k < fed:
            feeds[f"x{k}"] = value
        else:
            known.append(numpy_helper.from_array(value, f"x{k}"))
    node = h.make_node(op, names, [f"y{k}" if k else "y" for k in range(results)], **attrs)
    return onnx_graph([node], feeds, says, known, opset)


def onnx_graph(nodes: list, feeds: Arrays, says: str, known: list = (), opset: int = 17) -> Case:
    def save(folder: Path) -> Path:
        inputs = [h.make_tensor_value_info(n, h.np_dtype_to_tensor_dtype(a.dtype), a.shape)
                  for n, a in feeds.items()]
        graph = h.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name="y")], list(known))
        made = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=8)
        path = folder / "model.onnx"
        path.write_bytes(made.SerializeToString())
        return path
    return Case("onnx", save, feeds, says)


def tensorflow(build: Callable[[TfMaker], None], feeds: Arrays, says: str) -> Case:
    def save(folder: Path) -> Path:
        m = TfMaker()
        for name, value in feeds.items():
            m.placeholder(name, *value.shape)
        build(m)
        return m.save(folder)
    return Case("tensorflow", save, feeds, says)


def window(**more: int) -> dict[str, int]:
    return {"StrideH": 1, "StrideW": 1, "FilterHeight": 2, "FilterWidth": 2, **more}


IMAGE = f32(1, 4, 4, 2)

# Attributes that divide.
DIVISIONS = {
    "pool_stride_0": tflite("AVERAGE_POOL_2D", [IMAGE], "strides.*0", "Pool2DOptions",
                            **window(StrideW=0)),
    "pool_kernel_0": tflite("MAX_POOL_2D", [IMAGE], "kernel.*0", "Pool2DOptions",
                            **window(FilterHeight=0)),
    "conv_stride_0": tflite("CONV_2D", [IMAGE, f32(1, 2, 2, 2)], "strides.*0", "Conv2DOptions",
                            StrideH=0, StrideW=1, DilationHFactor=1, DilationWFactor=1),
    "conv_dilation_0": tflite("CONV_2D", [IMAGE, f32(1, 2, 2, 2)], "dilations.*0",
                              "Conv2DOptions", StrideH=1, StrideW=1, DilationHFactor=0,
                              DilationWFactor=1),
    "conv_without_channels": tflite("CONV_2D", [IMAGE, f32(1, 2, 2, 0)], "channels",
                                    "Conv2DOptions", StrideH=1, StrideW=1, DilationHFactor=1,
                                    DilationWFactor=1),
    "depthwise_stride_0": tflite("DEPTHWISE_CONV_2D", [IMAGE, f32(1, 2, 2, 2)], "strides.*0",
                                 "DepthwiseConv2DOptions", StrideH=1, StrideW=0,
                                 DilationHFactor=1, DilationWFactor=1, DepthMultiplier=1),
    "depth_to_space_0": tflite("DEPTH_TO_SPACE", [IMAGE], "block_size 0", "DepthToSpaceOptions",
                               BlockSize=0),
    "space_to_depth_0": tflite("SPACE_TO_DEPTH", [IMAGE], "block_size 0", "SpaceToDepthOptions",
                               BlockSize=0),
    "space_to_batch_0": tflite("SPACE_TO_BATCH_ND", [IMAGE, I32([0, 2]), I32([[0, 0], [0, 0]])],
                               "block_shape"),
    "fully_connected_0": tflite("FULLY_CONNECTED", [f32(2, 3), f32(4, 0)], "0",
                                "FullyConnectedOptions"),
    "range_step_0": onnx_case("Range", [np.float32(0), np.float32(9), np.float32(0)],
                              "from 0.0 to 9.0 by 0.0 is no finite range", fed=0),
    "group_0": onnx_case("Conv", [f32(1, 4, 5, 5), f32(4, 4, 3, 3)], "group", group=0),
    "resize_to_0": tflite("RESIZE_BILINEAR", [IMAGE, I32([0, 4])], "0",
                          "ResizeBilinearOptions"),
    "lrn_size_0": onnx_case("LRN", [f32(1, 4, 3, 3)], "size", size=0),
}

# Axes and indices that are out of range, those of the file and those of the data.
INDICES = {
    "axis": tflite("ARG_MAX", [f32(2, 3), I32(-7)], "axis -7", "ArgMaxOptions", OutputType=2),
    "expand_dims": tflite("EXPAND_DIMS", [f32(2, 3), I32(5)], "ax[ei]s 5"),
    "reduce_axis": tflite("SUM", [f32(2, 3), I32([0, HUGE])], f"ax[ei]s.*{HUGE}",
                          "ReducerOptions"),
    "gather": tflite("GATHER", [f32(4, 3), I32([0, 4])], "index 4 is out of range", "GatherOptions",
                     fed=2, Axis=0),
    "gather_negative": tflite("GATHER", [f32(4, 3), I32([-1])], "index -1 is out of range",
                              "GatherOptions", fed=2, Axis=0),
    "gather_nd": tflite("GATHER_ND", [f32(4, 3), I32([[-1]])], "index -1 is out of range", fed=2),
    "scatter_nd": onnx_case("ScatterND", [f32(4, 3), np.int64([[9]]), f32(1, 3)],
                            "index 9 is out of range", fed=3),
    "scatter_elements": onnx_case("ScatterElements", [f32(4, 3), np.int64([[-5]]), f32(1, 1)],
                                  "index -5 is out of range", fed=3, axis=0),
    "embedding": tflite("EMBEDDING_LOOKUP", [I32([1, -4]), f32(3, 2)], "index -4 is out of range"),
    "embedding_huge": tflite("EMBEDDING_LOOKUP", [I32([HUGE]), f32(3, 2)],
                             f"index {HUGE} is out of range"),
    "roi_image": onnx_case("RoiAlign", [f32(1, 2, 4, 4), f32(1, 4), np.int64([3])],
                           "3 is out of range", fed=3, output_height=2, output_width=2),
    "unstack_axis": tflite("UNPACK", [f32(2, 3)], "axis 8", "UnpackOptions", Axis=8, Num=1),
    "slice_of_another_rank": tflite("SLICE", [f32(4, 3), I32([0, 0, 0]), I32([1, 1, 1])], "3"),
}

# Sizes whose product or sum overflows, or that one number of the file makes huge.
SIZES = {
    "fill": tflite("FILL", [I32([HUGE, HUGE, HUGE]), np.float32(1)], "elements", fed=0),
    "tile": onnx_case("Tile", [f32(4, 4), np.int64([2**40, 2**40])], "overflow|elements|too"),
    "pad": onnx_case("Pad", [f32(4, 4), np.int64([2**62, 0, 2**62, 0])], f"paddings {2**62}"),
    "reshape": onnx_case("Reshape", [f32(4, 4), np.int64([2**33, 2**31])], "overflow|elements|16"),
    "reshape_negative": onnx_case("Reshape", [f32(4, 4), np.int64([-4, -4])], "-4"),
    "one_hot_depth": onnx_case("OneHot", [np.int64([0, 1]), np.int64(2**61), f32(2)],
                               "overflow|elements|too|depth"),
    "one_hot_negative": tflite("ONE_HOT", [I32([0, 1]), I32(-3), np.float32(1), np.float32(0)],
                               "depth", "OneHotOptions", Axis=-1),
    "range": onnx_case("Range", [np.int64(0), np.int64(2**60), np.int64(1)],
                       f"from 0 to {2**60} by 1 is no finite range", fed=0),
    "resize": tflite("RESIZE_NEAREST_NEIGHBOR", [IMAGE, I32([HUGE, HUGE])],
                     f"resize.*{HUGE}", "ResizeNearestNeighborOptions"),
    "expand": onnx_case("Expand", [f32(1), np.int64([2**31, 2**31])], "overflow|elements|too"),
    "segment_sum": tflite("SEGMENT_SUM", [f32(2, 3), I32([0, HUGE - 1])],
                          f"{HUGE} rows of the result"),
    "unsorted_segments": tflite("UNSORTED_SEGMENT_SUM", [f32(2, 3), I32([0, 1]), I32(HUGE)],
                                f"{HUGE} rows of the result"),
    "segments_negative": tflite("UNSORTED_SEGMENT_SUM", [f32(2, 3), I32([0, 1]), I32(-2)],
                                "-2 segments, of which there must be"),
    "scatter_shape": tflite("SCATTER_ND", [I32([[0]]), f32(1), I32([HUGE])],
                            f"{HUGE} rows of the result", fed=2),
    "sparse_to_dense": tflite("SPARSE_TO_DENSE", [I32([1]), I32([-4]), np.float32(1),
                                                  np.float32(0)], "-4", "SparseToDenseOptions"),
    "pooling_padding": onnx_case("MaxPool", [f32(1, 1, 4, 4)], "more elements", kernel_shape=[2, 2],
                                 pads=[2**62] * 4),
    "conv_padding": onnx_case("Conv", [f32(1, 1, 4, 4), f32(1, 1, 2, 2)], "more", pads=[2**62] * 4),
    "conv_dilation": onnx_case("Conv", [f32(1, 1, 4, 4), f32(1, 1, 2, 2)],
                               "window .* is larger than the padded extent",
                               dilations=[2**62, 2**62]),
}


def loop_of(count: int, says: str) -> Case:
    """A loop that runs until its count is reached."""
    body = h.make_graph([h.make_node("Identity", ["g"], ["go"]),
                         h.make_node("Add", ["v", "v"], ["w"])], "body",
                        [h.make_tensor_value_info("i", T.INT64, []),
                         h.make_tensor_value_info("g", T.BOOL, []),
                         h.make_tensor_value_info("v", T.FLOAT, [2])],
                        [h.make_tensor_value_info("go", T.BOOL, []),
                         h.make_tensor_value_info("w", T.FLOAT, [2])])
    return onnx_graph([h.make_node("Loop", ["n", "c", "x"], ["y"], body=body)],
                      {"x": f32(2), "c": np.bool_(True), "n": np.int64(count)}, says)


def deep_ifs(depth: int) -> Case:
    """Branches in branches, which protobuf itself cannot write so deep."""
    inner = b""
    for _ in range(depth):
        branch = _field(1, b"then_branch") + _field(6, inner) + b"\xa0\x01\x05"
        inner = _field(1, _field(1, b"c") + _field(2, b"y") + _field(4, b"If") + _field(5, branch))
    model = b"\x08\x08" + _field(8, b"\x10\x11") + _field(7, inner)

    def save(folder: Path) -> Path:
        (folder / "model.onnx").write_bytes(model)
        return folder / "model.onnx"
    return Case("onnx", save, {}, "model.onnx")


def _field(number: int, content: bytes) -> bytes:
    """A text or message of a protobuf."""
    size, length = len(content), b""
    while size >= 128:
        length, size = length + bytes([size % 128 + 128]), size // 128
    return bytes([8 * number + 2]) + length + bytes([size]) + content


def own_body(m: Maker) -> None:
    """The body of the WHILE is the graph that has it."""
    condition = Maker()
    condition.tensor("a", (2,))
    condition.tensor("go", (), "bool")
    m.more += [(condition, ["a"], ["go"])]


def calls_itself(m: TfMaker) -> None:
    """A function whose only node is a call of itself."""
    f = m.graph.library.function.add()
    f.signature.name = "f"
    f.signature.input_arg.add(name="a", type=1)
    f.signature.output_arg.add(name="b", type=1)
    n = f.node_def.add(name="n", op="PartitionedCall")
    n.input.append("a")
    n.attr["f"].func.name = "f"
    n.attr["Tin"].list.type.append(1)
    n.attr["Tout"].list.type.append(1)
    f.ret["b"] = "n:output:0"
    call = m.graph.node.add(name="y", op="PartitionedCall")
    call.input.append("x")
    call.attr["f"].func.name = "f"
    call.attr["Tin"].list.type.append(1)
    call.attr["Tout"].list.type.append(1)


def cycle(m: TfMaker) -> None:
    m.node("a", "AddV2", "x", "b")
    m.node("b", "Relu", "a")
    m.node("y", "Neg", "b")


ENDLESS = {
    "loop_count": loop_of(2**40, "max_loop_iterations"),
    "deep_branches": deep_ifs(100),
    "while_of_itself": tflite("WHILE", [f32(2)], "graph 0|itself|recurs", "WhileOptions",
                              more=own_body, CondSubgraphIndex=1, BodySubgraphIndex=0),
    "function_of_itself": tensorflow(calls_itself, {"x": f32(2)}, "itself|recurs|deep"),
    "cycle": tensorflow(cycle, {"x": f32(2)}, "cycle|loop"),
    "two_ellipses": tensorflow(
        lambda m: (m.const("b", I32([0, 0])), m.const("s", I32([1, 1])),
                   m.node("y", "StridedSlice", "x", "b", "b", "s", ellipsis_mask=3, T=1,
                          Index=INT32)) and None,
        {"x": f32(2, 3)}, "ellips"),
    "stride_0": tflite("STRIDED_SLICE", [f32(4, 3), I32([0, 0]), I32([4, 3]), I32([0, 1])],
                       "stride.*0", "StridedSliceOptions"),
}

# Operands that are missing, of another shape, or without elements.
OPERANDS = {
    "absent": Case("tflite", lambda folder: _absent().save(folder, ["x0"], ["y"]),
                   {"x0": f32(2)}, "it has 1 inputs, the engine's has 2"),
    "not_there": Case("tflite", lambda folder: _tensor_70().save(folder, ["x0"], ["y"]),
                      {"x0": f32(2)}, "tensor 70 of 2"),
    "written_twice": Case("tflite", lambda folder: _same_in_and_out().save(folder, ["x0"], ["x0"]),
                          {"x0": f32(2)}, "twice|already|own|cycle|itself|input"),
    "shapes_disagree": tflite("ADD", [f32(2, 3), f32(2, 4)], "broadcast", "AddOptions", fed=2),
    "weights_disagree": tflite("CONV_2D", [IMAGE, f32(1, 2, 2, 3)],
                               "3 input channels for 2 channels", "Conv2DOptions",
                               StrideH=1, StrideW=1, DilationHFactor=1, DilationWFactor=1),
    "bytes_disagree": Case("tflite", lambda folder: _short_weight().save(folder, ["x0"], ["y"]),
                           {"x0": f32(2)}, "bytes"),
    "empty_and_more": tflite("MINIMUM", [f32(0, 2), f32(3, 2)], "broadcast", fed=2),
    "max_of_nothing": tflite("ARG_MAX", [f32(0, 2), I32(0)], "0|empty|no element",
                             "ArgMaxOptions", OutputType=2),
    "sequence_beyond": onnx_case("GRU", [f32(3, 1, 2), f32(1, 6, 2), f32(1, 6, 2),
                                              f32(1, 12), I32([4])], "4", fed=5, hidden_size=2),
    "sequence_negative": onnx_case("RNN", [f32(3, 1, 2), f32(1, 2, 2), f32(1, 2, 2), f32(1, 4),
                                           I32([-1])], "-1", fed=5, hidden_size=2),
    "reverse_beyond": onnx_case("ReverseSequence", [f32(3, 2), np.int64([2, 5])], "5", fed=2,
                                batch_axis=1, time_axis=0),
    "top_k_beyond": onnx_case("TopK", [f32(2, 3), np.int64([7])], "7", results=2),
    "top_k_negative": onnx_case("TopK", [f32(2, 3), np.int64([-7])], "-7", fed=2, results=2),
    "split_sums": onnx_case("Split", [f32(5, 2), np.int64([2, 2**40])], "5", results=2),
    "concat": tflite("CONCATENATION", [f32(2, 3), f32(3, 3)], "shape|extent|axis",
                     "ConcatenationOptions", fed=2, Axis=1),
}


def _absent() -> Maker:
    m = Maker()
    m.tensor("x0", (2,))
    m.op("ADD", ["x0", "nothing"], ["y"], "AddOptions")
    return m


def _tensor_70() -> Maker:
    m = Maker()
    m.tensor("x0", (2,))
    m.index["far"] = 70
    m.op("ADD", ["x0", "far"], ["y"], "AddOptions")
    return m


def _same_in_and_out() -> Maker:
    m = Maker()
    m.tensor("x0", (2,))
    m.op("NEG", ["x0"], ["x0"])
    return m


def _short_weight() -> Maker:
    m = Maker()
    m.tensor("x0", (2,))
    m.tensor("w", (2,), "float32", f32(1))
    m.op("ADD", ["x0", "w"], ["y"], "AddOptions")
    return m


# Parameters of quantization that are absent or make no sense.
def quantized(scale: object, zero: object, says: str, axis: int = 0) -> Case:
    m = Maker()
    m.tensor("x0", (2, 2), "int8", scale=scale, zero=zero, axis=axis)
    m.tensor("y", (2, 2))
    m.op("DEQUANTIZE", ["x0"], ["y"])
    return Case("tflite", lambda folder: m.save(folder, ["x0"], ["y"]),
                {"x0": np.int8([[1, 2], [3, 4]])}, says)


QUANTIZED = {
    "no_scale": quantized(None, None, "of i8"),
    "scale_0": quantized(0.0, 0, "scale"),
    "scale_nan": quantized(np.nan, 0, "scale"),
    "scale_infinite": quantized(np.inf, 0, "scale"),
    "scale_negative": quantized(-1.0, 0, "scale"),
    "zero_point": quantized(1.0, 1000, "zero point"),
    "more_scales": quantized([1.0, 1.0, 1.0], [0, 0, 0], "scale"),
    "axis": quantized([1.0, 1.0], [0, 0], "axis|dimension", axis=7),
}

ALL = {f"{kind}/{name}": case
       for kind, cases in (("division", DIVISIONS), ("index", INDICES), ("size", SIZES),
                           ("endless", ENDLESS), ("operand", OPERANDS), ("quantized", QUANTIZED))
       for name, case in cases.items()}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What became of each case: a message, or "" if it ran; all models run in one process, in
    which a crash would end all."""
    folder, text, runs = tmp_path_factory.mktemp("hostile"), {}, []
    for name, case in ALL.items():
        place = folder / name.replace("/", "_")
        place.mkdir()
        try:
            feeds = dict(case.feeds)
            graph = import_model(case.platform, case.save(place), feeds, ["y"])
            runs.append(Run(name, graph, feeds))
        except MaceError as e:
            text[name] = str(e)
    (folder / "runs").mkdir()
    run_all(runs, folder / "runs", flags=["--memory_limit=268435456"])
    return text | {run.name: run.error for run in runs}


@pytest.mark.parametrize("name", ALL)
def test_is_refused_with_the_reason(name, answers):
    message = answers[name]
    assert message, "it ran"
    assert "internal" not in message.lower()
    assert re.search(ALL[name].says, message, re.DOTALL), message
    assert len(message) < 4000
