"""What a network's text and its weights may say, and what becomes of files that are wrong.

SPDX-License-Identifier: Apache-2.0
"""

import re

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.importers.caffe import training
from mace_tools.convert.importers.caffe.prototxt import PROTO
from mace_tools.support.errors import MaceError, ModelError, UnsupportedOps
from mace_tools.support.protos import load as load_proto
from mace_tools.testing.caffe_file import Net, uniform, wire

CONV = "convolution_param { num_output: 2 kernel_size: 1 }"
INPUT = 'input: "x" input_dim: 1 input_dim: 3 input_dim: 4 input_dim: 4\n'
RELU = 'layer { name: "r" type: "ReLU" bottom: "x" top: "y" }\n'


def written(folder, text):
    path = folder / "net.prototxt"
    path.write_text(text)
    return path


def conv(folder, *blobs, settings=CONV):
    net = Net({"x": (1, 3, 4, 4)})
    net.layer("Convolution", ["x"], "c", settings, *blobs)
    return net.save(folder)


def test_a_blob_that_is_overwritten(tmp_path):
    """The last tensor has the name of the blob, earlier ones also that of their layer."""
    net = Net({"x": (1, 2)})
    net.layer("Power", ["x"], "a", "power_param { shift: 1 }", name="first")
    net.layer("Power", ["a"], "a", "power_param { scale: 2 }", name="second")
    net.layer("ReLU", ["x"], "x", name="third")
    path = net.save(tmp_path)
    x = np.float32([[-3, 1]])
    graph = importers.load("caffe", path)
    assert graph.outputs == ["a", "x@third"]
    assert reference.run(graph, {"x": x})["a"].tolist() == [[-4, 4]]
    inner = importers.load("caffe", path, None, ["a@first"])
    assert reference.run(inner, {"x": x})["a@first"].tolist() == [[-2, 2]]


def test_layers_of_before_caffe_1_0(tmp_path):
    w, b = uniform(2, 3, 1, 1), uniform(2)
    path = conv(tmp_path, w, b)
    text = re.sub(r"layer \{", "layers {", path.read_text())
    text = INPUT + "layers {" + text.split("layers {")[2].replace('"Convolution"', "CONVOLUTION")
    path.write_text(text)
    x = uniform(1, 3, 4, 4)
    want = np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0]) + b[:, None, None]
    assert np.allclose(reference.run(importers.load("caffe", path), {"x": x})["c"], want, atol=1e-5)
    # Weights of that form: the name is field 4, blobs are field 6, with four extents each.
    blobs = [b"".join(wire(k + 1, e) for k, e in enumerate((1,) * (4 - a.ndim) + a.shape))
             + wire(5, a.tobytes()) for a in (w, b)]
    path.with_suffix(".caffemodel").write_bytes(
        wire(2, wire(4, "c") + b"".join(wire(6, blob) for blob in blobs)))
    assert np.allclose(reference.run(importers.load("caffe", path), {"x": x})["c"], want, atol=1e-5)
    path.with_suffix(".caffemodel").write_bytes(wire(2, wire(1, wire(1, "c"))))
    with pytest.raises(ModelError, match="is of 2013.*upgrade_net_proto_binary"):
        importers.load("caffe", path)


@pytest.mark.parametrize("field", ["name: 'c'", ""])
def test_layers_of_2013_are_refused_with_advice(tmp_path, field):
    with pytest.raises(ModelError, match="is of 2013.*upgrade_net_proto_text"):
        importers.load("caffe", written(tmp_path, f"{INPUT}layers {{ layer {{ {field} }} }}"))


def test_phases_levels_and_stages(tmp_path):
    def rule(text):
        return f'layer {{ name: "l" type: "AbsVal" bottom: "x" top: "y" {text} }}\n'
    other = RELU.replace('"y"', '"z"')
    for state, text, used in (
            ("", "include { phase: TEST }", True), ("", "include { phase: TRAIN }", False),
            ("", "exclude { phase: TEST }", False), ("", "exclude { phase: TRAIN }", True),
            ("level: 2", "include { min_level: 1 }", True), ("", "include { min_level: 1 }", False),
            ("level: 2", "exclude { max_level: 1 }", True), ("", "exclude { max_level: 1 }", False),
            ("stage: 'a'", "include { stage: 'a' }", True), ("", "include { stage: 'a' }", False),
            ("stage: 'a'", "include { not_stage: 'a' }", False),
            ("", "include { phase: TRAIN } include { phase: TEST }", True)):
        net = f"{INPUT}state {{ {state} }}\n{other}{rule(text)}"
        outputs = importers.read("caffe", written(tmp_path, net)).outputs
        assert ("y" in outputs) == used, text
    with pytest.raises(ModelError, match="rules to include and to exclude"):
        importers.read("caffe", written(tmp_path, INPUT + rule(
            "include { phase: TEST } exclude { phase: TRAIN }")))


