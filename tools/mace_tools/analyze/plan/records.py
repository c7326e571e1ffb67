"""Reads usage records: MiniMalloc's CSV, or JSON as mace_run and plan checkers write it.

SPDX-License-Identifier: Apache-2.0

JSON: {"records": [{"name", "size": N or [w, h], "first", "last", "align", "fixed_offset",
"alias_of", "may_overlap": [k]}], "half_open", "alignment", "capacity"}; a record may also be
[size, first, last]. {"plans": [...]} or {"nets": [...]} hold several of these, told apart by name.

CSV: a header with id (buffer, buffer_id), lower (start, begin), upper, or end, which is the last
step itself, size, and maybe alignment. lower..upper is half-open.
"""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mace_tools.analyze.plan.problem import MAX_BYTES, Problem, Record, Saving
from mace_tools.analyze.plan.records_csv import parse_csv
from mace_tools.analyze.plan.records_json import JsonReader
from mace_tools.support.errors import MaceError
from mace_tools.support.limits import read_text
from mace_tools.support.os_errors import explain


def read(path: Path, name: str | None = None) -> Problem:
    """The records of a file; `name` picks one of several. Errors: MaceError with file and line."""
    try:
        text = read_text(path, "utf-8-sig")
    except FileNotFoundError:
        raise MaceError(f"--records={path}: there is no such file") from None
    except UnicodeDecodeError as e:
        raise MaceError(f"{path}: not a text file in UTF-8 (byte {e.start})") from e
    except OSError as e:
        raise MaceError(f"--records={path}: {explain(e)}") from e
    if path.suffix.lower() == ".csv":
        if name is not None:
            raise MaceError(f"--model_name={name}: {path} is CSV, which holds one problem only")
        problem = Problem(path.stem, tuple(parse_csv(path, text)))
    else:
        problem = JsonReader(path).problem(_one(path, _parse(path, text), name))
    check(path, problem)
    return problem


@dataclasses.dataclass(frozen=True)
class EngineMemory:
    """The problems that an engine plans: an arena (None if it is empty) and images of several
    formats. There is none of either where a single step computes the outputs from the inputs."""

    arena: Problem | None
    images: tuple[Problem, ...]
    savings: tuple[Saving, ...]


def from_engine(name: str, text: str) -> EngineMemory:
    """What mace_run --dump=memory_json prints of a model."""
    path = Path("mace_run --dump=memory_json")
    reader, root = JsonReader(path), _one(path, _parse(path, text), None)
    images = reader.images(root)
    arena = dataclasses.replace(reader.problem(root), name=name)
    for problem in (*([arena] if arena.records else []), *images):
        check(path, problem)
    return EngineMemory(arena if arena.records else None, images, reader.savings(root))


def check(path: Path, problem: Problem) -> None:
    """Checks what drawing a record needs; the planner checks the rest. Errors: MaceError."""
    if not problem.records:
        raise MaceError(f"{path}: no records; there is nothing to plan")
    total = 0
    for k, record in enumerate(problem.records):
        fault = _fault(record)
        total += record.count
        if not fault and total > MAX_BYTES:
            fault = f"the sizes up to here add up to {total}, more than 2^63-1 bytes"
        if fault:
            place = f"{path}:{record.where.removeprefix('line ')}" if record.where else str(path)
            raise MaceError(f"{place}: {problem.label(k)}: {fault}")
    if problem.capacity is not None and problem.capacity < 0:
        raise MaceError(f"{path}: capacity is {problem.capacity}; it must not be negative")
    if not _is_power_of_two(problem.alignment):
        raise MaceError(f"{path}: alignment is {problem.alignment}; it must be a power of two")


def _fault(record: Record) -> str:
    """The error of a record, or None."""
    size = record.size[0] if len(record.size) == 1 else list(record.size)
    if any(extent < 0 for extent in record.size):
        return f"size is {size}; it must not be negative"
    if record.count > MAX_BYTES:
        return f"size is {size}, more than 2^63-1 bytes"
    if record.first > record.last:
        return (f"it ends at step {record.last}, before it begins at step {record.first}; "
                "lifetimes run from the first step that uses a record to the last")
    if not -MAX_BYTES <= record.first <= record.last < MAX_BYTES:
        return f"steps {record.first} to {record.last} do not fit 64 bits"
    if not _is_power_of_two(record.align):
        return f"alignment is {record.align}; it must be a power of two"
    return ""


def _is_power_of_two(n: int) -> bool:
    return 0 < n <= MAX_BYTES and n & (n - 1) == 0


def _parse(path: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as e:
        raise MaceError(f"{path}:{e.lineno}:{e.colno}: not JSON: {e.msg}") from e
    except RecursionError as e:
        raise MaceError(f"{path}: nested too deeply to be records") from e
    except ValueError as e:  # more digits than Python converts
        raise MaceError(f"{path}: {e}") from e


def _one(path: Path, root: Any, name: str | None) -> dict[str, Any]:
    """The problem itself, or the one of that name in a list of them."""
    for key in ("plans", "nets"):
        if isinstance(root, dict) and "records" not in root and isinstance(root.get(key), list):
            return _named(path, root[key], name)
    if not isinstance(root, dict):
        raise MaceError(f"{path}: an object with \"records\" is needed, this is {kind(root)}")
    if name is not None and root.get("name") != name:
        raise MaceError(f"--model_name={name}: {path} holds one problem only; leave it out")
    return root


def _named(path: Path, problems: Sequence[Any], name: str | None) -> dict[str, Any]:
    by_name = {str(p.get("name", k)): p for k, p in enumerate(problems) if isinstance(p, dict)}
    if name is None and len(by_name) == 1:
        return next(iter(by_name.values()))
    if name in by_name:
        return by_name[name]
    wrong = f"has no '{name}'" if name else "has several problems"
    raise MaceError(f"{path} {wrong}; choose with --model_name one of {', '.join(by_name)}")


def kind(value: Any) -> str:
    """The JSON name of a value's type."""
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value",
             type(None): "null"}
    return names.get(type(value), "a number")
