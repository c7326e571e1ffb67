"""The names of what a model sees, and labels that do not fit its scores.

SPDX-License-Identifier: Apache-2.0
"""

from types import SimpleNamespace

import numpy as np
import pytest

from mace_tools.commands import labels
from mace_tools.support.console import Console
from mace_tools.testing.workplace import Workplace


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    return Workplace(tmp_path, monkeypatch, capfd)


def test_labels_that_fit_no_output_are_noted(place):
    place.answer(0)
    (place.folder / "models" / "digits" / "labels.txt").write_text("a\nb\n")
    code, out, err = place.call("run")
    assert code == 0 and "labels has 2 lines; no output has so many" in err
    assert "Top 5 of probabilities\n  1  class 0  0.99" in out  # scores without labels


@pytest.mark.parametrize("lines, first, message", [
    (["background", *"0123456789"], "3", "the first, 'background', is taken for a class that this "
     "model does not have, so that score 0 is '0'"),
    (["Dummy", *"0123456789"], "3", "labels has 11 lines for 10 scores"),
    (list("0123456789x"), "class 3", "Remove the line that is no label of this model"),
    (list("123456789"), "class 3", "put a line 'background' before the first label"),
    (["background", *"123456789"], "3", ""),
])
def test_labels_that_are_off_by_one(place, lines, first, message):
    place.answer(3)
    file = place.folder / "models" / "digits" / "labels.txt"
    file.write_text("\ufeff" + "\n".join(lines) + "\n\n")
    code, out, err = place.call("run")
    assert code == 0 and message in err and f"Top 5 of probabilities\n  1  {first} " in out
    assert message or "labels" not in err


def test_a_lone_background_fits_no_output_without_scores():
    context = SimpleNamespace(console=Console(), args=SimpleNamespace(wide=False))
    assert labels.show_top(context, "net", {"y": np.zeros([1, 0])}, ["background"]) == {}


def test_labels_are_ordered_per_row():
    scores = np.array([[0.1, 0.7, 0.2], [0.5, 0.5, 0.0]], np.float32)
    rows = labels.top_labels(scores, ["a", "bb", "c"])
    assert [[e["label"] for e in row] for row in rows] == [["bb", "c", "a"], ["a", "bb", "c"]]
    text = labels.top_table("y", rows)
    assert text.splitlines()[:2] == ["Top 3 of y, row 0", "  1  bb  0.700000"]


def test_long_labels_fit():
    rows = [[{"label": "x" * 200, "score": 0.5}, {"label": "short", "score": 0.25}]]
    assert max(map(len, labels.top_table("y", rows, 60).splitlines())) == 60
    assert max(map(len, labels.top_table("y", rows).splitlines())) > 200
