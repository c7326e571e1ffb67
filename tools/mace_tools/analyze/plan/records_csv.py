"""MiniMalloc's CSV of usage records.

SPDX-License-Identifier: Apache-2.0
"""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mace_tools.analyze.plan.problem import Record
from mace_tools.support.errors import MaceError

# Names of columns: here -> in files.
COLUMNS = {"id": ("id", "buffer", "buffer_id"), "lower": ("lower", "start", "begin"),
           "upper": ("upper", "end"), "size": ("size",)}
OPTIONAL = ("alignment", "hint", "gaps", "offset")
_NUMBER = re.compile(r"[+-]?\d{1,19}")


def parse_csv(path: Path, text: str) -> Iterator[Record]:
    """Errors: MaceError naming the line."""
    reader = csv.reader(text.splitlines())
    columns: dict[str, int] | None = None
    header: Sequence[str] = ()
    lines: dict[str, int] = {}  # of each id
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if columns is None:
                header, columns = cells, _columns(path, reader.line_num, cells)
                continue
            record = _record(f"{path}:{reader.line_num}", reader.line_num, header, columns, cells)
            if record.name in lines:
                raise MaceError(f"{path}:{reader.line_num}: record '{record.name}' is also in line "
                                f"{lines[record.name]}; ids must differ")
            lines[record.name] = reader.line_num
            yield record
    except csv.Error as e:
        raise MaceError(f"{path}:{reader.line_num}: not CSV: {e}") from e
    if columns is None:
        raise MaceError(f"{path}: empty; the first line must be id,lower,upper,size")


def _columns(path: Path, line: int, header: Sequence[str]) -> dict[str, int]:
    """The position of each column."""
    found = {}
    for name, spellings in COLUMNS.items():
        places = [k for k, title in enumerate(header) if title.lower() in spellings]
        if len(places) != 1:
            wrong = "is missing" if not places else "stands twice"
            raise MaceError(f"{path}:{line}: column {' or '.join(spellings)} {wrong}; the first "
                            f"line is {','.join(header)} and must be like id,lower,upper,size")
        found[name] = places[0]
    return found | {t.lower(): k for k, t in enumerate(header) if t.lower() in OPTIONAL}


def _record(
    place: str,
    line: int,
    header: Sequence[str],
    columns: dict[str, int],
    cells: Sequence[str],
) -> Record:
    if len(cells) != len(header):
        raise MaceError(f"{place}: {len(cells)} cells, the first line has {len(header)}")
    name = cells[columns["id"]]

    def number(column: str, default: int | None = None) -> int:
        text = cells[columns[column]] if column in columns else ""
        if not text and default is not None:
            return default
        if not _NUMBER.fullmatch(text):
            raise MaceError(f"{place}: record '{name}': {column} is '{text}', not a whole number")
        return int(text)

    if "gaps" in columns and cells[columns["gaps"]]:
        raise MaceError(f"{place}: record '{name}': gaps are not supported; write a record for "
                        "each part of the lifetime")
    end = number("upper")
    half_open = header[columns["upper"]].lower() == "upper"
    if half_open and end <= number("lower"):
        raise MaceError(f"{place}: record '{name}': upper {end} must be above lower "
                        f"{number('lower')}; lower..upper is half-open")
    return Record(name, (number("size"),), number("lower"), end - 1 if half_open else end,
                  number("alignment", 1), where=f"line {line}")
