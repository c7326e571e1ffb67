"""The files that a deployment file names: their paths and checksums, and downloading remote ones.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from mace_tools.cli_console import Console
from mace_tools.config.problems import did_you_mean
from mace_tools.errors import MaceError
from mace_tools.importers.tensorflow.saved_model import graph_file
from mace_tools.os_errors import existing, explain
from mace_tools.protos import cache_dir

TIMEOUT_S = 30
BLOCK_BYTES = 1 << 20


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
    there = existing(path.absolute())
    if path.is_absolute() and not (there == path.parent and there.is_dir()):
        gone = there / path.relative_to(there).parts[0]
        where = f": there is no folder {gone}" if there.is_dir() else f": {there} is not a folder"
    return f"there is no file '{name}'{where}"


def sha256_of(path: Path) -> str:
    """The checksum of a model file. That of a SavedModel is about its graph and its variables, and
    a
    shell computes it as well: in its folder, `sha256sum saved_model.pb variables/* | sha256sum`."""
    folder = saved_model_folder(path)
    if folder is None:
        return _digest(path)
    files = [graph_file(folder), *sorted(p for p in folder.glob("variables/*") if p.is_file())]
    lines = [f"{_digest(file)}  {file.relative_to(folder)}\n" for file in files if file is not None]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def saved_model_folder(path: Path) -> Path | None:
    """The folder of the SavedModel that a path names, or whose graph it names; else None."""
    if path.is_dir():
        return path if graph_file(path) is not None else None
    beside = path.name.startswith("saved_model.pb") and (path.parent / "variables").is_dir()
    return path.parent if beside else None


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def fetch(url: str, sha256: str, console: Console, kind: str = "model") -> Path:
    """The file at an address, which is cached by its checksum. `kind`: the beginning of its keys.

    Errors: MaceError for whatever the network or the disk does, and for a wrong checksum; the
    cache then holds nothing of it."""
    name = re.sub(r"[^\w.-]", "_", url.split("?")[0].rstrip("/").rpartition("/")[2])
    kept = cache_dir() / "downloads" / sha256 / name
    try:
        if kept.is_file() and sha256_of(kept) == sha256:
            return kept
        kept.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=kept.parent, prefix=f".{name}.")
        try:
            with os.fdopen(handle, "wb") as out:
                actual = _download(url, out, console)
            if actual != sha256:
                raise MaceError(f"{url}: the file there has the checksum {actual}, not {sha256} "
                                f"as {kind}_sha256_checksum says: it changed or was damaged on the "
                                "way; check the address, and the checksum with its publisher")
            os.replace(temporary, kept)
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)
    except OSError as e:
        raise MaceError(f"cannot keep {url} as {kept}: {explain(e, kept)}; or set MACE_CACHE to "
                        "another folder") from e
    return kept


def _download(url: str, out: object, console: Console) -> str:
    """Copies the body and returns its checksum."""
    console.info(f"downloading {url}")
    digest = hashlib.sha256()
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "mace-converter"})
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            length = response.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            done = 0
            with console.transfer("downloading", total) as advance:
                while block := response.read(BLOCK_BYTES):
                    digest.update(block)
                    out.write(block)  # type: ignore[attr-defined]
                    done += len(block)
                    advance(len(block))
            if total is not None and done < total:
                raise MaceError(f"{url}: the connection ended after {done} of {total} bytes; try "
                                "again")
    except urllib.error.HTTPError as e:
        raise MaceError(f"{url}: the server answers {e.code} {e.reason}; check the address") from e
    except urllib.error.URLError as e:
        raise MaceError(f"{url}: cannot connect: {e.reason}; check the address and the network, "
                        "or download the file yourself and name it in model_file_path") from e
    except (TimeoutError, ConnectionError, http.client.HTTPException) as e:
        raise MaceError(f"{url}: the connection broke ({e or type(e).__name__}); try again") from e
    except ValueError as e:
        raise MaceError(f"{url}: this is not an address that can be opened: {e}") from e
    return digest.hexdigest()
