"""The documentation says what the code does, and README what the other pages do.

SPDX-License-Identifier: Apache-2.0
"""

import re

import pytest
from ruamel.yaml import YAML

from mace_tools.commands import COMMANDS
from mace_tools.config.schema import Library, Model, Subgraph
from mace_tools.config.sections import Preprocess
from mace_tools.config.values import sha256
from mace_tools.config.yaml_file import YamlFile
from mace_tools.support.exit_codes import MEANING
from mace_tools.support.protos import REPO

TEXT = (REPO / "docs" / "converter.md").read_text()


def test_every_command_and_exit_code_is_there():
    assert set(re.findall(r"^tools/converter.py (\w+)", TEXT, re.MULTILINE)) == set(COMMANDS)
    codes = TEXT.partition("## Exit codes")[2].partition("\n## ")[0]
    table = re.findall(r"^\| (\d+) \| (.+) \|$", codes, re.MULTILINE)
    assert table == [(str(code.value), text) for code, text in MEANING.items()]


@pytest.mark.parametrize("section", [Library, Model, Subgraph, Preprocess])
def test_every_key_is_there(section):
    missing = [key for key in section.model_fields if f"`{key}`" not in TEXT]
    assert not missing


def test_the_example_obeys_the_schema(tmp_path):
    example = tmp_path / "example.yml"
    example.write_text(re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)[1])
    library = Library.model_validate(YamlFile(example).data)
    assert sha256(library.models["mobilenet_v1"].model_sha256_checksum)


def test_every_model_of_the_zoo_has_a_row():
    """`models/zoo.py` renews the page."""
    zoo = YAML(typ="safe").load(REPO / "models" / "zoo.yml")
    page = (REPO / "docs" / "zoo.md").read_text()
    rows = [row.split(" | ") for row in re.findall(r"^\| (.+) \|$", page, re.MULTILINE)]
    measured = [(row[0], row[1], row[-1]) for row in rows if len(row) == 8][1:]
    assert measured == [(m["name"], m["task"], m["licence"]) for m in zoo["tried"]]
    assert all(sha256(m["sha256"]) for m in zoo["tried"])
    assert all(not {"sha256", "file"} & set(link) and link["url"] in page
               for link in zoo["not_tried"])


# The networks of README by their names in docs/performance.md.
NETWORKS = {"MobileNet v1": "mobilenet_v1", "MobileNet v3": "mobilenet_v3_large",
            "ResNet-50": "resnet50", "BlazeFace": "blazeface"}


def test_the_figures_of_readme_are_those_of_the_speed_page():
    """`test/peers/run.sh --write` renews the latter; then README follows."""
    cells = re.compile(r"^\| (.+) \|$", re.MULTILINE)
    speed = {tuple(row.split(" | ")[:2]): row.split(" | ")
             for row in cells.findall((REPO / "docs" / "performance.md").read_text())}
    shown = {row.split(" | ")[0]: row.split(" | ")
             for row in cells.findall((REPO / "README.md").read_text())}
    for name, network in NETWORKS.items():
        row = speed[network, "1"]
        fastest = min((cell for cell in row[3:7] if cell != "-"), key=float)
        assert shown[name] == [name, row[2], fastest, row[7], *row[9:11]], name
