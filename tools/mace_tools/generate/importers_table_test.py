"""docs/front_ends.md has what the importers say.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert import importers
from mace_tools.generate import importers_table


def test_every_format_and_every_operator_has_a_row():
    text = importers_table.PAGE.read_text()
    for platform in set(importers.platforms()) - {"gguf", "huggingface"}:  # without graphs
        registry = importers_table.registry_of(platform)
        assert f"\n## {registry.framework}\n" in text
        assert all(f"`{op}`" in text for op in registry.supported())
        assert text.count(f"\n## {registry.framework}\n") == 1


def test_what_a_function_says():
    functions = importers_table.registry_of("tensorflow").functions()
    conv = importers_table.Behavior(functions["Conv2D"])
    assert {"Conv2d", "Transpose"} <= conv.ops and "refused: padding ..." in conv.refuses
    assert importers_table.Behavior(functions["AddV2"]).ops == {"Eltwise"}
    assert "only Truncate = False" in importers_table.Behavior(functions["Cast"]).refuses
    assert importers_table.Behavior(functions["Identity"]).ops == set()
