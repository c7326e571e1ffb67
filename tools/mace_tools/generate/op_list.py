"""The op list: tools/ops.json, which tools read, and docs/ops.md, which people read.

SPDX-License-Identifier: Apache-2.0

Both follow from the op table of the engine and from the comment that heads each file of mace/ops.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

OPS_JSON = REPO / "tools" / "ops.json"
OPS_MD = REPO / "docs" / "ops.md"
FOLDER = REPO / "mace" / "ops"
_LICENCE = "// SPDX-License-Identifier: Apache-2.0"
_INTRO = """# Operators

What the engine computes, from the comments that head the files of `mace/ops` (generated: see
`tools/mace_tools/generate/op_list.py`). 4-D activations are `[N,H,W,C]`. "Known before the model
runs" means a constant, or computed from constants and shapes. The types after "CPU" are those of
the first input.
"""


def file_of(op: str) -> Path:
    """The file that defines an op: DepthToSpace is in depth_to_space.cc."""
    return FOLDER / (re.sub(r"(?<!^)(?=[A-Z])", "_", op).lower() + ".cc")


def head_of(path: Path) -> tuple[str, str]:
    """The comment about an op at the head of its file: a summary, and the lines Inputs to
    Source, with what paragraphs there are before and after them."""
    lines = path.read_text().splitlines()
    licence = lines.index(_LICENCE)
    summary = " ".join(line[3:] for line in lines[:licence])
    rest = lines[licence + 1 :]
    end = next(k for k, line in enumerate(rest) if not line.startswith("//"))
    return summary.partition(": ")[2], "\n".join(line[3:].rstrip() for line in rest[:end]).strip()


def render(ops: list[dict[str, Any]]) -> str:
    """docs/ops.md."""
    sections = [_INTRO]
    for op in ops:
        summary, schema = head_of(file_of(op["name"]))
        types = ", ".join(op["cpu"])
        sections.append(f"## {op['name']}\n\n{summary}\n\n"
                        f"```\n{schema}\nCPU      {types}\n```\n")
    return "\n".join(sections)


def from_engine(console: Console) -> dict[str, Any]:
    """The schemas that the mace_run of this tree prints. Errors: as runner.find."""
    return json.loads(runner.output(runner.find(console, None), ["--list_ops"]))


def as_text(schema: dict[str, Any]) -> str:
    """The contents of tools/ops.json, with one op in each line."""
    ops = ",\n".join(json.dumps(op) for op in schema["ops"])
    return f'{{"max_rank": {schema["max_rank"]}, "ops": [\n{ops}\n]}}\n'


def outputs(console: Console) -> Iterator[tuple[Path, str]]:
    schema = from_engine(console)
    yield OPS_JSON, as_text(schema)
    yield OPS_MD, render(schema["ops"])
