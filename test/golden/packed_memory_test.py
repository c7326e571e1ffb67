"""A model with packed weights takes no anonymous memory for weights: kernels read the mapped file.

SPDX-License-Identifier: Apache-2.0

What the engine reports is compared with what the kernel says of the process (/proc/PID/smaps).
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from golden import mace_run
from models_test import CASES, make_run

from mace_tools.convert.emit import write_model

pytestmark = pytest.mark.full
MB = 1_000_000


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Path]:
    """The smallest model of the test data with at least 4 MB of weights, plain and packed."""
    folder = tmp_path_factory.mktemp("packed")
    plain, packed = folder / "plain", folder / "packed"
    names = sorted(CASES, key=lambda name: CASES[name].model.stat().st_size)
    name = next(n for n in names if CASES[n].model.stat().st_size > 4 * MB
                and CASES[n].model.suffix in (".tflite", ".onnx"))
    write_model(make_run(name, CASES[name])[0].graph, plain.with_suffix(".pb"),
                plain.with_suffix(".data"))
    subprocess.run([mace_run(), *files(plain), "--pack_weights=host", f"--packed_model={packed}"],
                   check=True, capture_output=True)
    return {"plain": plain, "packed": packed}


def files(model: Path) -> list[str]:
    return [f"--model_file={model}.pb", f"--model_data_file={model}.data", "--num_threads=1"]


def usage(model: Path) -> dict:
    report = model.with_suffix(".json")
    subprocess.run([mace_run(), *files(model), "--dump=memory_json", f"--json={report}"],
                   check=True, capture_output=True)
    return json.loads(report.read_text())["usage"]


def anonymous(model: Path) -> tuple[int, int, int]:
    """Of a process that has run the model: anonymous bytes of the mapping of its weights, and of
    the whole process; resident bytes of the mapping."""
    with subprocess.Popen([mace_run(), *files(model), "--interactive"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        process.stdin.write("\n\n")
        process.stdin.flush()
        for _ in range(3):  # the times of creation and of both runs
            assert process.stdout.readline()
        maps = list(mappings(process.pid))
        process.stdin.close()
    assert process.returncode == 0
    weights = [(a, r) for path, a, r in maps if path == f"{model}.data"]
    assert weights
    return (sum(a for a, _ in weights), sum(a for _, a, _ in maps), sum(r for _, r in weights))


def mappings(pid: int) -> Iterator[tuple[str, int, int]]:
    """Path, anonymous and resident bytes."""
    path, resident = "", 0
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        head = re.match(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+\s*(.*)", line)
        size = re.match(r"(Rss|Anonymous):\s+(\d+) kB", line)
        if head:
            path = head[1]
        elif size and size[1] == "Rss":
            resident = int(size[2]) * 1024
        elif size:
            yield path, int(size[2]) * 1024, resident


def test_packed_weights_take_no_anonymous_memory(models):
    plain, packed = usage(models["plain"]), usage(models["packed"])
    assert packed["categories"]["packed_weights"]["used"] == 0
    weights = plain["categories"]["packed_weights"]["used"]
    assert weights > 2 * MB
    assert plain["anonymous_bytes"] - packed["anonymous_bytes"] >= weights
    assert packed["mapped_bytes"] == models["packed"].with_suffix(".data").stat().st_size

    of_file, whole, resident = anonymous(models["packed"])
    assert of_file == 0 and resident >= weights  # kernels have read it
    _, whole_of_plain, _ = anonymous(models["plain"])
    assert whole_of_plain - whole >= 0.9 * weights
    # The engine, and what a process has that runs nothing (its code's data, threads, stacks).
    assert whole <= packed["anonymous_bytes"] + 8 * MB
