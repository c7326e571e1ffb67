"""The effect of storing weights as fp16: file sizes, and errors of whole networks.

SPDX-License-Identifier: Apache-2.0

Prints the table of docs/performance_arm.md: the networks of test/peers, run by mace_run on this
machine, their outputs compared with those of float weights.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test/peers"), str(ROOT / "tools")]

from networks import NETWORKS  # noqa: E402
from to_tflite import write_tflite  # noqa: E402

from mace_tools.convert.emit import write_model  # noqa: E402
from mace_tools.convert.importers import load  # noqa: E402
from mace_tools.convert.passes.pipeline import convert  # noqa: E402
from mace_tools.run import runner  # noqa: E402
from mace_tools.support.console import Console  # noqa: E402

NAMES = ("mobilenet_v1", "mobilenet_v2", "squeezenet_1_1", "resnet18", "resnet50")


def outputs(mace_run: Path, model: Path, picture: Path) -> np.ndarray:
    folder = Path(tempfile.mkdtemp(dir=model.parent))
    subprocess.run(
        [str(mace_run), f"--model_file={model}.pb", f"--model_data_file={model}.data",
         f"--input=input={picture}", f"--output_dir={folder}"],
        check=True, stdout=subprocess.DEVNULL)
    (file,) = folder.glob("*.npy")
    return np.load(file).astype(np.float64)


def main() -> int:
    mace_run = runner.find(Console(), Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    print("| network | MB as floats | as fp16 | largest error / largest output, fp16 | bf16 |\n"
          "|---|---|---|---|---|")
    for name in NAMES:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            net = NETWORKS[name]()
            write_tflite(net, str(folder / "net.tflite"))
            picture = folder / "picture.npy"
            rng = np.random.default_rng(0)
            np.save(picture, rng.uniform(-1, 1, net.shapes["input"]).astype(np.float32))
            graph = convert(load("tflite", folder / "net.tflite"))
            results, sizes = {}, {}
            for stored in ("f32", "f16", "bf16"):
                model = folder / stored
                write_model(graph, model.with_suffix(".pb"), model.with_suffix(".data"),
                            stored=stored)
                results[stored] = outputs(mace_run, model, picture)
                sizes[stored] = model.with_suffix(".data").stat().st_size / 1e6
        want = results["f32"]
        errors = [np.abs(results[k] - want).max() / np.abs(want).max() for k in ("f16", "bf16")]
        print(f"| {name} | {sizes['f32']:.2f} | {sizes['f16']:.2f} | {errors[0]:.1e}"
              f" | {errors[1]:.1e} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