def test_a_network_for_training(tmp_path):
    net = Net({})
    net.layer("Data", (), "data label", "data_param { batch_size: 4 } transform_param { scale: 0.5 "
              "crop_size: 2 force_gray: true mean_value: 7 }")
    net.layer("InnerProduct", ["data"], "ip", "inner_product_param { num_output: 3 } "
              "param { lr_mult: 1 decay_mult: 0 } loss_weight: 0", uniform(3, 4), uniform(3))
    net.layer("Accuracy", ["ip", "label"], "accuracy", "accuracy_param { top_k: 5 }")
    net.layer("SoftmaxWithLoss", ["ip", "label"], "loss", "loss_param { normalize: true }")
    net.layer("Split", ["ip"], "s t")
    net.text += 'layer { name: "quiet" type: "Silence" bottom: "t" }\n'
    net.layer("EuclideanLoss", ["s", "label"], "other")
    path = net.save(tmp_path)
    graph = importers.load("caffe", path)
    assert graph.outputs == ["loss", "s"] and graph.tensors["data"].shape == (4, 1, 2, 2)
    expected = "\n".join(graph.notes)
    assert "mean_value 7; scale 0.5" in expected and "SoftmaxWithLoss 'loss' becomes" in expected
    assert "losses are left out: 'other'" in expected
    assert [n.op for n in importers.load("caffe", path, None, ["loss"]).nodes][-1] == "Softmax"


def test_parameters_that_layers_share(tmp_path):
    net = Net({"x": (1, 2), "z": (1, 2)})
    shared = 'inner_product_param { num_output: 2 bias_term: false } param { name: "w" }'
    w = uniform(2, 2)
    net.layer("InnerProduct", ["x"], "a", shared, w)
    net.layer("InnerProduct", ["z"], "b", shared)
    path, x = net.save(tmp_path), uniform(1, 2)
    got = reference.run(importers.load("caffe", path), {"x": x, "z": x})
    assert np.allclose(got["a"], x @ w.T) and np.array_equal(got["a"], got["b"])


def test_weights_beside_the_network(tmp_path):
    path = conv(tmp_path, uniform(2, 3, 1, 1), uniform(2))
    own = path.with_suffix(".caffemodel")
    other = own.rename(tmp_path / "other.caffemodel")
    importers.load("caffe", path)  # the only one
    (tmp_path / "third.caffemodel").write_bytes(other.read_bytes())
    with pytest.raises(ModelError, match="2 weights files lie beside .*'other.caffemodel', "
                                         "'third.caffemodel'.*weight_file_path"):
        importers.load("caffe", path)
    importers.load("caffe", path, weights=other)
    own.write_bytes(other.read_bytes())
    importers.load("caffe", path)  # the one of the same name
    for file in (own, other, tmp_path / "third.caffemodel"):
        file.unlink()
    with pytest.raises(ModelError, match="Convolution 'c' needs weights, but no weights file"):
        importers.load("caffe", path)
    importers.load("caffe", written(tmp_path, INPUT + RELU))  # needs none


