"""Values of the wrong kind anywhere in a model or a deployment file: an error, never a bug.

SPDX-License-Identifier: Apache-2.0

`init` reads, translates and describes each mutated model. More of them, by hand:
`MACE_MUTANTS=5000 python -m pytest tools/mace_tools/convert/importers/wrong_types_test.py`.
"""

import copy
import json
import os
import random
import re

import pytest

from mace_tools import cli
from mace_tools.config import load as config
from mace_tools.convert.exporters import torch_program
from mace_tools.convert.exporters.torch_archive_test import PROGRAM
from mace_tools.convert.importers.onnx.reader import PROTO as ONNX
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker
from mace_tools.support import protos
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.mutated_protos import mutated
from mace_tools.testing.onnx_cases import CASES, save

MUTANTS = int(os.environ.get("MACE_MUTANTS", "40"))
EXPECTED = {ExitCode.OK, ExitCode.ERROR, ExitCode.BAD_MODEL, ExitCode.UNSUPPORTED_OPS,
            ExitCode.USAGE}


def init(path, capsys):
    code = cli.main(["init", str(path), "--output", str(path.with_suffix(".yml")), "--force"])
    printed = capsys.readouterr()
    assert code in EXPECTED, printed.err
    for text in printed:
        assert all(c.isprintable() or c == "\n" for c in text), repr(text)
        assert all(len(line) < 3000 for line in text.splitlines()), text


def onnx_bases(path):
    message = protos.load(ONNX).ModelProto
    ops = random.Random(1).sample(sorted(CASES), min(MUTANTS, len(CASES)))
    return [message.FromString(save(path, op, CASES[op]).read_bytes()) for op in ops]


def tensorflow_bases(path):
    import numpy as np

    small = Maker()
    small.node("y", "Relu6", small.placeholder("x", 2, 3))
    conv = Maker()
    conv.node("y", "Conv2D", conv.placeholder("x", 1, 4, 4, 3),
              conv.const("w", np.ones((2, 2, 3, 1), np.float32)), strides=[1, 1, 1, 1],
              padding="SAME", data_format="NHWC")
    pad = Maker()
    pad.node("y", "StridedSlice", pad.placeholder("x", 2, 3), *(
        pad.const(n, np.int32([v])) for n, v in (("a", 0), ("b", 1), ("c", 1))),
        shrink_axis_mask=1)
    return [small.graph, conv.graph, pad.graph]


@pytest.mark.parametrize("name, bases", [("m.onnx", onnx_bases), ("m.pb", tensorflow_bases)])
def test_mutated_messages(tmp_path, capsys, name, bases):
    path, rng = tmp_path / name, random.Random(7)
    found = bases(path)
    for k in range(MUTANTS):
        path.write_bytes(mutated(found[k % len(found)], rng, rng.choice([1, 1, 2, 4]))
                         .SerializeToString())
        init(path, capsys)


NET = """
input: "x" input_shape { dim: 1 dim: 3 dim: 8 dim: 8 }
layer { name: "p" type: "Pooling" bottom: "x" top: "p"
        pooling_param { pool: MAX kernel_size: 2 stride: 2 pad: 0 } }
layer { name: "s" type: "Slice" bottom: "p" top: "a" top: "b"
        slice_param { axis: 1 slice_point: 1 } }
layer { name: "r" type: "Reshape" bottom: "b" top: "c" reshape_param { shape { dim: 0 dim: -1 } } }
layer { name: "e" type: "Eltwise" bottom: "c" bottom: "c" top: "y"
        eltwise_param { operation: SUM coeff: 1 coeff: 0.5 } }
"""
WORDS = ("-1", "0", "1e300", "nan", "99999999999", '"text"', "MAX", "true", "{ }", "", '"\\000"')


def test_mutated_networks_of_caffe(tmp_path, capsys):
    path, rng = tmp_path / "net.prototxt", random.Random(3)
    places = [m.span() for m in re.finditer(r'(?<=: )("[^"]*"|[\w.-]+)|\{', NET)]
    for _ in range(MUTANTS):
        begin, end = rng.choice(places)
        path.write_text(NET[:begin] + rng.choice(WORDS) + NET[end:])
        init(path, capsys)


VALUES = (None, -1, 0, 1 << 70, 0.5, float("inf"), "", "x", "a: b", True, [], [[]], [None], {},
          "\0", "a\0b", "~nobody/x", "n" * 5000, "/" * 300, "x\x1b[31m", "\ud800", "../" * 2000,
          "https://[", "ftp://x", [-1, 8], ["1"], "1,2,3,", ",", "1e9,2", "-1,0", "nan,nan",
          {"a": 1}, [1, "x"], {"__enum__": 1})


def changed(data, rng):
    """A copy with another value somewhere."""
    whole = copy.deepcopy(data)
    places = []

    def walk(part):
        for key in list(part) if isinstance(part, dict) else range(len(part)):
            places.append((part, key))
            if isinstance(part[key], (dict, list)):
                walk(part[key])

    walk(whole)
    part, key = rng.choice(places)
    part[key] = rng.choice(VALUES)
    return whole


def test_mutated_programs_of_pytorch():
    rng = random.Random(5)
    for _ in range(10 * MUTANTS):
        try:
            torch_program.checked(json.dumps(changed(PROGRAM, rng)).encode())
            torch_program.checked_config(json.dumps(changed({"config": {"w": {
                "path_name": "weight_0", "use_pickle": False, "tensor_meta": {
                    "sizes": [{"as_int": 2}]}}}}, rng)).encode())
        except torch_program.Refused:
            continue


def test_mutated_deployment_files(tmp_path):
    save(tmp_path / "m.onnx", "Relu", CASES["Relu"])
    path, rng = tmp_path / "m.yml", random.Random(9)
    whole = {"library_name": "x", "target_abis": ["host"], "models": {"m": {
        "platform": "onnx", "model_file_path": str(tmp_path / "m.onnx"),
        "model_sha256_checksum": "0" * 64, "runtime": "cpu", "data_type": "fp32_fp32",
        "limit_opencl_kernel_time": 0, "winograd": 4, "labels": "l.txt",
        "preprocess": {"resize": [8, 8], "mean": [1, 2, 3], "scale": 0.1, "channels": "rgb"},
        "subgraphs": [{"input_tensors": ["x"], "input_shapes": ["2,3,4"], "input_ranges": ["0,1"],
                       "input_data_types": ["float32"], "output_tensors": ["y0"],
                       "output_shapes": ["2,3,4"], "check_tensors": ["y0"],
                       "validation_inputs_data": ["x.npy"]}],
        "quantize": {"type": "int8"}}}}
    for _ in range(2 * MUTANTS):
        path.write_text(json.dumps(changed(whole, rng)))  # JSON is YAML
        try:
            config.load(path)
        except MaceError as e:
            assert str(e)
