"""The keys that mace_run knows are those of the schema.

SPDX-License-Identifier: Apache-2.0
"""

import json

from mace_tools.config.schema import Model
from mace_tools.generate import deployment_keys
from mace_tools.graph.settings import all_settings


def test_the_list_has_all_keys_and_settings():
    model = json.loads(deployment_keys.LIST.read_text())["model"]
    assert set(model) == set(Model.model_fields)
    assert {s.yaml for s in all_settings().values() if s.yaml} <= set(model)