WRONG = [
    (INPUT + "layer {\n name: 'r'\n typo: 3\n}",
     r":4: a layer has no field 'typo' that .*training"),
    (INPUT + "layer { relu_param {\n negative_slop: 1 } }",
     r":3: ReLU has no field 'negative_slop'.*did you mean 'negative_slope'\?"),
    (INPUT + "layer { pooling_param { pool: MIX } }", ":2: .*no value named MIX"),
    (INPUT + "layer { name: 3 }", ":2: Expected string"), ("layer {\n", ":2?1?: Expected"),
    ("", "it has no layers"), ("name: 'x'", "it has no layers"), (INPUT, "has no outputs"),
    ("input: 'x' input_dim: 3\n" + RELU, "1 input_dim for 1 input"),
    (INPUT.replace("dim: 4", "dim: 0") + RELU, "has the shape 1,3,0,0: extents must be 1"),
    (INPUT.replace("dim: 4", "dim: -4") + RELU, "has the shape 1,3,-4,-4"),
    (INPUT + RELU.replace('"x"', '"y2"'), "reads 'y2', which no layer makes; did you|blobs before"),
    (INPUT + RELU.replace('"x"', '"z"') + RELU.replace('"r"', '"q"').replace('"y"', '"z"'),
     "reads 'z', which only the layer 'q' further down makes"),
    (INPUT + RELU.replace('"x"', '"y"'), "the network has a cycle"),
    (INPUT + RELU + RELU.replace('"r"', '"s"'), "both 'r' and 's' make the blob 'y'"),
    (INPUT + RELU + RELU.replace('"y"', '"z"'), "two layers have the name 'r'"),
    (INPUT + RELU.replace('top: "y"', 'top: "y" top: "y"'), "has the top 'y' twice"),
    (INPUT + RELU.replace('top: "y"', ""), "has no top"),
    (INPUT + RELU.replace('bottom: "x"', ""), "has 0 bottoms, it takes 1"),
    (INPUT + RELU.replace('"ReLU"', '"Pooling"'), "lacks its kernel_size"),
    (INPUT + RELU.replace('"ReLU"', '"Pooling" pooling_param { kernel_size: 0 }'),
     "kernel_size is 0, it must be 1 or larger"),
    *[(INPUT + RELU.replace('"ReLU"', f'"Pooling" pooling_param {{ kernel_size: {count} }}'),
       ":2: .*([Ii]nteger|out of range|Expected)") for count in (
           "-1", "4294967296", "18446744073709551617", "1e9", "0x1p4", "99999999999999999999")],
    (INPUT + RELU.replace('"ReLU"', '"Pooling" pooling_param { kernel_h: 2 }'), "kernel_h alone"),
    (INPUT + RELU.replace('"ReLU"', '"Reshape" reshape_param { shape { dim: 5 dim: -1 } }'),
     r"48 elements of its bottom \[1, 3, 4, 4\] do not fit the shape \[5, -1\]"),
    (INPUT + RELU.replace('"ReLU"', '"Softmax" softmax_param { axis: 4 }'),
     "axis 4 is out of range"),
    (INPUT + RELU.replace('"ReLU"', '"Permute" permute_param { order: 1 order: 1 }'), "each once"),
    ("layers { }" + INPUT + RELU, "layers of two forms"),
]


@pytest.mark.parametrize("text, expected", WRONG)
def test_wrong_networks(tmp_path, text, expected):
    with pytest.raises(ModelError, match=expected):
        importers.load("caffe", written(tmp_path, text))


def test_weights_of_another_network(tmp_path):
    with pytest.raises(ModelError, match=r"blob 0 of .* has the shape \[2, 4, 1, 1\], the network "
                                         r"asks for \[2, 3, 1, 1\]"):
        importers.load("caffe", conv(tmp_path, uniform(2, 4, 1, 1), uniform(2)))
    with pytest.raises(ModelError, match="has 1 blobs for it, the network asks for 2"):
        importers.load("caffe", conv(tmp_path, uniform(2, 3, 1, 1)))
    path = conv(tmp_path, uniform(2, 3, 1, 1), uniform(2))
    path.write_text(path.read_text().replace('name: "c"', 'name: "c1"'))
    with pytest.raises(ModelError, match=r"Convolution 'c1' needs weights, but .* has none for a "
                                         r"layer of this name \(it has one for 'c'\)"):
        importers.load("caffe", path)
    path.write_text(INPUT + RELU)
    assert "weights for 1 layer(s) that the network does not have: 'c'" in " ".join(
        importers.load("caffe", path).notes)
    path = conv(tmp_path, uniform(2, 3, 1, 1), uniform(2))
    path.write_text(path.read_text().replace("Convolution", "ReLU").replace(CONV, ""))
    with pytest.raises(UnsupportedOps, match="does not know its attribute num_blobs = 2"):
        importers.load("caffe", path)


def test_weights_files_that_are_damaged(tmp_path):
    path = conv(tmp_path, uniform(2, 3, 1, 1), uniform(2))
    weights = path.with_suffix(".caffemodel")
    whole = weights.read_bytes()
    for cut in range(len(whole)):
        weights.write_bytes(whole[:cut])
        with pytest.raises(ModelError):
            importers.load("caffe", path)
    for text, expected in ((b"", "is empty"), (b"hello, world", "no Caffe weights file"),
                           (wire(1, "net"), "it has no layers")):
        weights.write_bytes(text)
        with pytest.raises(ModelError, match=expected):
            importers.load("caffe", path)


