"""Writes a decoder with random weights, to measure with: in tools/,

    python ../test/peers/decoder.py --sizes=small --stored=i4 --folder=/tmp/d
    mace_run --model_file=/tmp/d/model.pb --model_data_file=/tmp/d/model.data --round=50 \\
        --input=tokens=/tmp/d/tokens_1.npy --input=position=/tmp/d/position_127.npy

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from mace_tools.convert.emit import write_model
from mace_tools.graph.quantized_weights import STORED_TYPES
from mace_tools.testing.decoders import SIZES, Decoder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", choices=SIZES, default="small")
    parser.add_argument("--stored", choices=("f32", *STORED_TYPES), default="i4")
    parser.add_argument("--floats", action="store_true", help="float arithmetic")
    parser.add_argument("--cache", choices=("f32", "f16", "i8"), default="f16")
    parser.add_argument("--folder", type=Path, required=True)
    args = parser.parse_args()
    graph = Decoder(SIZES[args.sizes], args.stored, not args.floats, args.cache).build()
    graph.topo_sort()
    args.folder.mkdir(parents=True, exist_ok=True)
    write_model(graph, args.folder / "model.pb", args.folder / "model.data", {})
    for position in (0, 127, 899):
        np.save(args.folder / f"position_{position}.npy", np.array([position], np.int64))
    for count in (1, 16, 128, 512):
        np.save(args.folder / f"tokens_{count}.npy", np.arange(count)[None])


if __name__ == "__main__":
    main()
