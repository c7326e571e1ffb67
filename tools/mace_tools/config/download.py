"""Downloads the model files that a deployment file names by their addresses.

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

from mace_tools.config.files import sha256_of
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.os_errors import explain
from mace_tools.support.protos import cache_dir

TIMEOUT_S = 30
BLOCK_BYTES = 1 << 20


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
