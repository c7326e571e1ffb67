"""What keeps tests from running, with its cure; and the exit codes of tools/test.sh.

SPDX-License-Identifier: Apache-2.0
"""

import enum


class Exit(enum.IntEnum):
    PASSED = 0
    FAILED = 1
    USAGE = 2  # an unknown name or option
    CANNOT_RUN = 3  # no set-up, a full disk, another run, an unreadable file of results
    INTERRUPTED = 130


class RingsError(Exception):
    """Says what is wrong, and how to cure it."""

    def __init__(self, message: str, cure: str, code: Exit = Exit.CANNOT_RUN) -> None:
        super().__init__(message)
        self.cure = cure
        self.code = code
