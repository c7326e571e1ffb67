"""Opens pages in a browser without a screen, for tests.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import contextlib
import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mace_tools.testing.needed import need_tools

_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")


def elements(text: str, folder: Path) -> str:
    """The page's elements once its script has run."""
    need_tools("chromium")
    done = subprocess.run(
        ["chromium", *_FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom",
         "--virtual-time-budget=3000", _written(text, folder)],
        capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


class Page:
    """A page in a window, by Chromium's DevTools protocol over two pipes."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from, self._number, self._rest = to_browser, from_browser, 0, b""
        self._session = ""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target,
                                   flatten=True)["sessionId"]

    def size(self, width: int, height: int, dark: bool = False) -> None:
        """The window's, also smaller ones than a desktop lets people have."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=False)
        self._call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, address: str) -> None:
        self._call("Page.navigate", url=address)

    def value(self, expression: str) -> Any:
        """Of an expression in JavaScript, once its promise is kept. Errors: AssertionError if it
        throws."""
        answer = self._call("Runtime.evaluate", expression=expression, awaitPromise=True,
                            returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Until the condition holds. Errors: AssertionError if it does not in time."""
        self.value("new Promise((done, no) => { const until = Date.now() + "
                   f"{1000 * seconds}; const look = () => {{ if ({condition}) done(); "
                   "else if (Date.now() > until) no('waited too long'); "
                   "else setTimeout(look, 10); }; look(); })")

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                       clickCount=1)

    def picture(self) -> bytes:
        """A screenshot, as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params,
                   **({"sessionId": self._session} if self._session else {})}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._rest:
                found = os.read(self._from, 1 << 20)
                assert found, "chromium ended"
                self._rest += found
            text, self._rest = self._rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]


@contextlib.contextmanager
def opened(text: str, folder: Path, width: int = 1400, height: int = 1000,
           dark: bool = False) -> Iterator[Page]:
    """The page of this text, with its scripts run."""
    need_tools("chromium")
    address = _written(text, folder)
    from_us, to_browser = _pipe()
    from_browser, to_us = _pipe()
    script = f'exec chromium "$@" 3<&{from_us} 4>&{to_us} {from_us}<&- {to_us}>&-'
    process = subprocess.Popen(
        ["bash", "-c", script, "chromium", *_FLAGS, "--remote-debugging-pipe",
         f"--user-data-dir={folder / 'profile'}"],
        pass_fds=(from_us, to_us), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(from_us)
    os.close(to_us)
    try:
        page = Page(to_browser, from_browser)
        page.size(width, height, dark)
        page.open(address)
        page.wait("document.readyState === 'complete' && location.href !== 'about:blank'")
        yield page
    finally:
        os.close(to_browser)  # it ends when its pipe does
        os.close(from_browser)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _pipe() -> tuple[int, int]:
    """One whose ends are not 3 and 4, where the browser expects its own."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]


def _written(text: str, folder: Path) -> str:
    page = folder / "page.html"
    page.write_text(text, encoding="utf-8")
    return page.as_uri()
