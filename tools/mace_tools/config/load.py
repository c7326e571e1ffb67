"""Reads and checks a deployment file; reports everything that is wrong with it at once.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from mace_tools.config import unsupported_keys
from mace_tools.config.checks import Finding, check_library, check_model, check_tags
from mace_tools.config.files import local_path, model_folder, sha256_of
from mace_tools.config.problems import ConfigError, Problem, WrongChoice, did_you_mean
from mace_tools.config.schema import Library, Model, Subgraph
from mace_tools.config.sections import Preprocess, Quantize
from mace_tools.config.values import file_name, shown
from mace_tools.config.yaml_file import YamlFile

# A section that follows the schema: its path, itself, and the features that it may need.
Sound = tuple[tuple[str, ...], Any, Sequence[unsupported_keys.Later]]
SECTIONS: dict[str, type[BaseModel]] = {
    "at the top of the file": Library, "under the name of a model": Model,
    "under subgraphs": Subgraph, "under preprocess": Preprocess, "under quantize": Quantize,
}  # fmt: skip


@dataclass(frozen=True)
class Deployment:
    """A valid deployment file. `notes` say what in it has no effect yet."""

    path: Path
    library: Library
    yaml: YamlFile
    notes: tuple[Problem, ...] = ()

    def file(self, name: str) -> Path:
        """A local file that the deployment file names."""
        return local_path(name, self.path) or Path(name)

    def error(self, keys: Sequence[Any], message: str, example: str = "") -> ConfigError:
        """The error about a key (perhaps with an index) that turns out to be wrong when the model
        is read."""
        plain = keys[:-1] if isinstance(keys[-1], int) else keys
        problem = _problem(self.yaml, plain, message, example)
        return ConfigError(self.path, [replace(problem, line=self.yaml.line(*keys))])


def load(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Deployment:
    """Reads and checks; `overrides` replace keys at the top. Errors: ConfigError."""
    path = Path(path)
    yaml = YamlFile(path)
    if overrides:
        yaml.data.update(overrides)
    problems: list[Problem] = []

    def report(keys: Sequence[Any], message: str, example: str = "") -> None:
        problems.append(_problem(yaml, keys, message, example))

    library, sound = _validated(yaml.data, lambda error: report(*_explain(error, path)))
    notes: list[Problem] = []
    for keys, section, rows in sound:
        check = check_model(section, path) if keys else check_library(section)
        for place, message, example in check:
            report((*keys, *place), message, example)
        for row in unsupported_keys.asked(section, rows):
            problem = _problem(yaml, (*keys, *row.place), row.message, row.example)
            (problems if row.level == unsupported_keys.ERROR else notes).append(problem)
    for place, message, example in () if library is None else check_tags(library):
        report(place, message, example)
    if problems or library is None:
        raise ConfigError(path, problems)
    return Deployment(path, library, yaml, tuple(notes))


def _validated(
    data: dict[str, Any], report: Callable[[Any], None]
) -> tuple[Library | None, list[Sound]]:
    """The whole file if it follows the schema, and all sections that do, to be checked further."""
    library: Library | None = None
    try:
        library = Library.model_validate(data)
    except ValidationError as e:
        for error in e.errors(include_url=False):
            report(error)
    models = data.get("models")
    models = models if isinstance(models, dict) else {}
    parts = [((), Library, {**data, "models": {}}, unsupported_keys.LIBRARY)]
    parts += [(("models", tag), Model, raw, unsupported_keys.MODEL) for tag, raw in models.items()]
    sound: list[Sound] = []
    for keys, section, raw, rows in parts:
        with contextlib.suppress(ValidationError):
            sound.append((keys, section.model_validate(raw), rows))
    if library is not None and not library.models:
        report({"loc": ("models",), "type": "too_short", "input": models})
    return library, sound


def _problem(yaml: YamlFile, keys: Sequence[Any], message: str, example: str) -> Problem:
    name = "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in keys).lstrip(".")
    return Problem(yaml.line(*keys), name, message, example)


def _explain(error: Any, path: Path) -> Finding:
    """An error of pydantic, in terms of the deployment file."""
    loc = tuple(error["loc"])
    kind, value = error["type"], error["input"]
    if loc and loc[-1] == "[key]":
        try:
            file_name(value)
        except ValueError as e:
            return loc[:-1], f"the name of the model: {e}", ""
    section, key = _section(loc), str(loc[-1]) if loc else ""
    if kind == "missing":
        return _missing(loc, section, key, value, path)
    if kind == "extra_forbidden":
        return _unknown(loc, section, key)
    field = section.model_fields.get(key)
    example = f"{key}: {field.examples[0]}" if field is not None and field.examples else ""
    if kind == "value_error":
        return loc, str(error["ctx"]["error"]), _nearer(error["ctx"]["error"], key, example)
    if kind == "too_short":
        return loc, "there is nothing in it", example
    if kind == "too_long":
        return loc, (f"there are {len(value)} entries, but a model has one subgraph; make the "
                     "others models of their own"), ""
    wanted = {"dict_type": "a mapping", "model_type": "a mapping of keys to values",
              "list_type": "a list"}.get(kind, "something else")  # fmt: skip
    return loc, f"{shown(value)} is not {wanted}", example


def _nearer(error: ValueError, key: str, example: str) -> str:
    """The example with the word that the wrong one resembles."""
    if not isinstance(error, WrongChoice) or not error.nearest:
        return example
    return f"{key}: [{error.nearest}]" if example.startswith(f"{key}: [") else (
        f"{key}: {error.nearest}")


def _section(loc: tuple[Any, ...]) -> type[BaseModel]:
    """The class that holds the key at the end of `loc`."""
    if "preprocess" in loc[:-1]:
        return Preprocess
    if "quantize" in loc[:-1]:
        return Quantize
    if "subgraphs" in loc[:-2]:
        return Subgraph
    return Model if loc[:1] == ("models",) and len(loc) > 2 else Library


def _missing(
    loc: tuple[Any, ...], section: type[BaseModel], key: str, value: Any, path: Path
) -> Finding:
    field = section.model_fields[key]
    example = f"{key}: {field.examples[0]}" if field.examples else ""
    if key == "model_sha256_checksum" and isinstance(value, dict):
        model = local_path(str(value.get("model_file_path", "")), path)
        if model is not None and (model.is_file() or model_folder(model)):
            example = f"{key}: {sha256_of(model)}"
    return loc, f"this key is missing ({field.description})", example


def _unknown(loc: tuple[Any, ...], section: type[BaseModel], key: str) -> Finding:
    if key in unsupported_keys.FOREIGN:
        return loc, "this key of later MACE releases has no meaning in this one; remove it", ""
    for place, other in SECTIONS.items():
        if other is not section and key in other.model_fields:
            return loc, f"this key does not belong here, but {place}", ""
    near = did_you_mean(key, list(section.model_fields))
    known = "" if near else f"; the keys here are {', '.join(section.model_fields)}"
    return loc, f"unknown key{near or known}", ""
