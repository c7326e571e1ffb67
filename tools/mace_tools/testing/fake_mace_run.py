"""Stands in for mace_run in tests of commands that do not need the engine.

SPDX-License-Identifier: Apache-2.0

Writes the program into a folder. It takes mace_run's flags, gives as outputs the .npy files of
$FAKE_OUTPUTS (with --device=GPU those of $FAKE_OUTPUTS/GPU first), prints what mace_run prints, and
notes the arguments of each call in $FAKE_OUTPUTS/calls.jsonl, of the last in arguments.json there.
With $FAKE_TUNES, it adds that text to the file of --tuning_file.
"""

import sys
from pathlib import Path

# Stands in for a plan at the end of a graph: a field that readers skip.
EMBEDDED = b"\xc2\xa9\x07\x04plan"
PROGRAM = '''#!{python} -IS
import json, os, pathlib, shutil, sys
folder = pathlib.Path(os.environ["FAKE_OUTPUTS"])
arguments = sys.argv[1:]
flags = dict(a[2:].split("=", 1) if "=" in a else (a[2:], True) for a in arguments)
inputs = [a[8:] for a in arguments if a.startswith("--input=")]
kept = folder / "inputs"
kept.mkdir(exist_ok=True)
for entry in inputs:
    name, file = entry.rsplit("=", 1)
    shutil.copy(file, kept / (name.replace("/", "_") + ".npy"))
vlog = os.environ.get("MACE_CPP_MIN_VLOG_LEVEL", "")
(folder / "arguments.json").write_text(json.dumps([arguments, vlog]))
with open(folder / "calls.jsonl", "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
if os.environ.get("FAKE_FAILS"):
    print("ERROR: the engine says no", file=sys.stderr)
    if os.environ["FAKE_FAILS"] == "signal":
        os.kill(os.getpid(), 11)
    sys.exit(1)
if "embed_memory_plan" in flags:
    graph = pathlib.Path(flags["model_file"]).read_bytes()
    pathlib.Path(flags["embed_memory_plan"]).write_bytes(graph + {embedded})
    sys.exit(0)
if "pack_weights" in flags:
    for ending in "pb", "data":
        file = pathlib.Path(flags["model_file"]).with_suffix("." + ending)
        pathlib.Path(flags["packed_model"] + "." + ending).write_bytes(
            file.read_bytes() + {embedded})
    sys.exit(0)
if os.environ.get("FAKE_TUNES") and "tuning_file" in flags:
    tuned = pathlib.Path(flags["tuning_file"])
    before = tuned.read_text() if tuned.exists() else ""
    tuned.write_text(before + os.environ["FAKE_TUNES"])
    if "gpu_storage_path" in flags:
        store = pathlib.Path(flags["gpu_storage_path"]) / "mace_cl_compiled_program.bin"
        store.write_text("programs")
if "dump" in flags:
    print("the", flags["dump"])
    sys.exit(0)
if "output_dir" in flags:
    for place in [folder, folder / "GPU"] if flags.get("device") == "GPU" else [folder]:
        for file in place.glob("*.npy"):
            shutil.copy(file, flags["output_dir"])
if "trace" in flags:
    pathlib.Path(flags["trace"]).write_text("{{}}")
print("Sort by Run Order" if "benchmark" in flags else "Average latency: 2.000 ms")
times = [2.0] * int(flags.get("round", 1))
report = {{"init_ms": 1.0, "warmup_ms": 3.0, "run_ms": times, "ops": [],
         "last_run": {{"kernels": int(os.environ.get("FAKE_KERNELS", "3"))}}}}
pathlib.Path(flags["json"]).write_text(json.dumps(report))
'''


def write(folder: Path) -> Path:
    """Returns the path of the program."""
    path = folder / "fake_mace_run"
    path.write_text(PROGRAM.format(python=sys.executable, embedded=EMBEDDED))
    path.chmod(0o755)
    return path
