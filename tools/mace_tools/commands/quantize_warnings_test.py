"""quantize: outputs whose columns differ in size, and what it says about outputs that suffer.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.analyze.quantize.column_order import Columns
from mace_tools.testing.onnx_file import model, node


def drawn(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def detector(path, how):
    """Boxes up to 640 and scores up to 1: of heads that a Concat joins, or of one head whose
    channels are multiplied."""
    nodes = [node("Conv", "x w", "t", pads=[1] * 4), node("Relu", "t", "r")]
    constants = {"w": drawn(0, 16, 3, 3, 3) * np.float32(0.3), "k": np.float32(640)}
    if how == "concat":
        nodes += [node("Conv", "r wb", "bb"), node("Sigmoid", "bb", "bs"), node("Mul", "bs k", "b"),
                  node("Conv", "r wc", "cc"), node("Sigmoid", "cc", "s"),
                  node("Concat", "b s", "y", axis=1)]
        constants |= {"wb": drawn(1, 4, 16, 1, 1), "wc": drawn(2, 5, 16, 1, 1) - np.float32(0.3)}
    else:
        factors = np.float32([640] * 4 + [1] * 5).reshape(1, 9, 1, 1)
        nodes += [node("Conv", "r wd", "d"), node("Sigmoid", "d", "s"), node("Mul", "s f", "y")]
        constants |= {"wd": drawn(3, 9, 16, 1, 1), "f": factors}
    return model(path, nodes, {"x": (1, 3, 24, 24)}, ["y"], constants)


def perceptron(path):
    """A dense layer after another; few inputs of it are of another size."""
    w = drawn(4, 64, 48)
    w[:, 5] *= 40
    return model(path, [node("MatMul", "x w", "h"), node("Relu", "h", "r"),
                        node("MatMul", "r v", "y")], {"x": (1, 64)}, ["y"],
                 {"w": w, "v": drawn(5, 48, 8)})


@pytest.fixture
def quantize(tmp_path, monkeypatch, capfd):
    """Returns the exit status, the report, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(file, shape, *options, samples=8):
        (tmp_path / "s").mkdir(exist_ok=True)
        for k in range(samples):
            np.save(tmp_path / "s" / f"{k}.npy", drawn(100 + k, *shape))
        (tmp_path / "m.yml").unlink(missing_ok=True)
        assert cli.main(["init", str(file), "--model_name=m", "--output=m.yml"]) == 0
        given = ["--samples=s"] if samples else []
        code = cli.main(["quantize", "--config=m.yml", "--json=q.json", *given, *options])
        out, err = capfd.readouterr()
        return code, json.loads((tmp_path / "q.json").read_text())["models"]["m"], out, err

    return run


def test_a_concat_of_ranges_that_differ_stays_in_floats(quantize, tmp_path):
    """In one scale, all scores were one value."""
    code, report, out, err = quantize(detector(tmp_path / "m.onnx", "concat"), (1, 3, 24, 24),
                                      "--strict")
    assert code == 0 and report["warnings"] == [] and "WARNING" not in err
    assert "operands whose ranges differ" in report["left_in_floats"]["y"]
    assert len(report["left_in_floats"]) == 1  # the heads compute quantized values


def test_columns_that_lose_their_order_are_a_warning(quantize, tmp_path):
    file = detector(tmp_path / "m.onnx", "factors")
    code, report, _, err = quantize(file, (1, 3, 24, 24))
    assert code == 0 and report["outputs"]["y"]["similarity"] > 0.99
    text = " ".join(err.split())
    assert "WARNING: m: output 'y': 5 columns lose their order (axis 1: 4, 5, 6, 7, 8)" in text
    assert "the layer at fault is Eltwise 'y'" in text or "at fault is Mul 'y'" in text, text
    assert quantize(file, (1, 3, 24, 24), "--strict")[0] == 5
    # What the warning says helps.
    code, report, _, err = quantize(file, (1, 3, 24, 24), "--strict", "--float_nodes=y")
    assert code == 0 and report["warnings"] == [], err


def test_an_output_far_from_the_float_model_is_a_warning(quantize, tmp_path, monkeypatch):
    from mace_tools.analyze.quantize import ranges

    file = detector(tmp_path / "m.onnx", "concat")
    chosen = ranges.choose
    monkeypatch.setattr(ranges, "choose", lambda *more: tuple(v / 40 for v in chosen(*more)))
    code, report, _, err = quantize(file, (1, 3, 24, 24), "--strict")
    assert code == 5 and "below 0.98; the layer that loses most is" in " ".join(err.split())


def test_weights_only_says_how_similar_the_outputs_are(quantize, tmp_path):
    file = perceptron(tmp_path / "m.onnx")
    code, report, out, err = quantize(file, (1, 64), "--weights_only=int4")
    assert code == 0 and 0.9 < report["outputs"]["y"]["similarity"] < 1
    assert f"output 'y': similarity {report['outputs']['y']['similarity']:.6f}" in out
    code, report, out, _ = quantize(file, (1, 64), "--weights_only=int4", samples=0)
    assert code == 0 and report["outputs"] == {}
    assert "without samples, the outputs were not compared with those of the float model" in out


# A column of the reference, one of the quantized model, and whether its order is lost.
COLUMN = np.linspace(0, 1, 100)
COLUMNS = {"equal": (COLUMN, COLUMN, False), "in steps": (COLUMN, np.rint(COLUMN * 16) / 16, False),
           "one value": (COLUMN, COLUMN * 0 + 0.5, True), "in reverse": (COLUMN, -COLUMN, True),
           "constant in both": (COLUMN * 0 + 3, COLUMN * 0 + 3.1, False),
           "too few to tell": (COLUMN[:20], COLUMN[:20] * 0, False)}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns(name):
    reference, found, is_lost = COLUMNS[name]
    columns = Columns()
    beside = np.linspace(5, 640, len(reference))
    for part in (slice(0, 50), slice(50, None)):  # two samples
        right, ours = (np.stack([beside[part], x[part]], 1)[None] for x in (reference, found))
        if right.size:
            columns.add(ours, right)
    assert columns.lost() == ({2: [1]} if is_lost else {})
