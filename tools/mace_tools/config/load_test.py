"""Deployment files: what right ones mean, and what every kind of wrong one is told.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib

import pytest

from mace_tools.config.load import load
from mace_tools.config.problems import ConfigError

MODEL = b"the bytes of a model"
SHA = hashlib.sha256(MODEL).hexdigest()
GOOD = f"""\
library_name: lib
target_abis: [host]
models:
  net:
    platform: onnx
    model_file_path: net.onnx
    model_sha256_checksum: {SHA}
    runtime: cpu
    subgraphs:
      - input_tensors: x
        input_shapes: 1,3,8,8
        output_tensors: y
        output_shapes: 1,10
"""


@pytest.fixture
def write(tmp_path):
    """Writes a deployment file beside its model and returns its path."""
    (tmp_path / "net.onnx").write_bytes(MODEL)

    def write_text(text):
        path = tmp_path / "deploy.yml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_text


def problems(path, **overrides):
    """The messages, without the folder."""
    with pytest.raises(ConfigError) as caught:
        load(path, overrides)
    return str(caught.value).replace(str(path.parent) + "/", "")


def test_a_right_file_is_read(write):
    deployment = load(write(GOOD))
    model = deployment.library.models["net"]
    assert deployment.library.library_name == "lib"
    assert model.subgraph.input_tensors == ("x",)
    assert model.subgraph.input_shapes == ((1, 3, 8, 8),)
    assert model.subgraph.input_ranges == ((-1.0, 1.0),)
    assert deployment.library.graph_format == "proto" and deployment.library.embed_model_data == 0
    assert deployment.notes == ()
    assert deployment.file("net.onnx").read_bytes() == MODEL


# Spellings that mean the same: what to replace in GOOD, by what, and what comes of it.
SAME = [
    ("runtime: cpu", "runtime: cpu_gpu", lambda m: m.runtime == "cpu+gpu"),
    ("runtime: cpu", "runtime: cpu+gpu", lambda m: m.runtime == "cpu+gpu"),
    ("runtime: cpu", "runtime: cpu\n    obfuscate: false", lambda m: m.obfuscate == 0),
    ("runtime: cpu", "runtime: cpu\n    num_threads: 4", lambda m: m.num_threads == 4),
    ("runtime: cpu", "runtime: gpu\n    float32_nodes: [conv1, 12]",
     lambda m: m.float32_nodes == ("conv1", "12")),
    ("runtime: cpu", "runtime: cpu\n    data_type: fp32", lambda m: m.data_type == "fp32"),
    ("runtime: cpu", "runtime: cpu\n    validation_threshold: 0.99",
     lambda m: m.validation_threshold["cpu"] == 0.99),
    ("runtime: cpu", "runtime: cpu\n    validation_threshold: {gpu: 0.9}",
     lambda m: m.validation_threshold == {"gpu": 0.9}),
    ("runtime: cpu", "runtime: cpu\n    memory_strategy: offsets/GREEDY_BY_SIZE",
     lambda m: m.settings["memory_strategy"] == "offsets/GREEDY_BY_SIZE"),
    ("runtime: cpu", "runtime: gpu\n    memory_strategy: EQUALITY",
     lambda m: m.settings["memory_strategy"] == "EQUALITY"),
    ("runtime: cpu", "runtime: cpu\n    memory_strategy: objects/MINCOSTFLOW",
     lambda m: m.settings["memory_strategy"] == "objects/MINCOSTFLOW"),
    ("runtime: cpu", "runtime: cpu\n    memory_savings: none",
     lambda m: m.memory_savings == () and m.settings == {"memory_savings": ()}),
    ("runtime: cpu", "runtime: cpu\n    memory_savings: views",
     lambda m: m.memory_savings == ("views",)),
    ("runtime: cpu", "runtime: cpu\n    memory_savings: [overlap, views]",
     lambda m: m.memory_savings == ("views", "overlap")),
    ("runtime: cpu", "runtime: cpu\n    memory_limit: 9000000000",
     lambda m: m.settings == {"memory_limit": 9_000_000_000}),
    ("runtime: cpu", "runtime: gpu\n    limit_opencl_kernel_time: 1",
     lambda m: m.settings == {"gpu_data_type": "fp16_fp32", "gpu_kernel_micros": 1000}),
    ("runtime: cpu", "runtime: cpu\n    embed_memory_plan: 1",
     lambda m: m.embed_memory_plan == 1 and m.settings == {}),
    ("runtime: cpu", "runtime: cpu\n    packed_weights: avx512",
     lambda m: m.packed_weights == "avx512"),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: 1",
     lambda m: m.allow_custom_ops == ("all",)),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: 0", lambda m: m.allow_custom_ops == ()),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: true",
     lambda m: m.allow_custom_ops == ("all",)),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: com.acme.Blur",
     lambda m: m.allow_custom_ops == ("com.acme.Blur",)),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: [Blur, TFLite_Detection_PostProcess]",
     lambda m: m.allow_custom_ops == ("Blur", "TFLite_Detection_PostProcess")),
    ("1,3,8,8", "[1, 3, 8, 8]", lambda m: m.subgraph.input_shapes == ((1, 3, 8, 8),)),
    ("1,3,8,8", "['1,3,8,8']", lambda m: m.subgraph.input_shapes == ((1, 3, 8, 8),)),
    ("1,3,8,8", "' 1, 3, 8, 8 '", lambda m: m.subgraph.input_shapes == ((1, 3, 8, 8),)),
    ("1,3,8,8", "10", lambda m: m.subgraph.input_shapes == ((10,),)),
    ("1,3,8,8", "[]", lambda m: m.subgraph.input_shapes == ((),)),
    ("1,3,8,8", "' [ ] '", lambda m: m.subgraph.input_shapes == ((),)),
    ("1,3,8,8", "[[]]", lambda m: m.subgraph.input_shapes == ((),)),
    ("input_tensors: x", "input_tensors: 137", lambda m: m.subgraph.input_tensors == ("137",)),
    ("input_tensors: x", "input_tensors: x\n        input_ranges: 0,255",
     lambda m: m.subgraph.input_ranges == ((0, 255),)),
    ("input_tensors: x", "input_tensors: x\n        input_ranges: [-2, 2.5]",
     lambda m: m.subgraph.input_ranges == ((-2, 2.5),)),
    ("input_tensors: x", "input_tensors: x\n        input_data_formats: NHWC",
     lambda m: m.subgraph.input_data_formats == ("NHWC",)),
    (SHA, SHA.upper(), lambda m: m.model_sha256_checksum == SHA),
]  # fmt: skip


@pytest.mark.parametrize("old, new, holds", SAME)
def test_spellings(write, old, new, holds):
    assert holds(load(write(GOOD.replace(old, new))).library.models["net"])


def test_other_names_of_the_top_keys(write):
    top = "model_graph_format: file\nmodel_data_format: file\n"
    assert load(write(top + GOOD)).library.graph_format == "proto"


def test_keys_of_the_model_serve_its_subgraph(write):
    path = write(GOOD.replace("runtime: cpu", "runtime: cpu\n    labels: net.onnx\n"
                              "    preprocess: {resize: [4, 6], channels: grey, scale: 2}"))
    model = load(path).library.models["net"]
    assert model.extra("labels") == "net.onnx"
    assert model.extra("preprocess").resize == (4, 6)
    assert model.extra("preprocess").channels == "gray"
    assert model.extra("preprocess").scale == (2.0,)
    assert model.extra("validation_inputs_data") is None


def test_the_command_line_replaces_keys(write):
    path = write(GOOD + "build_type: code\n")
    assert load(path).library.graph_format == "code"
    assert load(path, {"build_type": "proto"}).library.graph_format == "proto"


@pytest.mark.parametrize("keys, compiled_in", [
    ("build_type: code\nembed_model_data: 1", True), ("build_type: code", False),
    ("model_graph_format: code\nmodel_data_format: code", True),
    ("model_graph_format: code\nmodel_data_format: file", False),
    ("build_type: proto\nembed_model_data: 1", False),
])
def test_weights_are_compiled_in_with_the_graph_only(write, keys, compiled_in):
    assert load(write(f"{GOOD}{keys}\n")).library.embeds_weights == compiled_in


# What to replace in GOOD, by what, and what the message must say.
WRONG = [
    # single values
    ("runtime: cpu", "runtime: gppu", ["deploy.yml:8: models.net.runtime: 'gppu' is not one of "
     "cpu, gpu, dsp, cpu+gpu, cpu+dsp, cpu_gpu; did you mean 'gpu'?", "example: runtime: gpu"]),
    ("runtime: cpu", "runtime:", [":8: models.net.runtime: an empty value is not one of"]),
    ("runtime: cpu", "runtime: [cpu]", [":8: models.net.runtime: '['cpu']' is not one of"]),
    ("platform: onnx", "platform: Onnx", [":5: ", "did you mean 'onnx'?"]),
    ("platform: onnx", "platform: tf_lite",
     [":5: ", "did you mean 'tflite'?", "example: platform: tflite"]),
    ("target_abis: [host]", "target_abis: [arm64-v8]", ["example: target_abis: [arm64-v8a]"]),
    ("runtime: cpu", "runtime: cpu\n    tuning_ms: -5",
     [":9: models.net.tuning_ms: '-5' is not a whole number from 0 to 2147483647"]),
    ("runtime: cpu", "runtime: cpu\n    winograd: 3",
     [":9: models.net.winograd: '3' is not one of 0, 1, 2, 4, 6"]),
    ("runtime: cpu", "runtime: cpu\n    memory_strategy: GREEDILY",
     [":9: models.net.memory_strategy: 'GREEDILY' is not one of ", "MINCOSTFLOW"]),
    ("runtime: cpu", "runtime: cpu\n    memory_savings: [views, ordr]",
     [":9: models.net.memory_savings: 'ordr' is not one of order, views, ",
      "did you mean 'order'"]),
    ("runtime: cpu", "runtime: cpu\n    memory_savings: [none, views]", ["'none' stands alone"]),
    ("runtime: cpu", "runtime: cpu\n    memory_savings: [views, views]",
     ["'views' appears twice"]),
    ("runtime: cpu", "runtime: cpu\n    memory_savings: []", ["the list is empty"]),
    ("runtime: cpu", "runtime: cpu\n    packed_weights: sse", ["'sse' is not one of", "avx512"]),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: 2",
     [":9: models.net.allow_custom_ops: '2' is not 0, 1, all or names of operators"]),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: 0.5", ["'0.5' is not a name"]),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: [all, Blur]", ["'all' stands alone"]),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: [Blur, Blur]", ["appears twice"]),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: [a b]", ["'a b' is no name of an op"]),
    ("runtime: cpu", "runtime: cpu\n    allow_custom_ops: {Blur: 1}", ["is not a name"]),
    ("runtime: cpu", "runtime: cpu\n    embed_memory_plan: 2", ["'2' is not one of 0, 1"]),
    ("runtime: cpu", "runtime: cpu\n    num_threads: 0", [":9: ", "'0' is not -1, or a whole"]),
    ("runtime: cpu", "runtime: cpu\n    memory_limit: -1",
     [":9: models.net.memory_limit: '-1' is not a whole number from 0 to 9223372036854775"]),
    ("runtime: cpu", "runtime: cpu\n    memory_limit: 64M",
     [":9: models.net.memory_limit: '64M' is not a whole number",
      "example: memory_limit: 67108864"]),
    ("runtime: cpu", "runtime: cpu\n    memory_limt: 1", ["did you mean 'memory_limit'?"]),
    ("runtime: cpu", "runtime: cpu\n    data_type: uint8",
     [":9: models.net.data_type: 'uint8' does not go with runtime: cpu, which allows fp32"]),
    ("runtime: cpu", "runtime: cpu\n    validation_threshold: 2",
     [":9: ", "'2' is not above 0 and at most 1"]),
    ("runtime: cpu", "runtime: cpu\n    validation_threshold: {cpuu: 0.5}", ["did you mean 'cpu'"]),
    ("target_abis: [host]", "target_abis: [host, arm64-v8]",
     [":2: target_abis: 'arm64-v8' is not one of host, arm64, armhf, arm64-v8a, armeabi-v7a, "
      "x86_64; did you mean 'arm64-v8a'?"]),
    ("target_abis: [host]", "target_abis: []", [":2: target_abis: the list is empty"]),
    ("library_name: lib", "library_name: ../lib", [":1: library_name: '../lib' names files"]),
    ("  net:", "  'a/b':", [":4: models.a/b: the name of the model: 'a/b' names files"]),
    (SHA, "abc", [":7: ", "'abc' is not a SHA-256 checksum, which has 64 hexadecimal digits "
                  "(this has 3 characters)"]),
    # shapes and ranges
    ("1,3,8,8", "1,2x,8", [":11: models.net.subgraphs[0].input_shapes: '1,2x,8' is not a shape",
                          "example: input_shapes: 1,224,224,3"]),
    ("1,3,8,8", "-2,3,8,8", ["has the extent -2", "-1 or a name where each run chooses"]),
    ("1,3,8,8", "1,3.5,8,8", ["'1,3.5,8,8' is not a shape"]),
    ("1,3,8,8", "''", ["'' is not a shape; a shape is whole numbers with commas", "or [] for"]),
    ("1,3,8,8", "'[], []'", ["'[], []' is not a shape"]),
    ("1,3,8,8", "[[], []]", ["there are 2 for 1 input_tensors"]),
    ("1,3,8,8", "1,99999999999", ["has the extent 99999999999"]),
    ("1,3,8,8", "1,1,1,1,1,1,1,1,1", ["has 9 dimensions, more than 8"]),
    ("1,3,8,8", "true", ["'True' is not a shape"]),
    ("1,3,8,8", "['1,2', '1,3']", [":11: models.net.subgraphs[0].input_shapes: there are 2 for 1 "
                                   "input_tensors (x)"]),
    ("1,3,8,8", "{a: 1}", ["a mapping is not a shape"]),
    ("input_tensors: x", "input_tensors: x\n        input_ranges: 1,-1",
     ["'1,-1' has its low end above its high end"]),
    ("input_tensors: x", "input_tensors: x\n        input_ranges: nan,1", ["is not a range"]),
    ("input_tensors: x", "input_tensors: [x, x]", ["'x' appears twice"]),
    ("input_tensors: x", "input_tensors: ''", ["'' is not a name"]),
    ("input_tensors: x", "input_tensors: x\n        input_data_types: float",
     ["'float' is not one of float32,", "did you mean 'float32'?"]),
    # keys
    ("runtime: cpu", "runtme: cpu", [":8: models.net.runtme: unknown key; did you mean 'runtime'?",
                                     ":4: models.net.runtime: this key is missing"]),
    ("runtime: cpu", "runtime: cpu\n    zzz: 1", ["unknown key; the keys here are preprocess,"]),
    ("runtime: cpu", "runtime: cpu\n    input_shapes: 1,2",
     [":9: models.net.input_shapes: this key does not belong here, but under subgraphs"]),
    ("library_name: lib", "library_name: lib\nruntime: cpu",
     [":2: runtime: this key does not belong here, but under the name of a model"]),
    ("library_name: lib\n", "", ["library_name: this key is missing", "example: library_name:"]),
    ("        input_shapes: 1,3,8,8\n", "",
     ["deploy.yml:10: models.net.subgraphs[0].input_shapes: this key is missing (a shape for"]),
    (f"    model_sha256_checksum: {SHA}\n", "",
     [":4: models.net.model_sha256_checksum: this key is missing",
      f"example: model_sha256_checksum: {SHA}"]),
    # structure
    ("subgraphs:\n      - input", "subgraphs:\n        input",
     ["subgraphs: a mapping is not a list"]),
    ("        output_shapes: 1,10\n", "        output_shapes: 1,10\n      - input_tensors: z\n",
     ["there are 2 entries, but a model has one subgraph"]),
    # files
    ("model_file_path: net.onnx", "model_file_path: nett.onnx",
     [":6: models.net.model_file_path: there is no file 'nett.onnx' (looked in "]),
    ("model_file_path: net.onnx", "model_file_path: nett.onnx", ["; did you mean 'net.onnx'?"]),
    ("model_file_path: net.onnx", "model_file_path: /nope/x.onnx",
     ["there is no file '/nope/x.onnx': there is no folder /nope\n"]),
    ("model_file_path: net.onnx", "model_file_path: /etc/passwd/x",
     ["there is no file '/etc/passwd/x': /etc/passwd is not a folder\n"]),
    ("model_file_path: net.onnx", "model_file_path: .", ["is not a file"]),
    ("model_file_path: net.onnx", "model_file_path: ftp://a/b",
     [":6: ", "only http:// and https:// addresses can be downloaded"]),
    (SHA, "f" * 64, [":7: models.net.model_sha256_checksum: ", f"another checksum, {SHA}",
                     f"example: model_sha256_checksum: {SHA}"]),
    ("runtime: cpu", "runtime: cpu\n    labels: none.txt", [":9: models.net.labels: there is no "
                                                           "file 'none.txt'"]),
    ("runtime: cpu", "runtime: cpu\n    validation_inputs_data: [a.npy, b.npy]",
     [":9: ", "there are 2 files for 1 inputs"]),
    ("runtime: cpu", "runtime: cpu\n    validation_inputs_data: net.onnx",
     ["'net.onnx' is not a .npy file"]),
    ("runtime: cpu", "runtime: cpu\n    preprocess: {resize: 8}", ["'8' is not [height, width]"]),
    ("runtime: cpu", "runtime: cpu\n    preprocess: {mean: [1, 2]}",
     ["there are 2 numbers for 3 channels (rgb)"]),
    ("runtime: cpu", "runtime: cpu\n    preprocess: {meen: 1}", ["did you mean 'mean'?"]),
    ("runtime: cpu", "runtime: cpu\n    preprocess: {scale: fast}", ["'fast' is not a number"]),
    # features that come later
    ("runtime: cpu", "runtime: cpu\n    weight_file_path: net.onnx", ["only Caffe models have"]),
    ("runtime: cpu", "runtime: cpu\n    apu_boost_hint: 1",
     [":9: models.net.apu_boost_hint: this key of later MACE releases has no meaning"]),
    ("runtime: cpu", "runtime: cpu\n    quantize: 2",
     [":9: models.net.quantize: '2' is not a mapping", "samples: data/samples"]),
    # what a library cannot be
    ("library_name: lib", "library_name: lib\nbuild_type: code\nlinkshared: 1",
     [":3: linkshared: models are compiled into a static library only", "linkshared: 0"]),
    ("library_name: lib", "library_name: lib\nmodel_data_format: code",
     [":2: model_data_format: weights are compiled in only with the graph"]),
    ("library_name: lib",
     "library_name: lib\nbuild_type: code\nembed_model_data: 1\nmodel_data_format: file",
     [":4: model_data_format: contradicts embed_model_data: 1"]),
    ("models:\n  net:", "build_type: code\nmodels:\n  net-1.0:",
     [":5: models.net-1.0: build_type: code makes C++ names of", "call the model 'net_1_0'"]),
    ("models:\n  net:", "build_type: code\nmodels:\n  switch:", ["call the model '_switch'"]),
    ("models:\n  net:", "build_type: code\nmodels:\n  3d:", ["call the model '_3d'"]),
    ("library_name: lib", "library_name: lib\nextra_ops: [Sofmax]", ["did you mean 'Softmax'?"]),
    ("library_name: lib", "library_name: lib\nextra_data_types: [f16]",
     [":2: extra_data_types", "did you mean 'fp16'?"]),
    ("library_name: lib", "library_name: lib\ncomponents: [interface]",
     [":2: components", "did you mean 'interfaces'?"]),
    ("library_name: lib", "library_name: lib\nparts: [picture]",
     [":2: parts", "did you mean 'pictures'?"]),
    ("library_name: lib", "library_name: lib\nbuild_type: proto\nmodel_graph_format: code",
     [":3: model_graph_format: contradicts build_type: proto"]),
]  # fmt: skip


@pytest.mark.parametrize("old, new, expected", WRONG, ids=range(len(WRONG)))
def test_wrong_values_say_place_and_cure(write, old, new, expected):
    assert old in GOOD
    message = problems(write(GOOD.replace(old, new))) + "\n"
    for words in expected:
        assert words in message


# Whole files that are wrong, and the message.
WRONG_FILES = [
    (b"", "deploy.yml:1: the file is empty, not a mapping"),
    (b"# nothing\n", "the file is empty"),
    (b"- a\n- b\n", "the file is a list, not a mapping"),
    (b"hello\n", "the file is a text, not a mapping"),
    (b"a: [1, 2\nb: 3\n", "deploy.yml:2: this is not valid YAML"),
    (b"a: 1\n\tb: 2\n", "deploy.yml:2: this is not valid YAML"),
    (b"a: b: c\n", "deploy.yml:1: this is not valid YAML"),
    (b"library_name: a\nlibrary_name: b\n", "deploy.yml:2: this is not valid YAML"),
    (b"a: 1\n---\nb: 2\n", "this is not valid YAML"),
    (b"a: *nobody\n", "undefined alias"),
    (b"a: \x00\n", "this is not valid YAML"),
    (b"\xff\xfe\x00\x01", "not text in UTF-8 (byte 0 is 0xff); did you name the model instead?"),
    (b"x" * (2 << 20), "too large for a deployment file"),
    (b"a: " + b"[" * 1000, "nested too deeply"),
    (b'a: 1\n"b\\ud83d\\ude00": x', r"2: a text has half a character, '\ud83d'; write the"),
    (b"library_name: x\ntarget_abis: [host]\nmodels:\n", "a mapping"),
    (b"library_name: x\ntarget_abis: [host]\nmodels: {}\n", ":3: models: there is nothing in it"),
    (b"library_name: x\ntarget_abis: [host]\nmodels: [a]\n", "models: '['a']' is not a mapping"),
    (b"library_name: x\ntarget_abis: [host]\nmodels: {a: 1}\n", "models.a: '1' is not a mapping"),
    (b"library_name: x\ntarget_abis: [host]\nmodels: {a: }\n", "models.a: an empty value is not"),
    (b"a: 2001-13-45\n", "deploy.yml"),
    (b"a: !!python/object:os.system {}\n", "deploy.yml"),
]  # fmt: skip


@pytest.mark.parametrize("text, expected", WRONG_FILES, ids=range(len(WRONG_FILES)))
def test_wrong_files_are_reported(write, text, expected):
    assert expected in problems(write(text))


def test_a_missing_file_and_a_folder_are_reported(tmp_path):
    assert "nowhere.yml: the deployment file does not exist" in problems(tmp_path / "nowhere.yml")
    assert "the deployment file is a folder" in problems(tmp_path)


def test_an_empty_model_file_is_reported(write, tmp_path):
    path = write(GOOD)
    (tmp_path / "net.onnx").write_bytes(b"")
    assert "net.onnx' is empty" in problems(path)


def test_all_problems_come_at_once_in_the_order_of_the_file(write):
    text = GOOD.replace("runtime: cpu", "runtime: x").replace("library_name: lib", "library: lib")
    text = text.replace("input_tensors: x", "input_tensors: x\n        input_ranges: 2,1")
    message = problems(write(text + text[text.index("  net:") :].replace("net:", "two:")))
    assert message.startswith("deploy.yml has 6 problems; nothing was done")
    lines = [int(s.split(":")[1]) for s in message.splitlines() if s.startswith("deploy.yml:")]
    assert lines == sorted(lines) and len(lines) == 6


def test_a_sound_model_beside_a_wrong_one_is_checked_to_the_end(write):
    second = GOOD[GOOD.index("  net:") :].replace("net:", "two:").replace("net.onnx", "none.onnx")
    message = problems(write(GOOD.replace("runtime: cpu", "runtime: x") + second))
    assert "models.net.runtime: 'x'" in message
    assert "models.two.model_file_path: there is no file 'none.onnx'" in message


# Settings that have no effect yet: a note, not an error.
NOTED = [
    ("runtime: cpu", "runtime: gpu\n    winograd: 6", "the GPU takes those of 4"),
    ("runtime: cpu", "runtime: dsp\n    float32_nodes: c", "only the CPU and the GPU store"),
    ("runtime: cpu", "runtime: dsp", "`build` makes libraries that use the vendor's"),
    ("runtime: cpu", "runtime: cpu\n    limit_opencl_kernel_time: 1", "no effect on the CPU"),
    ("runtime: cpu", "runtime: cpu\n    nnlib_graph_mode: 1", "only the vendor's library for DSPs"),
    ("library_name: lib", "library_name: lib\nembed_model_data: 1", "written to a .data file"),
]


def test_what_the_gpu_does_is_not_noted(write):
    text = GOOD.replace("library_name: lib", "library_name: lib\ntarget_socs: [host]").replace(
        "runtime: cpu", "runtime: gpu\n    limit_opencl_kernel_time: 1\n"
        "    opencl_queue_window_size: 8")
    loaded = load(write(text))
    assert not loaded.notes
    assert loaded.library.models["net"].opencl_queue_window_size == 8


@pytest.mark.parametrize("old, new, expected", NOTED)
def test_what_comes_later_is_noted(write, old, new, expected):
    notes = load(write(GOOD.replace(old, new))).notes
    assert any(expected in note.message for note in notes)
    assert all(note.line for note in notes)
