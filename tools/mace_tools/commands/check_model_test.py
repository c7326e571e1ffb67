"""check MODEL, with the engine itself: its numbers, its files, its exit codes.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest

from mace_tools import cli
from mace_tools.analyze.check.report import VERSION
from mace_tools.analyze.plan import records
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO
from mace_tools.testing import onnx_file
from mace_tools.testing.needed import need_tools
from mace_tools.testing.onnx_file import node

DIGITS = REPO / "models" / "digits"
MODELS = Path(os.environ.get("MACE_TEST_DATA") or REPO.parent / "shared") / "models"


@pytest.fixture(scope="session")
def mace_run():
    need_tools("bazel")
    return runner.find(Console(), None)


@pytest.fixture
def check(tmp_path, monkeypatch, capfd, mace_run):
    """Runs the command; returns the exit code, the JSON, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        file = tmp_path / "report.json"
        file.unlink(missing_ok=True)
        code = cli.main(["check", f"--mace_run={mace_run}", f"--json={file}",
                         *map(str, arguments)])
        out, err = capfd.readouterr()
        return code, json.loads(file.read_text()) if file.is_file() else None, out, err

    return call


def small(folder, *more, outputs=("y",)):
    """A 1x1 convolution of 2 channels to 4, on 3x5 pixels: 2 * 4 * 15 multiply-adds."""
    return onnx_file.model(folder / "small.onnx", [node("Conv", "x w b", "c", "conv"),
                                                   node("Sigmoid", "c", "y", "end"), *more],
                           {"x": [1, 2, 3, 5]}, list(outputs),
                           {"w": np.ones((4, 2, 1, 1), np.float32), "b": np.ones(4, np.float32)})


def test_numbers_of_a_model_counted_by_hand(check, tmp_path):
    code, results, out, _ = check(small(tmp_path))
    assert (code, results["exit_code"], results["version"]) == (0, 0, VERSION)
    assert results["plan"]["macs"] == 2 * 4 * 15
    assert results["source"]["parameters"]["count"] == 4 * 2 + 4
    assert results["graph"]["parameters"]["by_type"] == {"float32": {"count": 12, "bytes": 48}}
    assert [(t["to"], "input 'x'" in t["why"], "output 'y'" in t["why"])
            for t in results["graph"]["layout_transposes"]] == [("NHWC", True, False),
                                                                ("NCHW", False, True)]
    assert "multiply-adds: 120" in out and "all convert" in out
    assert {"Conv2d", "Transpose"} <= set(results["library"]["ops"])


@pytest.mark.parametrize("file", ["digits.onnx", "digits.pb", "digits.tflite"])
def test_every_platform_gives_the_same_numbers(check, file):
    """Those of the layers in models/digits/README.md, with batch norm in the convolutions: by
    filter, channels in and out, and pixels."""
    code, results, _, _ = check(DIGITS / file)
    assert code == 0
    assert results["inputs"][0]["dtype"] == "float32" and results["outputs"][0]["shape"] == [1, 10]
    layers = [(9, 1, 16, 64), (9, 1, 16, 64), (1, 16, 32, 64), (9, 32, 64, 16), (1, 256, 10, 1)]
    assert results["plan"]["macs"] == sum(f * i * o * pixels for f, i, o, pixels in layers)
    assert results["graph"]["parameters"]["count"] == sum(f * i * o + o for f, i, o, _ in layers)


@pytest.mark.parametrize("file, parameters, macs", [
    # The numbers of its authors: 1.235 million parameters, 0.35 G multiply-adds.
    ("onnx/squeezenet_imagenet/squeezenet_fp32.onnx", 1_235_496, 349_151_936),
    # Howard et al., table 6 and 7: 0.5 million parameters, 41 million multiply-adds.
    ("tflite/mobilenet_v1_025_224/mobilenet_v1_0.25_224_float.tflite", 467_593, 41_030_528),
    # He et al.: 3.8 G, with the strides of its later form 4.089 G; weights of this file are
    # made by nodes, equal ones once.
    ("onnx/light/light_resnet50.onnx", None, 4_089_184_256)])
