"""Opens pages in a browser without a screen, for tests.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from mace_tools.testing.needed import need_tools


def elements(text: str, folder: Path) -> str:
    """The page's elements once its script has run."""
    return _run(text, folder, "--dump-dom", "--virtual-time-budget=3000")


def picture(text: str, folder: Path, width: int = 1400, height: int = 1000) -> Path:
    """A screenshot of the page."""
    file = folder / "page.png"
    _run(text, folder, f"--screenshot={file}", f"--window-size={width},{height}",
         "--hide-scrollbars")
    return file


def _run(text: str, folder: Path, *flags: str) -> str:
    need_tools("chromium")
    page = folder / "page.html"
    page.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
         f"--user-data-dir={folder / 'profile'}", *flags, page.as_uri()],
        capture_output=True, text=True, timeout=60, check=False)
    return done.stdout
