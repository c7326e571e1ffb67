"""Models of 8 bits from their TFLite file to their outputs: equal to those of LiteRT's reference
kernels in every value.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from golden import Arrays, Run, data_folder, import_model, mace_run, run_all

from mace_tools.convert.emit import write_model
from mace_tools.testing.by_litert import REFERENCE, litert

MODELS = data_folder("models") / "tflite"
QUANTIZED_TYPES = (np.int8, np.uint8)
# The largest arena, as a multiple of what activations take at most, on any CPU: those without
# dot products pack quantized values as 16 bits.
LARGEST_ARENA = {"vww_96/int8_cat": 1.0, "resnet8_cifar10/int8_cat": 1.85,
                 "kws_dscnn_mlperf/no": 1.5}


def all_cases() -> Iterator[tuple[str, Path, Arrays, Arrays]]:
    """Name, model, inputs and expected outputs of the cases whose outputs are quantized."""
    for path in sorted(MODELS.glob("*/*/case.json")):
        case, folder = json.loads(path.read_text()), path.parent
        wanted = {n: np.load(folder / o["file"]) for n, o in case["outputs"].items()}
        if not any(w.dtype in QUANTIZED_TYPES for n, w in wanted.items() if n != "argmax"):
            continue
        model = folder.parent / case.get("model", "")
        if not model.is_file():
            model = next(folder.parent.glob("*.tflite"))
        feeds = {n: np.load(folder / i["file"]) for n, i in case["inputs"].items()}
        yield str(folder.relative_to(MODELS)), model, feeds, wanted


CASES = {name: rest for name, *rest in all_cases()}


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    return {name: Run(name, import_model("tflite", model, feeds, list(wanted)), feeds)
            for name, (model, feeds, wanted) in CASES.items()}


# Guarded: memory that holds nothing live has other contents while the model runs.
@pytest.fixture(scope="module", ids=["plain", "guarded", "2_threads"],
                params=[[], ["--guard", "--num_threads=1"], ["--num_threads=2"]])
def results(request, runs, tmp_path_factory) -> dict[str, Run]:
    run_all(list(runs.values()), tmp_path_factory.mktemp("models"), request.param)
    return runs


def check_every_value(name: str, run: Run) -> None:
    model, feeds, wanted = CASES[name]
    assert not run.error, run.error
    for output, want in zip(wanted, litert(model.read_bytes(), feeds, REFERENCE), strict=True):
        got = run.outputs[output]
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", CASES)
def test_every_value_is_the_one_of_the_reference(name, results):
    check_every_value(name, results[name])


@pytest.mark.parametrize("name", CASES)
def test_every_value_is_the_stored_one(name, results):
    """Those of uint8 models are of an evaluator that multiplies scales in double precision: LiteRT
    differs from it by a step, too."""
    for output, want in CASES[name][2].items():
        apart = np.abs(results[name].outputs[output].astype(int) - want)
        assert apart.max() <= (1 if want.dtype == np.uint8 else 0)


def test_every_quantized_model_is_here():
    """The test data has not gained or lost anything unnoticed."""
    models = {model.name for model, _, _ in CASES.values()}
    assert len(models) == 5 and len(CASES) == 14, (sorted(models), sorted(CASES))


@pytest.mark.parametrize("name", LARGEST_ARENA)
def test_the_arena_is_little_more_than_the_activations(name, tmp_path):
    """On one thread, without Winograd's method, which needs more memory where it is faster."""
    path, feeds, wanted = CASES[name]
    write_model(import_model("tflite", path, feeds, list(wanted)), tmp_path / "m.pb",
                tmp_path / "m.data")
    done = subprocess.run(
        [mace_run(), f"--model_file={tmp_path / 'm.pb'}", "--num_threads=1", "--winograd=0",
         f"--model_data_file={tmp_path / 'm.data'}", "--dump=memory_json"],
        capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    tensors = [r for r in report["records"] if not r["name"].endswith(" (scratch)")]
    most = max(sum(r["size"] for r in tensors if r["first"] <= step <= r["last"])
               for step in range(len(report["steps"])))
    print(f"{name}: {report['total_size']} bytes, activations {most}")
    assert report["total_size"] <= LARGEST_ARENA[name] * most
