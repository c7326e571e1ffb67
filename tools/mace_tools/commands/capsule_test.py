"""Bug capsules: what is in them, and that a failure comes again; mace_run is a fake, mostly.

SPDX-License-Identifier: Apache-2.0
"""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.commands.commands_test import place  # noqa: F401, the fixture
from mace_tools.commands.replay import allowed
from mace_tools.run import runner
from mace_tools.support import protos
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing import onnx_file
from mace_tools.testing.needed import need_tools
from mace_tools.testing.onnx_file import node


def replay(place, path, capfd, *more):  # noqa: F811
    code = cli.main(["replay", str(path), f"--mace_run={place.mace_run}", *more])
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.parametrize("fails, failure", [
    ("1", "status 1: ERROR: the engine says no"), ("signal", "signal SIGSEGV")])
def test_a_failure_comes_again(place, monkeypatch, capfd, fails, failure):  # noqa: F811
    assert place.call("convert")[0] == ExitCode.OK
    monkeypatch.setenv("FAKE_FAILS", fails)
    code, out, err = place.call("capsule", "--capsule=c.zip", "--input=models/digits/images/4.png")
    assert code == ExitCode.OK, err
    assert f"replayed: {failure}" in out
    with zipfile.ZipFile("c.zip") as archive:
        told = json.loads(archive.read("capsule.json"))
        net = protos.mace().NetDef.FromString(archive.read("model.pb"))
        data = archive.read("model.data")
        with archive.open(told["inputs"]["t1"]) as file:
            pixels = np.load(file)
    assert told["failure"] == failure and told["device"] == "cpu" and told["machine"]["kernel"]
    original = protos.mace().NetDef.FromString(place.pb.read_bytes())
    assert [op.type for op in net.op] == [op.type for op in original.op]
    assert [list(t.dims) for t in net.tensors] == [list(t.dims) for t in original.tensors]
    for name in (*(op.name for op in original.op), *(t.name for t in original.tensors),
                 "digits", "probabilities"):
        assert name.encode() not in net.SerializeToString(), name
    was = place.data.read_bytes()
    assert len(data) == len(was) and sum(a == b for a, b in zip(data, was)) < 0.5 * len(was)
    assert pixels.shape == (1, 1, 16, 16) or pixels.ndim == 4
    assert replay(place, "c.zip", capfd)[0] == ExitCode.OK
    monkeypatch.delenv("FAKE_FAILS")
    for output in told["outputs"]:
        np.save(place.fake / f"{output}.npy", np.zeros((1, 10), np.float32))
    code, _, err = replay(place, "c.zip", capfd)
    assert code == ExitCode.ERROR
    assert f"does not come again here: there is no failure in place of {failure}" in err


@pytest.mark.parametrize("keys, stored", [
    ("", None), ("data_type: fp16_fp32", "DT_HALF"), ("quantize: {weights_only: int8}", "DT_INT8"),
    ("quantize: {weights_only: int4}", "DT_UINT8"), ("quantize: {dynamic: int8}", "DT_INT8")])
def test_the_engine_itself_fails_again(tmp_path, monkeypatch, capfd, keys, stored):
    """Whatever a weight is stored as: the logarithm of negative numbers."""
    need_tools("bazel")
    mace_run = runner.find(Console(), None)
    monkeypatch.chdir(tmp_path)
    onnx_file.model(
        tmp_path / "m.onnx",
        [node("MatMul", "secret_x secret_w", "a", "secret_layer"), node("Abs", "a", "b", "abs"),
         node("Neg", "b", "c", "neg"), node("Sub", "c one", "d", "sub"),
         node("Log", "d", "secret_y", "log")],
        {"secret_x": [2, 64]}, ["secret_y"],
        {"secret_w": np.random.default_rng(2).normal(size=(64, 96)).astype(np.float32),
         "one": np.ones(1, np.float32)})
    assert cli.main(["init", "m.onnx", "--output=m.yml", "--model_name=m"]) == ExitCode.OK
    text = Path("m.yml").read_text()
    Path("m.yml").write_text(text.replace("    runtime:", f"    {keys}\n    runtime:"))
    capfd.readouterr()
    code = cli.main(["capsule", "--config=m.yml", f"--mace_run={mace_run}"])
    out, err = capfd.readouterr()
    assert code == ExitCode.OK, err
    assert "replayed: NaN or infinity in 1 outputs" in out
    with zipfile.ZipFile("m.capsule.zip") as archive:
        net = protos.mace().NetDef.FromString(archive.read("model.pb"))
        assert b"secret" not in archive.read("model.pb") + archive.read("plan.json")
        assert json.loads(archive.read("plan.json"))["nodes"]
    assert {t.stored_type for t in net.tensors if t.HasField("stored_type")} == (
        {getattr(protos.mace(), stored)} if stored else set())
    assert cli.main(["replay", "m.capsule.zip", f"--mace_run={mace_run}"]) == ExitCode.OK


