"""The keys of a model that are settings of engines, as tools/settings.json describes them.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, create_model

from mace_tools.config import values
from mace_tools.graph.settings import Setting, all_settings

KINDS: dict[str, Any] = {"switch": int, "number": int, "text": str, "list": tuple[str, ...],
                         "shares": tuple[str, ...]}


def reader(setting: Setting) -> Callable[[Any], Any]:
    """Converts what YAML made of a value. Raises ValueError."""
    if setting.type == "list":
        return values.some_of(*setting.choices) if setting.choices else values.texts
    if setting.type == "shares":
        return values.shares
    if setting.type == "switch":
        return values.choice(0, 1)
    if setting.choices:
        kind = KINDS[setting.type]
        return values.choice(*(kind(word) for word in setting.choices))
    if setting.type == "text":
        return values.text
    assert setting.least is not None and setting.most is not None
    return values.whole(setting.least, setting.most, setting.also)


def with_settings(name: str, base: type[BaseModel]) -> Any:
    """A class of sections with a key for each setting that has one. None means that the file lacks
    it."""
    keys: dict[str, Any] = {
        s.yaml: (Annotated[KINDS[s.type] | None, BeforeValidator(reader(s))],
                 Field(None, description=s.doc, examples=[s.example]))
        for s in all_settings().values() if s.yaml}
    return create_model(name, __base__=base, __module__=__name__, **keys)
