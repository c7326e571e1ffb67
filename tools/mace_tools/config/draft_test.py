"""Drafts are YAML, whatever a model calls things.

SPDX-License-Identifier: Apache-2.0
"""

from ruamel.yaml import YAML

from mace_tools.config import draft
from mace_tools.config.draft import Draft, End


def test_the_name_of_a_role_writes_no_keys():
    end = End("x", (1, 4), role="a\nruntime: gpu\nb")
    text = draft.text(Draft("net", "onnx", "net.onnx", "a" * 64, [end], [end], "init"))
    model = YAML(typ="safe").load(text)["models"]["net"]
    assert model["runtime"] == "cpu" and model["subgraphs"][0]["input_tensors"] == "x"
    assert "# a\\nruntime: gpu\\nb of the signature" in text
