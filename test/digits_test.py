"""The bundled digits model in its three formats, by the command line: every picture gets its answer.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "models" / "digits"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
FORMATS = ["tf", "onnx", "tflite"]
# float32 against the source framework's float32: 10 sums of at most 288 terms, then a softmax.
TOLERANCE = 1e-5


def run(name, picture, folder, *more):
    """`converter.py run`: the probabilities, its --json, and what it printed."""
    result = folder / "result.json"
    done = subprocess.run(
        [sys.executable, "tools/converter.py", "run", f"--config=models/digits/digits_{name}.yml",
         f"--input={FOLDER / picture}", f"--output={folder}", f"--output_dir={folder / 'out'}",
         f"--json={result}", *more],
        cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(result.read_text())["models"][f"digits_{name}"]
    return np.load(folder / "out" / "probabilities.npy"), facts, done.stdout


@pytest.mark.parametrize("name", FORMATS)
def test_answers_are_those_of_the_source_framework(name, tmp_path):
    for label, picture, expected in zip(EXPECTED["labels"], EXPECTED["images"], EXPECTED[name]):
        actual, facts, _ = run(name, picture, tmp_path)
        np.testing.assert_allclose(actual, [expected], atol=TOLERANCE, rtol=0)
        ((best,),) = facts["top"].values()
        assert best[0]["label"] == str(label)


@pytest.mark.parametrize("name", FORMATS)
def test_validate_agrees(name, tmp_path):
    _, facts, printed = run(name, "images/3.png", tmp_path, "--validate")
    assert facts["validation"]["passed"]
    assert "Similarity Test Passed" in printed


def test_labels_and_expected_answers_agree():
    labels = (FOLDER / "labels.txt").read_text().split()
    for name in FORMATS:
        answers = [labels[int(np.argmax(row))] for row in EXPECTED[name]]
        assert answers == [str(label) for label in EXPECTED["labels"]]


def test_demo_ends_with_the_answer():
    done = subprocess.run(["tools/demo.sh", "4"], cwd=ROOT, text=True, capture_output=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    *_, last = done.stdout.splitlines()
    assert last.startswith("answer: 4  probability: 0.9")
    assert last.endswith("  expected: 4")


def test_demo_refuses_what_it_does_not_know():
    for argument in ("--format=caffe", "eleven"):
        done = subprocess.run(["tools/demo.sh", argument], cwd=ROOT, text=True,
                              capture_output=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith("demo: ")