def test_what_does_not_convert_is_named_at_once(tmp_path):
    net = Net({"x": (1, 4), "p": (1, 2, 8)})
    net.layer("Nonsense", ["x"], "n")
    net.layer("ROIPooling", ["x", "n", "p"], "d", "roi_pooling_param { pooled_h: 2 }")
    net.layer("Python", ["d"], "q", "python_param { module: 'm' layer: 'Mine' param_str: '{}' }")
    path = net.save(tmp_path)
    with pytest.raises(UnsupportedOps) as e:
        importers.load("caffe", path)
    assert {o.op for o in e.value.ops} == {"Nonsense", "ROIPooling", "Python.Mine"}
    assert "R-FCN's PSROIPooling converts" in str(e.value)
    read = importers.read("caffe", path)
    read.custom_ops = ("all",)
    graph = importers.translate("caffe", read)
    assert [n.op for n in graph.nodes] == ["Nonsense", "ROIPooling", "Python.Mine"]
    assert graph.nodes[1].attrs["pooled_h"] == 2 and graph.nodes[2].attrs["param_str"] == "{}"


def test_no_field_is_ignored_by_chance():
    """Each field of a layer is read, has settings of a type, or stands in the table of training."""
    schema = load_proto(PROTO)
    used = {"name", "type", "bottom", "top", "include", "exclude", "param", "layer"}
    for message in (schema.LayerParameter, schema.V1LayerParameter):
        for name in message.DESCRIPTOR.fields_by_name:
            assert name in used or name.endswith("_param") or name in training.LAYER_FIELDS, name
    net = set(schema.NetParameter.DESCRIPTOR.fields_by_name)
    assert net == {"name", "input", "input_shape", "input_dim", "state", "layer", "layers",
                   *training.NET_FIELDS}


def mutants(text: str, rng: np.random.Generator, count: int):
    """Texts in which a word is dropped, doubled or replaced by another one or by a number."""
    words = re.findall(r"\s+|[^\s{}:]+|[{}:]", text)
    for _ in range(count):
        copy, k = list(words), int(rng.integers(len(words)))
        kind = rng.integers(4)
        if kind == 0:
            del copy[k]
        elif kind == 1:
            copy.insert(k, copy[k])
        elif kind == 2:
            copy[k] = copy[int(rng.integers(len(words)))]
        else:
            copy[k] = str(rng.choice(["-1", "0", "7", "99999999999", "nan", "1e39", '"x"', "true"]))
        yield "".join(copy)


def test_mutated_files_never_end_in_a_traceback(tmp_path):
    net = Net({"x": (1, 4, 6, 6)})
    net.layer("Convolution", ["x"], "c", "convolution_param { num_output: 4 kernel_size: 3 pad: 1 "
              "group: 2 stride: 1 }", uniform(4, 2, 3, 3), uniform(4))
    net.layer("BatchNorm", ["c"], "c", "batch_norm_param { eps: 0.01 }", uniform(4),
              np.abs(uniform(4)), np.float32([1]), name="bn")
    net.layer("Scale", ["c"], "c", "scale_param { bias_term: true }", uniform(4), uniform(4),
              name="scale")
    net.layer("Pooling", ["c"], "p", "pooling_param { pool: AVE kernel_size: 3 stride: 2 }")
    net.layer("PriorBox", ["p", "x"], "b", "prior_box_param { min_size: 2 aspect_ratio: 2 }")
    net.layer("Slice", ["p"], "s t", "slice_param { slice_point: 1 }")
    net.layer("Reshape", ["s"], "r", "reshape_param { shape { dim: 0 dim: -1 } axis: 0 }")
    net.layer("InnerProduct", ["r"], "y", "inner_product_param { num_output: 2 }", uniform(2, 9),
              uniform(2))
    path = net.save(tmp_path)
    weights, rng = path.with_suffix(".caffemodel"), np.random.default_rng(1)
    text, whole = path.read_text(), weights.read_bytes()
    loaded = 0
    for changed in mutants(text, rng, 400):
        path.write_text(changed)
        loaded += tried(path)
    path.write_text(text)
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(int(rng.integers(1, 4))):
            data[int(rng.integers(len(data)))] = int(rng.integers(256))
        weights.write_bytes(data)
        loaded += tried(path)
    assert 100 < loaded < 780


def tried(path) -> bool:
    try:
        importers.load("caffe", path)
    except MaceError:
        return False
    return True
