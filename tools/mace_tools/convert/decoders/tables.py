"""The table files of architectures: which tensors and options a decoder has. They hold no code.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("architectures")


@dataclass(frozen=True)
class GgufTable:
    """What differs in GGUF files. `names`: of general.architecture."""

    names: tuple[str, ...]
    permuted: bool = False  # rows of q and k: neighbours are rotated, not halves
    fused_qkv: str = ""  # the order there, if it is another
    only_with_config: bool = False  # another table is meant unless a config.json says this one
    # What a file lacks whose model has such a name: it needs a config.json.
    needs_config: dict[str, str] = field(default_factory=dict)
    by_layers: dict[str, dict[str, Any]] = field(default_factory=dict)  # options, by block_count
    defaults: dict[str, Any] = field(default_factory=dict)  # of keys that are absent


@dataclass(frozen=True)
class Table:
    """An architecture. Options have the names of Llama's config.json, with norm_eps for those of
    norms."""

    name: str
    title: str
    model_types: tuple[str, ...]  # of config.json
    prefix: str  # of names of tensors, which some files leave out
    norm: str  # rms or layer
    residual: str  # sequential; sandwich: with norms behind the parts, too
    gated: bool  # the feed-forward part
    gguf: GgufTable
    defaults: dict[str, Any]  # all options that it has besides those of every decoder
    tensors: dict[str, str]  # by role; {n}: the number of the layer
    biases: dict[str, Any]  # by role: whether there is one, or the option that tells
    names: dict[str, str] = field(default_factory=dict)  # what config.json calls options
    norm_plus_one: bool = False  # norms multiply by 1 + weight; in GGUF the 1 is added already
    scaled_embedding: bool = False  # by the root of the width
    rotates: bool = True
    fused_qkv: str = ""  # parts: all queries, then keys, then values; heads: by heads
    transposed: bool = False  # matrices are [in, out] in safetensors
    skipped: tuple[str, ...] = ()  # tensors that are computed
    ignored: tuple[str, ...] = ()  # options that do not matter

    def has(self, role: str) -> bool:
        return bool(self.tensors.get(role))


@functools.cache
def tables() -> dict[str, Table]:
    """All tables by name."""
    return {file.stem: _table(file.stem) for file in sorted(FOLDER.glob("*.toml"))}


def by_model_type(model_type: str) -> Table | None:
    return next((t for t in tables().values() if model_type in t.model_types), None)


def by_gguf_name(name: str) -> Table | None:
    return next((t for t in tables().values()
                 if name in t.gguf.names and not t.gguf.only_with_config), None)


def _table(name: str) -> Table:
    content = _content(name)
    gguf = content.pop("gguf")
    unknown = {*content} - {f.name for f in fields(Table)}
    unknown |= {*gguf} - {f.name for f in fields(GgufTable)}
    if unknown:
        raise ValueError(f"{FOLDER / name}.toml: unknown keys {sorted(unknown)}")
    return Table(name=name, gguf=GgufTable(**_tuples(gguf)), **_tuples(content))


def _content(name: str) -> dict[str, Any]:
    """The keys of a table, and of those that it is like."""
    own = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    like = own.pop("like", "")
    return _merged(_content(like), own) if like else own


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Tables within are merged, too, but for one that is empty, which stays so."""
    both = {key: _merged(base[key], value) if value and isinstance(value, dict) else value
            for key, value in own.items() if isinstance(base.get(key), dict)}
    return {**base, **own, **both}


def _tuples(content: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in content.items()}
