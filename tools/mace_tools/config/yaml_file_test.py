"""YAML that contains itself.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.config.problems import ConfigError
from mace_tools.config.yaml_file import YamlFile


@pytest.mark.parametrize("text", ["&r\na: *r\n", "a: &x {<<: *x, b: 1}\n"])
def test_an_alias_of_what_contains_it_is_refused(tmp_path, text):
    path = tmp_path / "deploy.yml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="an alias stands for what contains it"):
        YamlFile(path)