def test_published_numbers(check, file, parameters, macs):
    if not (MODELS / file).is_file():
        pytest.skip(f"test data: no {MODELS / file}; MACE_TEST_DATA names the folder")
    _, results, _, _ = check(MODELS / file)
    assert results["plan"]["macs"] == macs
    if parameters is not None:
        assert results["source"]["parameters"]["count"] == parameters


def test_memory_counted_by_hand(check, tmp_path):
    """15 pixels with 2 channels are read while those with 4 are written, all of them floats."""
    memory = check(small(tmp_path))[1]["plan"]["memory"]
    assert sorted(h["bytes"] for h in memory["peak_holders"]) == [15 * 2 * 4, 15 * 4 * 4]
    assert memory["peak_bytes"] == 360 and memory["peak_node"].startswith("Conv2d")
    assert 360 <= memory["lower_bound_bytes"] <= memory["arena_bytes"] <= 360 + 64


def test_what_convert_and_plan_say_of_the_same_model(check, mace_run, tmp_path, capfd):
    shutil.copytree(DIGITS, tmp_path / "models" / "digits")
    config = "models/digits/digits_onnx.yml"
    _, results, _, _ = check("models/digits/digits.onnx")
    assert cli.main(["convert", f"--config={config}"]) == 0
    capfd.readouterr()
    pb = tmp_path / "build" / "digits_onnx" / "model" / "digits_onnx.pb"
    dump = runner.output(mace_run, [f"--model_file={pb}", "--dump=memory_json",
                                    f"--model_data_file={pb.with_suffix('.data')}"])
    arena = records.from_engine("digits", dump).arena
    assert json.loads(dump)["total_size"] == results["plan"]["memory"]["arena_bytes"]
    assert max(r.count for r in arena.records) >= max(
        h["bytes"] for h in results["plan"]["memory"]["peak_holders"])
    code, own, _, _ = check(pb)
    assert code == 0 and own["source"] is None and own["platform"] == "mace"
    assert own["plan"] == results["plan"] and own["graph"] == results["graph"]


def test_a_converted_model_without_its_weights(check, tmp_path):
    shutil.copytree(DIGITS, tmp_path / "models" / "digits")
    assert cli.main(["convert", "--config=models/digits/digits_onnx.yml"]) == 0
    pb = shutil.copy("build/digits_onnx/model/digits_onnx.pb", "alone.pb")
    code, results, _, err = check(pb)
    assert code == 0 and results["plan"] is None and results["graph"]["nodes"] > 3
    assert "alone.data is not there" in err
    assert check(pb, "--input_shape=input=1,1,8,8")[0] == 2


def test_a_model_of_which_a_part_converts(check, tmp_path):
    path = small(tmp_path, node("ImageDecoder", "y", "n", "bad"), outputs=("y", "n"))
    code, results, out, _ = check(path, "--html=report.html", "--onnx_view=view.onnx")
    assert code == results["exit_code"] == 4
    assert results["plan"]["macs"] == 120 and results["converts"]["part"]["nodes"] == 2
    assert "ImageDecoder x1: 'bad'" in out and "help: " in out and "multiply-adds: 120" in out
    assert "ImageDecoder" in (tmp_path / "report.html").read_text()
    view = onnx.load(tmp_path / "view.onnx")
    onnx.checker.check_model(view, full_check=True)
    assert any(a.name == "device" and a.s == b"CPU" for n in view.graph.node for a in n.attribute)


def test_open_shapes_are_named_with_the_flag_that_fixes_them(check, tmp_path):
    path = onnx_file.model(tmp_path / "open.onnx", [node("Relu", "x", "y")],
                           {"x": ["batch", "height", 4]}, ["y"])
    code, results, out, err = check(path, "--onnx_view=view.onnx")
    assert code == 0 and results["plan"] is None
    assert "[batch,height,4]" in out and "--input_shape=x=1,?,4" in out
    assert "was not written" in err and not (tmp_path / "view.onnx").exists()
    code, results, _, _ = check(path, "--input_shape=x=2,3,4")
    assert code == 0 and results["plan"] is not None


