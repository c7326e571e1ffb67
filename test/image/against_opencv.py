"""Times our conversions beside OpenCV's, in turn, on one thread each.

SPDX-License-Identifier: Apache-2.0

  pip install opencv-python-headless     # into an environment of its own; no test needs it
  bazel build //mace/image:image_bench
  python test/image/against_opencv.py bazel-bin/mace/image/image_bench

OpenCV's part is what an app writes with it: cvtColor, resize, and NumPy for (pixel - mean) * scale
in float32. Times are those of the processor, which other programs hardly disturb; each row is the
median of the rounds.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import cv2
import numpy as np

ROUNDS = 9
RANDOM = np.random.default_rng(0)
NV21 = RANDOM.integers(0, 256, (1080 * 3 // 2, 1920), np.uint8)
RGBA = RANDOM.integers(0, 256, (720, 1280, 4), np.uint8)
FILTERS = {"bilinear_2x2": cv2.INTER_LINEAR, "area": cv2.INTER_AREA, "nearest": cv2.INTER_NEAREST}


def scaled(pixels: np.ndarray) -> np.ndarray:
    values = np.subtract(pixels, np.float32(127.5), dtype=np.float32)
    return np.multiply(values, np.float32(1 / 127.5), out=values)


def nv21(interpolation: int) -> np.ndarray:
    rgb = cv2.cvtColor(NV21, cv2.COLOR_YUV2RGB_NV21)
    return scaled(cv2.resize(rgb, (224, 224), interpolation=interpolation))


def nv21_turned(interpolation: int) -> np.ndarray:
    rgb = cv2.rotate(cv2.cvtColor(NV21, cv2.COLOR_YUV2RGB_NV21), cv2.ROTATE_90_CLOCKWISE)
    return scaled(cv2.resize(rgb, (224, 224), interpolation=interpolation))


def rgba(interpolation: int) -> np.ndarray:
    small = cv2.resize(RGBA, (300, 300), interpolation=interpolation)
    return scaled(cv2.cvtColor(small, cv2.COLOR_RGBA2RGB))


CASES: dict[str, Callable[[int], np.ndarray]] = {
    "NV21_1920x1080_to_224": nv21, "NV21_1920x1080_turned_to_224": nv21_turned,
    "RGBA_1280x720_to_300": rgba,
}  # fmt: skip


def theirs(call: Callable[[int], np.ndarray], interpolation: int) -> float:
    """Microseconds."""
    call(interpolation)
    count, begin = 0, time.process_time()
    while (taken := time.process_time() - begin) < 0.1:
        call(interpolation)
        count += 1
    return 1e6 * taken / count


def ours(program: str, case: str, name: str) -> float:
    """Microseconds, of the fastest instruction set that this CPU has."""
    flags = [f"--benchmark_filter=^{case}/{name}/", "--benchmark_format=json",
             "--benchmark_min_time=0.1"]
    done = subprocess.run([program, *flags], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["benchmarks"][0]["cpu_time"])


def main() -> None:
    cv2.setNumThreads(1)
    print("| image | filter | MACE us | OpenCV us | MACE / OpenCV |\n|---|---|---|---|---|")
    for case, call in CASES.items():
        for name, interpolation in FILTERS.items():
            pairs = [(ours(sys.argv[1], case, name), theirs(call, interpolation))
                     for _ in range(ROUNDS)]
            mace, opencv = (statistics.median(p[k] for p in pairs) for k in (0, 1))
            print(f"| {case} | {name} | {mace:.0f} | {opencv:.0f} | {mace / opencv:.2f} |")


if __name__ == "__main__":
    main()
