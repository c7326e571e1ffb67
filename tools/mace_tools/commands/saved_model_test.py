"""The folder of a SavedModel through the commands: drafted, converted, compared with TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

from types import SimpleNamespace

import numpy as np
import pytest

from mace_tools import cli, frameworks
from mace_tools.commands import source_run
from mace_tools.convert import importers
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.lazily import tf


def two_signatures():
    class Scaler(tf.Module):
        """Two signatures."""

        def __init__(self):
            super().__init__()
            self.factor = tf.Variable([1.0, 2.0, 3.0])

        @tf.function(input_signature=[tf.TensorSpec([2, 3], tf.float32, "x")])
        def scale(self, x):
            return x * self.factor

        @tf.function(input_signature=[tf.TensorSpec([2, 3], tf.float32, "x")])
        def clip(self, x):
            return tf.nn.relu6(x * self.factor)

    return Scaler()


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    model = two_signatures()
    tf.saved_model.save(model, "saved", signatures={"scale": model.scale, "clip": model.clip})

    def run(*arguments):
        code = cli.main(list(arguments))
        return code, *capfd.readouterr()

    capfd.readouterr()
    return run


def test_drafted_and_converted(call, tmp_path):
    code, draft, err = call("init", "saved", "--signature=clip")
    assert code == ExitCode.OK, err
    assert "signature: clip\n" in draft and "model_file_path: saved\n" in draft
    (tmp_path / "my.yml").write_text(draft)
    code, _, err = call("convert", "--config=my.yml")
    assert code == ExitCode.OK, err
    # The weights changed, and then the signature: both are another model.
    shard, = (tmp_path / "saved" / "variables").glob("*.data-*")
    shard.write_bytes(shard.read_bytes()[::-1])
    code, _, err = call("convert", "--config=my.yml")
    assert code == ExitCode.ERROR and "has another checksum" in err


def test_another_signature_is_converted_again(call, tmp_path):
    (tmp_path / "my.yml").write_text(call("init", "saved", "--signature=clip")[1])
    assert call("convert", "--config=my.yml")[0] == ExitCode.OK
    draft = call("init", "saved", "--signature=scale")[1]
    (tmp_path / "my.yml").write_text(draft)
    assert "converted saved" in call("convert", "--config=my.yml")[2]


def test_tensors_have_the_names_of_the_signature_as_well(call, tmp_path):
    draft = call("init", "saved", "--signature=clip")[1]
    assert "input_tensors: clip_x  # x of the signature\n" in draft
    assert "# output_0 of the signature\n" in draft
    own = next(s.split()[1] for s in draft.split("\n") if "output_tensors" in s)
    (tmp_path / "my.yml").write_text(draft.replace(": clip_x", ": x").replace(own, "output_0"))
    code, _, err = call("convert", "--config=my.yml")
    assert code == ExitCode.OK, err
    model = importers.read("tensorflow", tmp_path / "saved", "clip")
    sub = SimpleNamespace(platform="tensorflow", signature="clip")
    x = np.float32([[-1, 2, 3], [4, -5, 6]])
    got = source_run.outputs(sub, tmp_path / "saved", None, model, {"x": x}, ["output_0"])
    assert got["output_0"].tolist() == np.clip(x * [1, 2, 3], 0, 6).tolist()


def test_signatures_that_are_not_there(call, tmp_path):
    code, _, err = call("init", "saved")
    assert code == ExitCode.ERROR and "it has 'clip', 'scale': name one of them" in err
    assert "give it as --signature=clip" in err
    draft = call("init", "saved", "--signature=scale")[1]
    (tmp_path / "my.yml").write_text(draft.replace("signature: scale", "signature: scael"))
    code, _, err = call("convert", "--config=my.yml")
    assert code == ExitCode.ERROR
    assert "my.yml:9: models.saved.signature" in err and "did you mean 'scale'?" in err
    assert "example: signature: scale" in err


@pytest.mark.full
def test_tensorflow_runs_it(call, tmp_path):
    x = np.float32([[-1, 2, 3], [4, -5, 6]])
    draft = call("init", "saved", "--signature=clip")[1]
    names = [line.split(": ")[1].split()[0] for line in draft.split("\n") if "put_tensors" in line]
    got = frameworks.run("tensorflow", tmp_path / "saved", {names[0]: x}, [names[1]])
    assert got[names[1]].tolist() == np.clip(x * [1, 2, 3], 0, 6).tolist()
