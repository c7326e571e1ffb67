"""The samples of a calibration: images through the model's own `preprocess`, or .npy files.

SPDX-License-Identifier: Apache-2.0

A .npy file holds one sample or, along its first axis, several. A model with several inputs takes a
folder that has a folder for each, named after the input, with files of the same names.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mace_tools.config.files import missing
from mace_tools.config.quantization_options import Choices
from mace_tools.config.sections import Preprocess
from mace_tools.graph.extract import Arrays
from mace_tools.run import input_data
from mace_tools.run.input_data import TensorSpec
from mace_tools.run.preprocess import from_picture
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm")
_FEW = 8  # samples below which ranges are guesses
_SHOWN = 5  # errors of files


def files(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files of samples in these files and folders, in the order of their names, and those that
    are none. Errors: MaceError."""
    found: list[Path] = []
    others: list[Path] = []
    for path in paths:
        if not path.exists():
            raise MaceError(f"samples: {missing(str(path))}")
        inner = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith(".")
                       ) if path.is_dir() else [path]
        fitting = [p for p in inner if p.suffix.lower() in (".npy", *PICTURES)]
        if not fitting:
            kinds = ", ".join((".npy", *PICTURES))
            raise MaceError(f"samples: '{path}' is empty; put images or .npy files of inputs in "
                            "it"
                            if not inner else
                            f"samples: '{path}' has no file of a sample ({kinds})")
        found += fitting
        others += [p for p in inner if p not in set(fitting)]
    return found, others


def load(paths: Sequence[Path], specs: Sequence[TensorSpec], preprocess: Preprocess | None,
         choices: Choices, console: Console) -> list[Arrays]:
    """At most choices.max_samples, drawn by the seed. Errors: MaceError naming every file that
    cannot be used, as far as they are few."""
    found, others = files(paths)
    if others:
        console.info(f"samples: {len(others)} files are neither images nor .npy files, such as "
                     f"{others[0]}")
    rows = [{specs[0].name: f} for f in found] if len(specs) == 1 else _by_input(paths, specs)
    rows = [rows[k] for k in _drawn(len(rows), choices)]
    samples: list[Arrays] = []
    wrong: list[str] = []
    with console.steps("reading samples", len(rows)) as step:
        for row in rows:
            step(next(iter(row.values())).name)
            try:
                samples += _read(row, specs, preprocess, console)
            except MaceError as e:
                wrong.append(str(e))
    if wrong:
        more = f"\n  and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise MaceError(f"samples: {len(wrong)} of {len(rows)} files cannot be used:\n  "
                        + "\n  ".join(wrong[:_SHOWN]) + more)
    samples = [samples[k] for k in _drawn(len(samples), choices)]
    _check(samples, console)
    return samples


def _by_input(paths: Sequence[Path], specs: Sequence[TensorSpec]) -> list[dict[str, Path]]:
    """The files of each sample, by input."""
    names = ", ".join(s.name for s in specs)
    if len(paths) != 1 or not paths[0].is_dir():
        raise MaceError(f"samples: the model has {len(specs)} inputs; give one folder, with a "
                        f"folder for each input: {names}")
    found = {}
    for spec in specs:
        folder = paths[0] / spec.name
        if not folder.is_dir():
            raise MaceError(f"samples: '{folder}' is not a folder; the model has {len(specs)} "
                            f"inputs, each of which needs one: {names}")
        found[spec.name] = {p.stem: p for p in files([folder])[0]}
    first = found[specs[0].name]
    for name, own in found.items():
        alone = sorted(set(own) ^ set(first))
        if alone:
            raise MaceError(f"samples: '{alone[0]}' is not in the folders of all inputs: '{name}' "
                            f"and '{specs[0].name}' differ")
    return [{name: own[stem] for name, own in found.items()} for stem in sorted(first)]


def _drawn(count: int, choices: Choices) -> list[int]:
    if count <= choices.max_samples:
        return list(range(count))
    generator = np.random.default_rng(choices.seed)
    return sorted(generator.choice(count, choices.max_samples, replace=False).tolist())


def _read(row: dict[str, Path], specs: Sequence[TensorSpec], preprocess: Preprocess | None,
          console: Console) -> list[Arrays]:
    pieces = {}
    for spec in specs:
        file = row[spec.name]
        where = f"{file}"
        if file.suffix.lower() == ".npy":
            pieces[spec.name] = _split(input_data.read_npy(file, where), spec, where, console)
        else:
            pieces[spec.name] = [from_picture(file, preprocess, spec.shape, spec.data_format,
                                              spec.dtype, where)]
        for piece in pieces[spec.name]:
            input_data.check_finite(piece, where)
    counts = {name: len(found) for name, found in pieces.items()}
    if len(set(counts.values())) > 1:
        raise MaceError(f"{next(iter(row.values()))}: the inputs have different numbers of "
                        "samples: " + ", ".join(f"{n} {c}" for n, c in counts.items()))
    return [{name: found[k] for name, found in pieces.items()}
            for k in range(next(iter(counts.values())))]


def _split(array: np.ndarray, spec: TensorSpec, where: str, console: Console) -> list[np.ndarray]:
    """The samples of a file, which lie along the first axis."""
    batch = spec.shape[0] if spec.shape else 1
    several = (array.ndim == len(spec.shape) > 0 and array.shape[1:] == spec.shape[1:]
               and batch > 0 and array.shape[0] > batch and array.shape[0] % batch == 0)
    pieces = np.split(array, array.shape[0] // batch) if several else [array]
    if not several and array.shape != spec.shape:
        raise MaceError(f"{where}: has the shape {list(array.shape)}, the model takes "
                        f"{list(spec.shape)}, or several of these along the first axis")
    return [input_data.fitted(p, spec, where, console) for p in pieces]


def _check(samples: Sequence[Arrays], console: Console) -> None:
    """Errors: MaceError for samples that show nothing."""
    first = samples[0]
    equal = all(np.array_equal(s[n], first[n]) for s in samples for n in first)
    if equal and len(samples) > 1:
        raise MaceError(f"samples: all {len(samples)} samples are equal, so they show no range; "
                        "give different ones")
    flat = [s for s in samples if all(np.ptp(a) == 0 for a in s.values() if a.size > 1)
            and any(a.size > 1 for a in s.values())]
    if len(flat) == len(samples):
        raise MaceError("samples: every sample has the same number everywhere, such as images of "
                        "one colour, so they show no range; give real inputs")
    if len(samples) < _FEW:
        console.warn(f"samples: {len(samples)} are few; ranges come from what they show")
