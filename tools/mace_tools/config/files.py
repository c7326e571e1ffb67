"""The files that a deployment file names: their paths and checksums.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import os
from pathlib import Path

from mace_tools.config.problems import did_you_mean
from mace_tools.support.limits import open_file
from mace_tools.support.model_format import (
    CHECKPOINT_FOLDER,
    GENAI_FOLDER,
    checkpoint_files,
    detect,
    graph_file,
)
from mace_tools.support.os_errors import existing


def is_address(name: str) -> bool | None:
    """True for http(s)://, None for an address of another kind, False for a path."""
    scheme = name.partition("://")[0].lower() if "://" in name else ""
    return scheme in ("http", "https") or (None if scheme else False)


def local_path(name: str, config: Path) -> Path | None:
    """The path of a named file, relative to the working folder or else to the deployment file."""
    path = Path(os.path.expanduser(name))
    for candidate in (path, config.resolve().parent / path):
        if name and candidate.exists():
            return candidate
    return None


def missing(name: str, config: Path | None = None) -> str:
    """The message that a named file does not exist: where it was looked for, and what may be
    meant."""
    path = Path(os.path.expanduser(name))
    folders = [Path.cwd(), *([config.resolve().parent] if config is not None else [])]
    places = [path] if path.is_absolute() else [folder / path for folder in folders]
    where = ""
    if not path.is_absolute():
        where = f" (looked in {' and '.join(map(str, dict.fromkeys(folders)))})"
    for place in places:
        there = existing(place)
        if there == place.parent and os.access(there, os.R_OK | os.X_OK):
            near = did_you_mean(place.name, sorted(os.listdir(there)))
            if near:
                return f"there is no file '{name}'{where}{near}"
    links = [place for place in places if place.is_symlink()]
    if links:
        return (f"'{name}' is a link to '{os.readlink(links[0])}', which leads to no file{where}: "
                "make it again")
    there = existing(path.absolute())
    if path.is_absolute() and not (there == path.parent and there.is_dir()):
        gone = there / path.relative_to(there).parts[0]
        where = f": there is no folder {gone}" if there.is_dir() else f": {there} is not a folder"
    return f"there is no file '{name}'{where}"


def sha256_of(path: Path) -> str:
    """The checksum of a model file. That of a folder is about some of its files, and a shell
    computes it as well: `sha256sum saved_model.pb variables/* | sha256sum` in a SavedModel,
    `sha256sum config.json *.safetensors | sha256sum` in a Hugging Face checkpoint,
    `sha256sum genai_config.json *.onnx* | sha256sum` in a folder of onnxruntime-genai."""
    folder = model_folder(path)
    if folder is None:
        return _digest(path)
    graph = graph_file(folder)
    files = checkpoint_files(folder) if graph is None else [
        graph, *sorted(p for p in folder.glob("variables/*") if p.is_file())]
    lines = [f"{_digest(file)}  {file.relative_to(folder)}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def model_folder(path: Path) -> Path | None:
    """The folder of the SavedModel or the checkpoint that a path names; else None."""
    is_checkpoint = path.is_dir() and detect(path) in (CHECKPOINT_FOLDER, GENAI_FOLDER)
    return path if is_checkpoint else saved_model_folder(path)


def saved_model_folder(path: Path) -> Path | None:
    """The folder of the SavedModel that a path names, or whose graph it names; else None."""
    if path.is_dir():
        return path if graph_file(path) is not None else None
    beside = path.name.startswith("saved_model.pb") and (path.parent / "variables").is_dir()
    return path.parent if beside else None


def _digest(file: Path) -> str:
    with open_file(file) as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
