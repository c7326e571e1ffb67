"""Starts tools/test.sh's Python part: python3 -m rings.

SPDX-License-Identifier: Apache-2.0
"""

import sys

from rings.main import main

sys.exit(main(sys.argv[1:]))
