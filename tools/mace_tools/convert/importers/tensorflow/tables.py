"""Lookup tables whose contents the file holds: what they are made with goes to where they are read.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.importers.tensorflow.assigned import origin

FIND = ("LookupTableFind", "LookupTableFindV2")
_TABLES = ("HashTable", "HashTableV2")
_FILLS = ("InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2")


def settle(model: SourceModel) -> None:
    """Gives the reads of tables their keys and values as operands in place of the table. Tables
    that are not filled once with constants stay, and are refused with the advice for them."""
    made = model.producers()
    filled: dict[str, list[tuple[str, str]]] = {}
    for node in model.nodes:
        if node.op in _FILLS and len(node.inputs) == 3:
            table, keys, values = (origin(made, name) for name in node.inputs)
            filled.setdefault(table, []).append((keys, values))
    for node in model.nodes:
        if node.op not in FIND or len(node.inputs) != 3:
            continue
        table = origin(made, node.inputs[0])
        maker, contents = made.get(table), filled.get(table, [])
        if maker is not None and maker.op in _TABLES and len(contents) == 1 and all(
                name in model.constants for name in contents[0]):
            node.inputs = [*node.inputs[1:], *contents[0]]
