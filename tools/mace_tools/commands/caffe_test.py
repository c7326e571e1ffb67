"""Caffe models in deployment files and on the command line: their second file.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools import cli, frameworks
from mace_tools.config.load import load
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode, RunFailedError
from mace_tools.testing.caffe_file import Net, uniform


@pytest.fixture
def net(tmp_path, monkeypatch):
    """net.prototxt with its weights, in the working folder."""
    made = Net({"x": (1, 3, 4, 4)})
    made.layer("Convolution", ["x"], "c", "convolution_param { num_output: 2 kernel_size: 3 }",
               uniform(2, 3, 3, 3), uniform(2), name="conv")
    made.layer("ReLU", ["c"], "c", name="relu")
    made.layer("Slice", ["c"], "s t", "slice_param { slice_point: 1 }")
    monkeypatch.chdir(tmp_path)
    return made.save(tmp_path)


@pytest.fixture
def call(net, capfd):
    def run(*arguments):
        code = cli.main([str(a) for a in arguments])
        return code, *capfd.readouterr()

    return run


def drafted(call, *arguments):
    code, out, err = call("init", "net.prototxt", *arguments)
    assert code == ExitCode.OK, err
    with open("my.yml", "w") as file:
        file.write(out)
    return out


def test_a_draft_names_both_files(call):
    text = drafted(call)
    assert "platform: caffe" in text and "weight_file_path: net.caffemodel" in text
    model = load("my.yml").library.models["net"]
    assert model.subgraph.input_shapes == ((1, 3, 4, 4),)
    assert model.subgraph.output_tensors == ("s", "t")
    code, _, err = call("convert", "--config=my.yml")
    assert code == ExitCode.OK and "WARNING" not in err, err


def test_weights_of_another_name(call, net, tmp_path):
    net.with_suffix(".caffemodel").rename(tmp_path / "a.caffemodel")
    (tmp_path / "b.caffemodel").write_bytes((tmp_path / "a.caffemodel").read_bytes())
    code, out, err = call("init", "net.prototxt")
    assert code == ExitCode.OK and "2 weights files lie beside net.prototxt" in err
    text = drafted(call, "--weights=b.caffemodel")
    assert "weight_file_path: b.caffemodel" in text and "--weights=b.caffemodel`" in text
    assert call("convert", "--config=my.yml")[0] == ExitCode.OK
    assert "there is no file 'c.caffemodel'" in call("init", "net.prototxt",
                                                     "--weights=c.caffemodel")[2]
    assert "holds a Caffe weights file (.caffemodel)" in call("init", "b.caffemodel")[2]


def test_other_weights_are_converted_again(call, net):
    text = drafted(call)
    first, rest = text.split("    weight_file_path: net.caffemodel\n")
    rest = rest.partition("\n")[2]  # without the checksum, too: the file beside the network
    with open("my.yml", "w") as file:
        file.write(first + rest)
    assert "net: converted" in call("convert", "--config=my.yml")[1]
    assert "net: up to date" in call("convert", "--config=my.yml")[1]
    weights = net.with_suffix(".caffemodel")
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert "net: converted" in call("convert", "--config=my.yml")[1]


@pytest.mark.parametrize("old, new, message", [
    ("weight_file_path: net.caffemodel", "weight_file_path: ne.caffemodel",
     "models.net.weight_file_path: there is no file 'ne.caffemodel'"),
    ("weight_file_path: net.caffemodel", "weight_file_path: net.prototxt",
     "'net.prototxt' holds a Caffe network (.prototxt), not the weights"),
    ("weight_file_path: net.caffemodel", "weight_file_path: ftp://a/b", "only http://"),
    ("    weight_file_path: net.caffemodel\n", "", "there is no weight_file_path, of which it is"),
    ("weight_sha256_checksum: ", "weight_sha256_checksum: " + "f" * 64 + " #",
     "models.net.weight_sha256_checksum: net.caffemodel has another checksum"),
    ("platform: caffe", "platform: onnx", "not what platform: onnx reads"),
    ("model_file_path: net.prototxt", "model_file_path: net.caffemodel",
     "give its network (.prototxt), and this file as weight_file_path"),
])
def test_wrong_keys(call, old, new, message):
    text = drafted(call)
    assert old in text
    with open("my.yml", "w") as file:
        file.write(text.replace(old, new))
    code, out, err = call("convert", "--config=my.yml")
    assert code == ExitCode.ERROR and message in err and "Traceback" not in err


@pytest.mark.full
def test_opencv_at_the_ends_and_in_between(net):
    x = uniform(1, 3, 4, 4)
    found = frameworks.run("caffe", net, {"x": x}, ["s", "t", "c", "c@conv"])
    assert np.array_equal(found["c"], np.maximum(found["c@conv"], 0))
    assert (found["c@conv"] < 0).any()
    assert np.array_equal(np.concatenate([found["s"], found["t"]], 1), found["c"])
    two = frameworks.run("caffe", net, {"x": np.concatenate([x, x])}, ["t"],
                         net.with_suffix(".caffemodel"))
    assert two["t"].shape == (2, 1, 2, 2)  # another batch size than the file states
    with pytest.raises(RunFailedError, match="OpenCV cannot run .*'c' is not an input"):
        frameworks.run("caffe", net, {"c": x}, ["s"])


ORDERS = [  # input_shapes of a network that states 1,3,4,6
    ("1,4,6,3", "NHWC"), ("1,3,4,6", "NCHW"),
    # other sizes: the channels tell
    ("1,8,10,3", "NHWC"), ("1,3,8,10", "NCHW"), ("1,3,6,3", "NCHW"),
]


@pytest.mark.parametrize("shape, order", ORDERS)
def test_the_network_tells_the_order_of_input_shapes(tmp_path, monkeypatch, capfd, shape, order):
    """As in MACE's own deployment files, whose shapes are in NHWC and which give no formats."""
    made = Net({"x": (1, 3, 4, 6)})
    made.layer("Convolution", ["x"], "y", "convolution_param { num_output: 2 kernel_size: 1 }",
               uniform(2, 3, 1, 1), uniform(2), name="conv")
    monkeypatch.chdir(tmp_path)
    made.save(tmp_path)
    assert cli.main(["init", "net.prototxt", "--output=my.yml"]) == ExitCode.OK
    lines = [line for line in (tmp_path / "my.yml").read_text().splitlines()
             if "data_formats" not in line and "output_shapes" not in line]
    (tmp_path / "my.yml").write_text("\n".join(lines).replace("1,3,4,6", shape))
    code = cli.main(["convert", "--config=my.yml"])
    err = capfd.readouterr().err
    assert code == ExitCode.OK, err
    assert ("input_shapes is taken as NHWC (x)" in err) == (order == "NHWC")
    net = protos.mace().NetDef.FromString((tmp_path / "build/net/model/net.pb").read_bytes())
    n, *given = map(int, shape.split(","))
    height, width = given[:2] if order == "NHWC" else given[1:]
    for info, channels in ((net.input_info[0], 3), (net.output_info[0], 2)):
        assert list(info.dims) == ([n, height, width, channels] if order == "NHWC"
                                   else [n, channels, height, width])
