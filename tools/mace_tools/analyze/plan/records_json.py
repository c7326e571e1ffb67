"""Usage records in JSON, as plan checkers read them, and the additions of mace_run.

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses
import re
from pathlib import Path
from typing import Any

from mace_tools.analyze.plan.problem import Overlap, Problem, Record, Saving, Step
from mace_tools.support.errors import MaceError

_LABEL = re.compile(r"([\w+]+) '(.*)'", re.DOTALL)


class JsonReader:
    """Errors: MaceError naming the record and the key."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._label = ""

    def problem(self, root: dict[str, Any]) -> Problem:
        records = root.get("records")
        if not isinstance(records, list):
            raise self._error('"records" must be a list; it is missing' if records is None else
                              '"records" must be a list')
        half_open = root.get("half_open") is True
        steps = self._steps(root)
        return Problem(
            name=str(root.get("name") or self._path.stem),
            records=tuple(self._record(k, r, half_open, steps) for k, r in enumerate(records)),
            alignment=self._number(root, "alignment", default=1),
            capacity=self._optional(root, "capacity"),
            steps=steps)

    def images(self, root: dict[str, Any]) -> tuple[Problem, ...]:
        """The images of an engine on a GPU: a problem for each format, because formats never share
        memory."""
        found = root.get("images") or {}
        records = found.get("records") or []
        steps = self._steps(root)
        limits = tuple(found.get("max_extents") or ()) or None
        problems = []
        for kind in sorted({str(r.get("format")) for r in records}):
            of_kind = [r for r in records if str(r.get("format")) == kind]
            problems.append(Problem(
                name=f"images of {kind}", steps=steps, max_extents=limits,
                records=tuple(dataclasses.replace(self._record(k, r, False, steps),
                                                  element_bytes=self._number(r, "pixel_bytes"))
                              for k, r in enumerate(of_kind))))
        return tuple(problems)

    def savings(self, root: dict[str, Any]) -> tuple[Saving, ...]:
        """The savings before planning that the engine reports."""
        return tuple(Saving(str(s.get("name", "")), self._number(s, "before"),
                            self._number(s, "after")) for s in root.get("savings") or ())

    def _record(
        self, index: int, given: Any, half_open: bool, steps: tuple[Step, ...]
    ) -> Record:
        self._label = f"record {index}"
        if isinstance(given, list) and len(given) == 3:
            given = dict(zip(("size", "first", "last"), given))
        if not isinstance(given, dict):
            raise self._error("must be an object with size, first and last, or those three in a "
                              "list")
        if given.get("name"):
            self._label += f" '{given['name']}'"
        if self._number(given, "pool", default=0) != 0:
            raise self._error(f"pool is {given['pool']}; plan the records of each pool by "
                              "themselves and leave pool out")
        first = self._number(given, "first", "first_task")
        writer = steps[first].op if 0 <= first < len(steps) else ""
        record = Record(
            name=str(given.get("name") or ""),
            size=self._size(given),
            first=first,
            last=self._number(given, "last", "last_task") - half_open,
            align=self._number(given, "align", "alignment", default=1),
            fixed_offset=self._optional(given, "fixed_offset"),
            alias_of=self._optional(given, "alias_of"),
            alias_offset=self._number(given, "alias_offset", default=0),
            overlaps=tuple(self._overlaps(given)),
            op=str(given.get("op") or writer))
        self._label = ""
        return record

    def _size(self, given: dict[str, Any]) -> tuple[int, ...]:
        size = given.get("size")
        extents = size if isinstance(size, list) else [size]
        if not 1 <= len(extents) <= 4 or not all(_is_whole(e) for e in extents):
            raise self._error(f"size is {_shown(given, 'size')}; it must be a number of bytes, or "
                              "a list of up to four extents")
        return tuple(extents)

    def _overlaps(self, given: dict[str, Any]) -> list[Overlap]:
        """"overlaps" gives the distance; "may_overlap" allows any distance."""
        exact = given.get("overlaps") or []
        anywhere = given.get("may_overlap") or []
        if not isinstance(exact, list) or not all(isinstance(o, dict) for o in exact):
            raise self._error('overlaps must be a list of {"other", "safe_distance"}')
        if not isinstance(anywhere, list) or not all(_is_whole(k) for k in anywhere):
            raise self._error("may_overlap must be a list of record numbers")
        found = {k: Overlap(k) for k in anywhere}
        for o in exact:
            other = self._number(o, "other")
            found[other] = Overlap(other, self._optional(o, "safe_distance"))
        return list(found.values())

    def _steps(self, root: dict[str, Any]) -> tuple[Step, ...]:
        steps = root.get("steps") or []
        if not isinstance(steps, list):
            raise self._error("steps must be a list")
        return tuple(Step(str(s.get("name", "")), str(s.get("op", ""))) if isinstance(s, dict)
                     else _step(str(s)) for s in steps)

    def _number(self, given: dict[str, Any], *keys: str, default: int | None = None) -> int:
        for key in keys:
            value = given.get(key)
            if _is_whole(value):
                return value
            if value is not None:
                raise self._error(f"{key} is {_shown(given, key)}, not a whole number")
        if default is None:
            raise self._error(f"{keys[0]} is missing")
        return default

    def _optional(self, given: dict[str, Any], key: str) -> int | None:
        return None if given.get(key) is None else self._number(given, key)

    def _error(self, what: str) -> MaceError:
        return MaceError(f"{self._path}: " + (f"{self._label}: " if self._label else "") + what)


def _step(label: str) -> Step:
    """The engine's label of a node, Conv2d 'conv1', or of fused nodes, Conv2d+Eltwise 'a + b'."""
    match = _LABEL.fullmatch(label)
    return Step(match[2], match[1]) if match else Step(label)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(given: dict[str, Any], key: str) -> str:
    return repr(given[key])[:60] if key in given else "missing"
