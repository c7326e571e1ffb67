"""Models with ops that only the app has: from ONNX, through the package, to an app in C++ and C.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import subprocess
from pathlib import Path

import consumers
import numpy as np
import pytest
from consumers import pkg_config, run

from mace_tools import cli
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing import onnx_file
from mace_tools.testing.needed import need_tools
from mace_tools.testing.onnx_file import node

pytestmark = pytest.mark.deep
APP = Path(__file__).parent / "custom_ops"
DOMAIN = "com.acme"
CONFIG = """\
library_name: own_ops
target_abis: [host]
build_type: proto
models:
  own:
    platform: onnx
    model_file_path: {path}
    model_sha256_checksum: {checksum}
    runtime: cpu
    allow_custom_ops: [com.acme.RunningSum, com.acme.Threshold]
    subgraphs:
      - input_tensors: x
        input_shapes: 1,2,3,4
        output_tensors: y
        output_shapes: 1,2,3,4
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """threshold(running_sum(conv(x))) + x, where the order of the axes matters."""
    folder = tmp_path_factory.mktemp("own_ops")
    weights = np.array([[1, 2], [-1, 0.5]], np.float32).reshape(2, 2, 1, 1)
    path = onnx_file.model(folder / "own.onnx", [
        node("Conv", "x w", "c", kernel_shape=[1, 1]),
        node("RunningSum", "c", "r", "sum", DOMAIN, window=2),
        node("Threshold", "r", "t", "cut", DOMAIN, limit=-0.25),
        node("Add", "t x", "y"),
    ], {"x": (1, 2, 3, 4)}, ["y"], {"w": weights})
    file = folder / "own.yml"
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    file.write_text(CONFIG.format(path=path, checksum=checksum))
    return file


def expected(x):
    """As the app computes it, by NumPy."""
    c = np.stack([x[:, 0] + 2 * x[:, 1], 0.5 * x[:, 1] - x[:, 0]], 1)
    r = c.copy()
    r[..., 1:] += c[..., :-1]
    return np.where(r < -0.25, 0, r) + x


@pytest.fixture(scope="module")
def package(config):
    need_tools("bazel", "pkg-config")
    place = consumers.Place(config.parent)
    assert place.build(config) == 0
    return place.unpacked("own_ops")


@pytest.fixture(scope="module")
def app(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("app")
    flags = pkg_config(package, "host")
    warnings = ["-Wall", "-Wextra", "-Wshadow", "-Werror", "-pedantic"]
    run(["gcc", "-std=c99", *warnings, "-c", str(APP / "threshold.c"), "-o",
         str(folder / "threshold.o"), *[f for f in flags if f.startswith("-I")]])
    run(["g++", "-std=c++11", *warnings, str(APP / "app.cc"), str(folder / "threshold.o"), "-o",
         str(folder / "app"), *flags])
    return folder / "app"


def start(app, package, ops, x):
    return subprocess.run([app, package / "model/own.pb", package / "model/own.data", ops],
                          input=x.tobytes(), capture_output=True, check=False)


def test_an_app_runs_its_own_ops(app, package):
    x = np.random.default_rng(5).uniform(-1, 1, (1, 2, 3, 4)).astype(np.float32)
    done = start(app, package, "all", x)
    assert done.returncode == 0, done.stderr.decode()
    y = np.array([float.fromhex(word) for word in done.stdout.decode().split()], np.float32)
    np.testing.assert_allclose(y.reshape(x.shape), expected(x), atol=1e-6)


def test_an_app_without_one_of_them_is_told_which(app, package):
    x = np.zeros((1, 2, 3, 4), np.float32)
    for ops, missing in (("RunningSum", "com.acme.Threshold"), ("none", "com.acme.RunningSum")):
        done = start(app, package, ops, x)
        assert done.returncode == 1
        text = done.stderr.decode()
        assert f"this build has no op '{missing}'" in text and "MaceOpResolver::AddCustom" in text


def test_commands_say_what_the_app_must_register(config, capfd):
    def call(command):
        code = cli.main([command, f"--config={config}", f"--output={config.parent / 'out'}"])
        return code, *capfd.readouterr()

    code, out, err = call("check")
    assert code == ExitCode.OK
    assert "com.acme.RunningSum: 'r'" in out and "com.acme.Threshold: 't'" in out
    assert "custom ops that the app must register: com.acme.RunningSum, com.acme.Thres" in err
    code, out, err = call("run")
    assert code == ExitCode.ERROR
    assert "mace_run does not have the custom ops com.acme.RunningSum, com.acme.Thresh" in err
