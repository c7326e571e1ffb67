"""The files through which a model goes while it is converted, in order.

SPDX-License-Identifier: Apache-2.0

A stop is a file with a function that is given the model, as a SourceModel or a Graph; the methods
of these two are no stops, and neither is what the list of passes does. In tools/, this prints them:

    ~/.cache/mace/venv/bin/python -m mace_tools.testing.model_walk --config=YML [--output=FOLDER]
"""

import sys
from itertools import groupby
from pathlib import Path
from types import FrameType

from mace_tools import cli
from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.passes import pipeline
from mace_tools.graph.ir import Graph

PACKAGE = Path(__file__).resolve().parents[1]


def stops(*arguments: str) -> list[str]:
    """The stops of `convert --force` with these arguments."""
    calls: list[str] = []
    passes: list[FrameType] = []  # the call of a pass that is under way

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and passes and passes[-1] is frame:
            passes.pop()
        if event != "call" or passes:
            return
        code = frame.f_code
        if code is pipeline.run_pass.__code__:
            passes.append(frame)
        elif code.co_filename.startswith(f"{PACKAGE}/") and _is_given_a_model(frame):
            calls.append(Path(code.co_filename).relative_to(PACKAGE).as_posix())

    sys.setprofile(watch)
    try:
        code = cli.main(["convert", "--force", *arguments])
    finally:
        sys.setprofile(None)
    assert code == 0, f"convert ended with {code}"
    return [file for file, _ in groupby(calls)]


def _is_given_a_model(frame: FrameType) -> bool:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return not code.co_name.startswith("<") and any(
        isinstance(frame.f_locals.get(name), SourceModel | Graph) for name in names
        if name != "self")


if __name__ == "__main__":
    walk = stops(*sys.argv[1:])
    print("\n".join(walk))
    print(f"{len(walk)} stops in {len(set(walk))} files")