def test_custom_ops(check, tmp_path):
    path = small(tmp_path, node("Mine", "y", "z", "app", domain="com.me"), outputs=("z",))
    assert check(path)[0] == 4
    code, results, out, err = check(path, "--allow_custom_ops=com.me.Mine")
    assert code == 0 and results["graph"]["custom_ops"] == {"com.me.Mine": ["z"]}
    assert "the app computes it" in out and "Dump(" in err


def test_what_the_engine_refuses_is_reported_beside_the_rest(check, tmp_path):
    path = onnx_file.model(tmp_path / "huge.onnx", [node("Relu", "x", "y")], {"x": ["n", "m"]},
                           ["y"])
    code, results, out, err = check(path, "--input_shape=x=100000000,1000000000")
    assert code == 7 and results["plan"] is None
    assert "all convert" in out and "are not shown" in err


def test_files_that_are_no_models(check, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no model")
    (tmp_path / "cut.onnx").write_bytes(small(tmp_path).read_bytes()[:-20])
    for name, code, words in (("absent.onnx", 1, "there is no file"),
                              ("folder", 1, "without saved_model.pb"),
                              ("text", 1, "what can be is caffe, "), ("cut.onnx", 3, "truncated")):
        found, results, _, err = check(name)
        assert (found, results) == (code, None) and words in err, name


@pytest.mark.parametrize("flag, code, words", [
    ("--html=absent/x.html", 1, "does not exist"), ("--html=.", 1, "is a folder"),
    ("--onnx_view=absent/x.onnx", 1, "does not exist"),
    ("--input_shape=x=1,-5", 2, "is not NAME=8,224,224,3"),
    ("--input_shape=z=1", 1, "no tensor 'z'"), ("--output_tensors=yy", 1, "did you mean 'y'"),
    ("--input_shape=x=1,2", 1, "2 dimensions"),
    ("--model_name=x", 2, "deployment file"), ("--input=x.npy", 2, "deployment file"),
    ("--allow_custom_ops=Conv", 1, "knows this operator"),
    ("--target_abis=arm65", 2, "arm64")])
def test_flags_that_are_wrong(check, tmp_path, flag, code, words):
    path = small(tmp_path)
    more = ["--measure_library"] if "abis" in flag else []
    found, results, out, err = check(path, flag, *more)
    assert found == code and words in err
    assert results is None and not out
    assert not [p for p in tmp_path.iterdir() if p.name not in ("small.onnx", "report.json")]


def test_model_and_config_exclude_each_other(check, tmp_path):
    shutil.copytree(DIGITS, tmp_path / "models" / "digits")
    config = "--config=models/digits/digits_onnx.yml"
    assert "not both" in check("models/digits/digits.onnx", config)[3]
    code, results, _, err = check(config, "--input_shape=x=1")
    assert code == 2 and results is None and "is for a check of MODEL" in err
    code, _, _, _ = check(config, "--html=report.html", "--onnx_view=view.onnx")
    assert code == 0 and "What runs where" in (tmp_path / "report.html").read_text()
    onnx.checker.check_model(onnx.load(tmp_path / "view.onnx"), full_check=True)


def test_benchmark_writes_a_page_and_a_view_with_times(check, mace_run, tmp_path, capfd):
    shutil.copytree(DIGITS, tmp_path / "models" / "digits")
    code = cli.main(["benchmark", "--config=models/digits/digits_onnx.yml", "--max_num_runs=2",
                     f"--mace_run={mace_run}", "--html=b.html", "--onnx_view=b.onnx",
                     "--omp_num_threads=1"])
    assert code == 0
    text = (tmp_path / "b.html").read_text()
    assert "Time by layer" in text and "measured on this CPU" in text and "1 thread " in text
    view = onnx.load(tmp_path / "b.onnx")
    onnx.checker.check_model(view, full_check=True)
    times = [a.f for n in view.graph.node for a in n.attribute if a.name.startswith("millisec")]
    assert times and all(t >= 0 for t in times)
    for flag in ("--html=absent/x.html", "--onnx_view=."):
        assert cli.main(["benchmark", "--config=models/digits/digits_onnx.yml", flag]) == 1
    capfd.readouterr()
