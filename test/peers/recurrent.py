"""Times MACE, ONNX Runtime and LiteRT on one recurrent layer, taking turns in one run.

SPDX-License-Identifier: Apache-2.0

An LSTM and a GRU (which LiteRT does not have) of 128 elements for a single sequence. As in
bench.py, the engines take turns in an order that rotates, and of two runs the second counts.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from engines import mace_run
from files import ROOT

sys.path.insert(0, str(ROOT / "tools"))

SIZE, GATES = 128, {"LSTM": 4, "GRU": 3}
Run = Callable[[], tuple[float, np.ndarray]]  # milliseconds, and the outputs of all steps


def weights(op: str) -> dict[str, np.ndarray]:
    rng, rows = np.random.default_rng(7), GATES[op] * SIZE
    shapes = {"w": (1, rows, SIZE), "r": (1, rows, SIZE), "b": (1, 2 * rows)}
    return {name: rng.uniform(-0.1, 0.1, shape).astype(np.float32)
            for name, shape in shapes.items()}


def write_onnx(op: str, steps: int, path: Path) -> None:
    from mace_tools.testing.onnx_file import info, node, onnx, tensor

    model = onnx().ModelProto(ir_version=8)
    model.opset_import.add(version=14)
    more = {"linear_before_reset": 1} if op == "GRU" else {}
    model.graph.node.append(node(op, "x w r b", "y", "cell", hidden_size=SIZE, **more))
    model.graph.initializer.extend(tensor(n, a) for n, a in weights(op).items())
    model.graph.input.append(info("x", (steps, 1, SIZE)))
    model.graph.output.append(info("y", None))
    path.write_bytes(model.SerializeToString())


def write_tflite(steps: int, folder: Path) -> Path:
    """The same LSTM. Its states last from run to run, which takes the same time."""
    from mace_tools.testing.tflite_file import Maker

    m, given = Maker(), weights("LSTM")
    parts = {k: np.split(a[0], 4 if k != "b" else 8) for k, a in given.items()}  # i, o, f, g
    order = (0, 2, 3, 1)  # i, f, g, o
    m.tensor("x", (steps, 1, SIZE))
    names = ["x", *(m.const(f"{k}{i}", parts[k][i]) for k in "wr" for i in order), "", "", "",
             *(m.const(f"b{i}", parts["b"][i] + parts["b"][i + 4]) for i in order), "", ""]
    names += [m.tensor(name, (1, SIZE)) for name in "hc"]
    m.variables.update("hc")
    m.tensor("y", ())
    m.op("UNIDIRECTIONAL_SEQUENCE_LSTM", names, ["y"], "UnidirectionalSequenceLSTMOptions",
         FusedActivationFunction=4, TimeMajor=True)
    return m.save(folder, ["x"], ["y"])


def by_mace(source: Path, x: np.ndarray, threads: int, folder: Path) -> Run:
    import re
    import subprocess

    from mace_tools.convert.emit import write_model
    from mace_tools.convert.importers import load
    from mace_tools.convert.passes.pipeline import convert

    write_model(convert(load("onnx", source)), folder / "m.pb", folder / "m.data")
    np.save(folder / "x.npy", x)
    command = [mace_run(), "--num_threads", str(threads), "--model_file", str(folder / "m.pb"),
               "--model_data_file", str(folder / "m.data"), "--input", f"x={folder}/x.npy"]
    subprocess.run([*command, "--output_dir", str(folder / "out")], check=True,
                   stdout=subprocess.DEVNULL)
    result = np.load(folder / "out" / "y.npy")
    process = subprocess.Popen([*command, "--interactive"], text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None

    def answer() -> float:
        for line in process.stdout:
            found = re.fullmatch(r"(?:mace )?([0-9.eE+-]+)\s*", line)
            if found:
                return float(found[1])
        raise SystemExit("mace_run ended")

    answer()

    def run() -> tuple[float, np.ndarray]:
        process.stdin.write("\n")
        process.stdin.flush()
        return answer(), result

    return run


def by_onnxruntime(source: Path, x: np.ndarray, threads: int) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(str(source), options,
                                           providers=["CPUExecutionProvider"])

    def run() -> tuple[float, np.ndarray]:
        begin = time.perf_counter()
        y = session.run(None, {"x": x})[0]
        return 1e3 * (time.perf_counter() - begin), y

    return run


def by_litert(source: Path, x: np.ndarray, threads: int) -> Run:
    from ai_edge_litert.interpreter import Interpreter

    net = Interpreter(str(source), num_threads=threads)
    net.allocate_tensors()
    net.set_tensor(net.get_input_details()[0]["index"], x)
    first: list[np.ndarray] = []

    def run() -> tuple[float, np.ndarray]:
        begin = time.perf_counter()
        net.invoke()
        spent = 1e3 * (time.perf_counter() - begin)
        first.append(net.get_tensor(net.get_output_details()[0]["index"]))
        return spent, first[0]  # before its states had values

    return run


def measure(op: str, steps: int, threads: int, rounds: int) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        x = np.random.default_rng(0).uniform(-1, 1, (steps, 1, SIZE)).astype(np.float32)
        source = folder / "m.onnx"
        write_onnx(op, steps, source)
        runs = {"mace": by_mace(source, x, threads, folder),
                "onnxruntime": by_onnxruntime(source, x, threads)}
        if op == "LSTM":
            runs["litert"] = by_litert(write_tflite(steps, folder), x, threads)
        names, times = list(runs), {name: [] for name in runs}
        results = {name: run()[1].ravel() for name, run in runs.items()}
        for result in results.values():
            np.testing.assert_allclose(result, results["mace"], rtol=1e-4, atol=1e-5)
        for k in range(rounds):
            for name in names[k % len(names) :] + names[: k % len(names)]:
                runs[name]()
                times[name].append(runs[name]()[0])
        medians = {name: float(np.median(found)) for name, found in times.items()}
        ratio = medians["mace"] / min(medians[name] for name in names[1:])
        found = " | ".join(f"{medians[n]:.3f}" if n in medians else "-"
                           for n in ("mace", "onnxruntime", "litert"))
        return f"| {op} | {steps} | {threads} | {found} | {ratio:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", default="16,100,1000", help="comma list")
    parser.add_argument("--threads", default="1,2", help="comma list")
    parser.add_argument("--rounds", type=int, default=60)
    args = parser.parse_args()
    print("| layer | steps | threads | mace | onnxruntime | litert | ours / best |\n" + "|---" * 7
          + "|")
    for threads in map(int, args.threads.split(",")):
        os.sched_setaffinity(0, set(range(min(threads, os.cpu_count() or 1))))
        for op in GATES:
            for steps in map(int, args.steps.split(",")):
                print(measure(op, steps, threads, args.rounds), flush=True)


if __name__ == "__main__":
    main()
