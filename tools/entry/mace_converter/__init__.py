"""The package that `pip install .` of the checkout makes: the command mace-converter.

SPDX-License-Identifier: Apache-2.0

Below an installed package are the parts of a checkout that converting needs, in the checkout's own
folders, so that the same code finds the same files; `pip install -e .` runs those of the checkout.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - pip can be told to ignore requires-python
        sys.stderr.write("ERROR: mace-converter needs Python 3.11 or newer\n")
        return 6
    tools = os.path.join(HERE, "tools")
    sys.path.insert(0, tools if os.path.isdir(tools) else os.path.dirname(os.path.dirname(HERE)))
    from mace_tools.cli import main as run

    return run(sys.argv[1:])
