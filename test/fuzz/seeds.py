#!/usr/bin/env python3
"""Converts the models that mutations start from: test/fuzz/seeds.py FOLDER.

SPDX-License-Identifier: Apache-2.0

Writes X.pb with X.data into FOLDER/bundled (the digits), FOLDER/graphs (random graphs),
FOLDER/flow (branches, loops and shapes computed from data), FOLDER/recurrent (recurrent operators
with states), FOLDER/quantized (single operators that compute on quantized values) and, where
MACE_TEST_DATA has them, FOLDER/golden (whole models), FOLDER/golden_quantized (whole quantized
models) and FOLDER/nodes (single operators of ONNX and TensorFlow). A model's own test says whether
it converts; here those that do not are left out.
"""

import os
import random
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "test" / "golden")]

import numpy as np  # noqa: E402

from mace_tools.convert.emit import write_model  # noqa: E402
from mace_tools.convert.importers import load  # noqa: E402
from mace_tools.convert.passes.pipeline import convert  # noqa: E402
from mace_tools.graph.ir import Graph  # noqa: E402
from mace_tools.support.errors import MaceError  # noqa: E402
from mace_tools.testing import onnx_nodes  # noqa: E402

RANDOM_GRAPHS = 150
RANDOM_FLOWS = 40
# One of so many cases of a grid.
QUANTIZED_SHARE, RECURRENT_SHARE = 4, 3
# Their weights lie as fp16 in the file, which takes other kernels.
AS_FP16 = {"resnet8_cifar10", "kws_ds_cnn_s", "mnist_cntk"}
DATA = Path(os.environ.get("MACE_TEST_DATA") or ROOT.parent / "shared")

Named = tuple[str, Graph]


def bundled() -> Iterable[Named]:
    digits = ROOT / "models" / "digits"
    for platform, suffix in ("tensorflow", "pb"), ("onnx", "onnx"), ("tflite", "tflite"):
        shape = (1, 1, 8, 8) if platform == "onnx" else (1, 8, 8, 1)
        source = load(platform, digits / f"digits.{suffix}", {"input": shape}, ["probabilities"])
        yield f"digits_{platform}", convert(source)


def graphs() -> Iterable[Named]:
    from mace_tools.convert.passes.random_graphs_test import Maker

    for seed in range(RANDOM_GRAPHS):
        graph = Maker(seed).make(random.Random(seed).randint(3, 14)).graph
        graph.prune()
        yield f"graph_{seed}", convert(graph)


def flow() -> Iterable[Named]:
    import flow_random_test
    import flow_test

    cases = dict(flow_test.CASES)
    for seed in range(RANDOM_FLOWS):
        cases[f"random_{seed}"] = flow_random_test.random_model(seed)
    with tempfile.TemporaryDirectory() as name:
        for case, (made, feeds) in cases.items():
            yield f"flow_{case}", flow_test.converted(made, feeds, Path(name) / case)


def recurrent() -> Iterable[Named]:
    from mace_tools.testing import tflite_recurrent

    for k, model in enumerate(list(tflite_recurrent.models().values())[::RECURRENT_SHARE]):
        with tempfile.TemporaryDirectory() as name:
            yield f"recurrent_{k}", convert(load("tflite", model.save(Path(name))))


def quantized() -> Iterable[Named]:
    from mace_tools.testing.quantized_grid import CASES

    for k, case in enumerate(CASES[::QUANTIZED_SHARE]):
        made, feeds, outputs = case.model()
        with tempfile.TemporaryDirectory() as name:
            path = made.save(Path(name), list(feeds), outputs)
            try:
                shapes = {name: array.shape for name, array in feeds.items()}
                yield f"quantized_{k}", convert(load("tflite", path, shapes, outputs))
            except MaceError:
                continue


def golden_quantized() -> Iterable[Named]:
    import quantized_models_test
    from golden import import_model

    for model in {model for model, *_ in quantized_models_test.CASES.values()}:
        yield model.stem, import_model("tflite", model, {}, None)


def golden() -> Iterable[Named]:
    import models_test

    done = set()
    for name, case in models_test.CASES.items():
        if case.model not in done:
            done.add(case.model)
            run, *_ = models_test.make_run(name, case)
            yield f"{case.model.parent.name}_{case.model.stem}", run.graph


def nodes() -> Iterable[Named]:
    import tf_op_vectors_test

    with tempfile.TemporaryDirectory() as name:
        folder = onnx_nodes.unpack(DATA / onnx_nodes.ARCHIVE, Path(name))
        for test in (onnx_nodes.read(p) for p in sorted(folder.iterdir())):
            try:
                yield test.name, test.convert()
            except MaceError:
                continue
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(tf_op_vectors_test.ARCHIVE) as archive:
            archive.extractall(name)
        for path in sorted(Path(name).glob("*/*/case.json")):
            try:
                run = tf_op_vectors_test.make_run(tf_op_vectors_test._read(path))
                yield f"tf_{run.name}", run.graph
            except MaceError:
                continue


def write(folder: Path, models: Iterable[Named]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with np.errstate(all="ignore"):
        for name, graph in models:
            stored = "f16" if any(h in name for h in AS_FP16) else "f32"
            write_model(graph, folder / f"{name}.pb", folder / f"{name}.data", stored=stored)
            count += 1
    print(f"seeds: {count} in {folder}", file=sys.stderr)


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: test/fuzz/seeds.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    write(folder / "bundled", bundled())
    write(folder / "graphs", graphs())
    write(folder / "flow", flow())
    write(folder / "recurrent", recurrent())
    write(folder / "quantized", quantized())
    if (DATA / "models").is_dir():
        write(folder / "golden", golden())
        write(folder / "golden_quantized", golden_quantized())
        write(folder / "nodes", nodes())
    else:
        print(f"seeds: no {DATA / 'models'}: set MACE_TEST_DATA for more", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
