"""docs/front_ends.md is what the importers say today.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools import front_ends, importers


def test_the_page_is_up_to_date():
    assert front_ends.page() == front_ends.PAGE.read_text(), (
        "out of date: run `python -m mace_tools.front_ends --docs` in tools/")


def test_every_format_and_every_operator_has_a_row():
    text = front_ends.PAGE.read_text()
    for platform in importers.platforms():
        registry = front_ends.registry_of(platform)
        assert f"\n## {registry.framework}\n" in text
        assert all(f"`{op}`" in text for op in registry.supported())
        assert text.count(f"\n## {registry.framework}\n") == 1


def test_what_a_function_says():
    functions = front_ends.registry_of("tensorflow").functions()
    conv = front_ends.Facts(functions["Conv2D"])
    assert {"Conv2d", "Transpose"} <= conv.ops and "refused: padding ..." in conv.refuses
    assert front_ends.Facts(functions["AddV2"]).ops == {"Eltwise"}
    assert "only Truncate = False" in front_ends.Facts(functions["Cast"]).refuses
    assert front_ends.Facts(functions["Identity"]).ops == set()
