"""Graphs of TensorFlow's quantized operators, from their file to a validated answer.

SPDX-License-Identifier: Apache-2.0
"""

import json

import pytest

from mace_tools import cli
from mace_tools.convert.importers.tensorflow import quantized_test as graphs
from mace_tools.testing.lazily import tf

pytestmark = pytest.mark.full


def frozen(x):
    return graphs.network(graphs.quantized(x, *graphs.RANGE), graphs.frozen)


def computed(x):
    return graphs.network(graphs.quantized(x, tf.reduce_min(x), tf.reduce_max(x)), graphs.shrunk)


@pytest.mark.parametrize("make, most", [(frozen, 0.03), (computed, 0.02)])
def test_run_validates(make, most, tmp_path, capsys):
    graphs.save(tmp_path / "m.pb", make)
    assert cli.main(["init", str(tmp_path / "m.pb")]) == 0
    (tmp_path / "my.yml").write_text(capsys.readouterr().out)
    assert cli.main(["run", f"--config={tmp_path / 'my.yml'}", f"--output={tmp_path}", "--validate",
                     f"--json={tmp_path / 'r.json'}"]) == 0  # fmt: skip
    (report,) = json.loads((tmp_path / "r.json").read_text())["models"].values()
    assert report["validation"]["max_rel_error"] == most
    assert report["validation"]["outputs"][0]["similarity"] > 0.998
