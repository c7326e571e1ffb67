"""What each op adds to a library: tools/op_sizes.json.

SPDX-License-Identifier: Apache-2.0

Measuring links some hundred libraries for 64-bit Arm.
"""

from collections.abc import Iterator
from pathlib import Path

from mace_tools.package.library import op_sizes
from mace_tools.support.console import Console


def outputs(console: Console) -> Iterator[tuple[Path, str]]:
    yield op_sizes.FILE, op_sizes.as_text(console)