def test_a_failure_that_depends_on_the_model_is_not_packed(place, monkeypatch):  # noqa: F811
    """The fake fails with the model's own outputs only."""
    assert place.call("convert")[0] == ExitCode.OK
    np.save(place.fake / "probabilities.npy", np.full((1, 10), np.nan, np.float32))
    for k in range(1, 200):
        np.save(place.fake / f"t{k}.npy", np.zeros((1, 10), np.float32))
    code, _, err = place.call("capsule", "--capsule=c.zip")
    assert code == ExitCode.ERROR
    assert ("there is no failure in place of NaN or infinity in 1 outputs. No capsule was written"
            in err)
    assert not (place.folder / "c.zip").exists()


def test_a_model_that_runs_has_no_capsule(place):  # noqa: F811
    place.answer(4)
    code, _, err = place.call("capsule")
    assert code == ExitCode.ERROR and "it runs here without a failure, so there is nothing" in err
    assert not list(place.folder.glob("*.zip"))


def test_a_run_that_hangs(place, monkeypatch, capfd):  # noqa: F811
    assert place.call("convert")[0] == ExitCode.OK
    text = place.mace_run.read_text()
    sleeps = "import time; time.sleep(60)\nimport json"
    place.mace_run.write_text(text.replace("import json", sleeps, 1))
    code, out, err = place.call("capsule", "--capsule=c.zip", "--seconds=0.2")
    assert code == ExitCode.OK, err
    assert "replayed: no end within 0.2 s" in out
    with zipfile.ZipFile("c.zip") as archive:  # neither is a plan waited for
        assert archive.read("plan.json") == b""


TOLD = {"version": 1, "failure": "signal SIGSEGV", "device": "cpu", "flags": [], "inputs": {},
        "outputs": ["t1"]}


@pytest.mark.parametrize("change, reason", [
    ({"flags": ["--dsp_library=/tmp/evil.so"]}, "asks for what no capsule may have"),
    ({"flags": ["--embed_memory_plan=/home/x/.profile"]}, "asks for what no capsule"),
    ({"flags": ["--output_dir=/"]}, "asks for what no capsule"),
    ({"flags": ["--tuning_file=x"]}, "asks for what no capsule"),
    ({"flags": ["--num_threads=1 --json=x"]}, "asks for what no capsule"),
    ({"inputs": {"t1": "../../x"}}, "asks for what no capsule"),
    ({"inputs": {"t1=x --json": "inputs/0.npy"}}, "asks for what no capsule"),
    ({"inputs": ["t1"]}, "cannot be used"),
    ({"outputs": ["../x"]}, "asks for what no capsule"),
    ({"device": "/x"}, "asks for what no capsule"),
    ({"version": 2}, "no capsule of version 1"),
    ({"flags": None}, "cannot be used"),
])
def test_a_hostile_capsule(place, capfd, change, reason):  # noqa: F811
    with zipfile.ZipFile("c.zip", "w") as archive:
        archive.writestr("capsule.json", json.dumps({**TOLD, **change}))
    code, _, err = replay(place, "c.zip", capfd)
    assert code == ExitCode.ERROR and reason in err
    assert not place.calls()


@pytest.mark.parametrize("content, reason", [
    (b"", "no sound zip archive"), (b"PK\x03\x04", "no sound zip archive"), (None, "No such file")])
def test_what_is_no_capsule(place, capfd, content, reason):  # noqa: F811
    if content is not None:
        (place.folder / "c.zip").write_bytes(content)
    code, _, err = replay(place, "c.zip", capfd)
    assert code == ExitCode.ERROR and reason in err


def test_flags_of_a_capsule():
    given = ["--num_threads=2", "--winograd=4", "--gpu_storage_path=/x", "--tuning_file=/y",
             "--allow_nan", "--dsp_program=/z", "--memory_limit=100"]
    assert allowed(given) == ["--num_threads=2", "--winograd=4", "--allow_nan",
                              "--memory_limit=100"]
