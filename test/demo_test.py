"""tools/demo.sh ends with the answer, and models/digits holds together.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "models" / "digits"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
FORMATS = ["tf", "onnx", "tflite"]


def demo(*arguments):
    return subprocess.run(["tools/demo.sh", *arguments], cwd=ROOT, text=True, capture_output=True,
                          check=False)


@pytest.mark.full
def test_the_last_line_is_the_answer():
    done = demo("4")
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    match = re.fullmatch(r"answer: 4  probability: (0\.\d+)  expected: 4", last)
    assert match, last
    assert float(match[1]) == pytest.approx(EXPECTED["onnx"][4][4], abs=1e-4)


@pytest.mark.full
def test_text_is_written():
    done = demo("--text", "In the beginning God")
    assert done.returncode == 0, done.stderr
    text = done.stdout.rpartition("== writing:")[2].partition("\n")[2]
    assert len(text.split()) > 20
    assert re.search(r"\d+ new tokens at [\d.]+ a second, [\d.]+ MB", done.stderr)


@pytest.mark.parametrize("argument", ["--format=caffe", "eleven", "--format"])
def test_wrong_arguments_are_refused(argument):
    done = demo(argument)
    assert done.returncode == 2
    assert done.stderr.startswith("demo: ")
    assert done.stdout == ""


@pytest.mark.parametrize("name", FORMATS)
def test_the_checksum_is_that_of_the_model(name):
    text = (FOLDER / f"digits_{name}.yml").read_text()
    model = ROOT / re.search(r"model_file_path: (\S+)", text)[1]
    digest = re.search(r"model_sha256_checksum: (\S+)", text)[1]
    assert hashlib.sha256(model.read_bytes()).hexdigest() == digest
    assert model.stat().st_size < 500_000


def test_the_source_frameworks_name_every_picture():
    labels = (FOLDER / "labels.txt").read_text().split()
    assert EXPECTED["images"] == [f"images/{digit}.png" for digit in labels]
    for name in FORMATS:
        answers = [labels[int(np.argmax(row))] for row in EXPECTED[name]]
        assert answers == [str(label) for label in EXPECTED["labels"]]
