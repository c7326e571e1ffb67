#!/usr/bin/env python3
"""Writes what transformers computes of the decoders of mace_tools/testing/decoder_cases.py.

SPDX-License-Identifier: Apache-2.0

usage (with torch 2.15 and transformers 5.24, in an environment of their own):
  PYTHONPATH=tools python test/golden/decoder_logits.py [--full=FOLDER] [CASE...]

A file for each case in testdata/decoders has its config.json, the names and shapes of its tensors,
and some logits of a prompt and of tokens that follow one by one with a cache. --full writes all of
them, and the checkpoint that transformers itself saves, into a folder instead.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load_file
from transformers import AutoConfig, AutoModelForCausalLM

from mace_tools.testing import decoder_cases as cases

DATA = Path(__file__).resolve().parent / "testdata" / "decoders"
ROWS = [0, 11, 23, 24, 39, 55]  # whose logits are kept, of every seventh word
EVERY = 7


def shapes_on_disk(config: Any, folder: Path) -> dict[str, list[int]]:
    """The tensors as save_pretrained writes them."""
    AutoModelForCausalLM.from_config(config).float().save_pretrained(folder)
    return {name: list(t.shape) for name, t in load_file(folder / "model.safetensors").items()}


def logits(folder: Path) -> np.ndarray:
    """[tokens, words]: of the prompt at once, then of one token after the other."""
    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager").eval()
    ids, found, past = torch.from_numpy(cases.ids()), [], None
    parts = [slice(0, cases.PROMPT)]
    parts += [slice(k, k + 1) for k in range(cases.PROMPT, ids.shape[1])]
    with torch.no_grad():
        for part in parts:
            made = model(ids[:, part], past_key_values=past, use_cache=True)
            past = made.past_key_values
            found.append(made.logits[0].numpy())
    return np.concatenate(found)


def one(name: str, full: Path | None) -> None:
    model_type, options = cases.CASES[name]
    config = AutoConfig.for_model(model_type, bos_token_id=1, eos_token_id=2, **options)
    folder = (full or Path(tempfile.mkdtemp())) / name
    shapes = shapes_on_disk(config, folder)
    written = json.loads((folder / "config.json").read_text())
    cases.write_folder(folder, written, cases.values(model_type, shapes))
    found = logits(folder)
    if full is not None:
        np.save(folder / "logits.npy", found)
        return
    DATA.mkdir(parents=True, exist_ok=True)
    (DATA / f"{name}.json").write_text(json.dumps({
        "config": written, "shapes": shapes, "rows": ROWS, "every": EVERY,
        "largest": float(np.abs(found).max()),
        "logits": [[float(f"{v:.8g}") for v in row] for row in found[ROWS, ::EVERY].tolist()],
    }, separators=(",", ":")).replace('],"', '],\n"').replace('},"', '},\n"') + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", type=Path)
    parser.add_argument("case", nargs="*", choices=[[], *cases.CASES])
    args = parser.parse_args()
    for name in args.case or cases.CASES:
        one(name, args.full)


if __name__ == "__main__":
    main()
