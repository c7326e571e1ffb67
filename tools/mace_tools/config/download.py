"""Downloads the model files that a deployment file names by their addresses.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import hashlib
import http.client
import os
import re
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, BinaryIO

from mace_tools.config.files import is_address, sha256_of
from mace_tools.support.atomic import temporary
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.os_errors import explain
from mace_tools.support.protos import cache_dir

TIMEOUT_S = 30  # without any byte
MAX_BYTES = 64 << 30
SLOW_S, SLOW_BYTES = 60, 1 << 12  # a server gives at least so many bytes a second, but for a start
MAX_SECONDS = 6 * 3600
POLL_S = 0.1
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
        out = temporary(kept)
        try:
            with out:
                actual = _watched(url, out, console)
            if actual != sha256:
                raise MaceError(f"{url}: the file there has the checksum {actual}, not {sha256} "
                                f"as {kind}_sha256_checksum says: it changed or was damaged on the "
                                "way; check the address, and the checksum with its publisher")
            os.replace(out.name, kept)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(out.name)
    except OSError as e:
        raise MaceError(f"cannot keep {url} as {kept}: {explain(e, kept)}; or set MACE_CACHE to "
                        "another folder") from e
    return kept


class _Transfer:
    """What is known of a download while it runs in a thread of its own."""

    def __init__(self) -> None:
        self.done = 0
        self.ended = ""  # the reason why it is to end
        self.response: Any = None
        self.checksum = ""
        self.error: BaseException | None = None


def _watched(url: str, out: BinaryIO, console: Console) -> str:
    """Downloads within bounds of time: a server that gives a byte now and then resets the timeouts
    of a socket, also in the middle of a header."""
    console.info(f"downloading {url}")
    transfer = _Transfer()

    def work() -> None:
        try:
            transfer.checksum = _download(url, out, console, transfer)
        except BaseException as e:  # passed on below
            transfer.error = e

    thread = threading.Thread(target=work, daemon=True)
    began = time.monotonic()
    thread.start()
    while thread.is_alive():
        thread.join(POLL_S)
        seconds = time.monotonic() - began
        slow = seconds > SLOW_S and transfer.done < SLOW_BYTES * (seconds - SLOW_S)
        if slow or seconds > MAX_SECONDS:
            transfer.ended = f"only {transfer.done} bytes came in {seconds:.0f} seconds"
            if transfer.response is not None:
                transfer.response.close()
            raise MaceError(f"{url}: {transfer.ended}; download the file yourself and name it in "
                            "model_file_path")
    if transfer.error is not None:
        raise transfer.error
    return transfer.checksum


class _Redirect(urllib.request.HTTPRedirectHandler):
    """Follows no address of another kind: a file: or ftp: address reads what nobody named."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
                         ) -> Any:
        if is_address(newurl) is not True or (
                req.full_url.startswith("https:") and not newurl.startswith("https:")):
            raise MaceError(f"{req.full_url}: the server leads to {newurl}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(url: str) -> Any:
    """Opens an address of http or https. Errors: those of urllib.request; MaceError."""
    if is_address(url) is not True:
        raise MaceError(f"{url}: only http:// and https:// are downloaded from")
    opener = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler(), urllib.request.HTTPHandler(),
                    urllib.request.HTTPSHandler(), urllib.request.HTTPDefaultErrorHandler(),
                    urllib.request.HTTPErrorProcessor(), _Redirect(),
                    urllib.request.UnknownHandler()):
        opener.add_handler(handler)
    request = urllib.request.Request(url, headers={"User-Agent": "mace-converter"})
    return opener.open(request, timeout=TIMEOUT_S)


def _download(url: str, out: BinaryIO, console: Console, transfer: _Transfer) -> str:
    """Copies the body and returns its checksum."""
    digest = hashlib.sha256()
    try:
        with _open(url) as response:
            transfer.response = response
            length = response.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            if total is not None and total > MAX_BYTES:
                raise MaceError(_too_large(url))
            with console.transfer("downloading", total) as advance:
                while not transfer.ended and (block := response.read1(BLOCK_BYTES)):
                    transfer.done += len(block)
                    if transfer.done > MAX_BYTES:
                        raise MaceError(_too_large(url))
                    digest.update(block)
                    out.write(block)
                    advance(len(block))
            if total is not None and transfer.done < total:
                raise MaceError(f"{url}: the connection ended after {transfer.done} of {total} "
                                "bytes; try again")
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


def _too_large(url: str) -> str:
    return f"{url}: the file there has more than {MAX_BYTES >> 30} GB, and is not downloaded"
