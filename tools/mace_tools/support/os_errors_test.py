"""Each reason for which a machine refuses a file has its own cure.

SPDX-License-Identifier: Apache-2.0
"""

import errno
import os
from pathlib import Path

import pytest

from mace_tools.support.atomic import atomic_files
from mace_tools.support.errors import MaceError
from mace_tools.support.os_errors import explain


@pytest.mark.parametrize("number, cure", [
    (errno.ENOSPC, "free some space, or choose another folder"),
    (errno.EDQUOT, "free some space, or choose another folder"),
    (errno.EACCES, "check the permissions of {folder}, or choose another folder"),
    (errno.EROFS, "nothing can be written below {folder}: choose another folder"),
    (errno.ENAMETOOLONG, "shorten the name"),
    (errno.EIO, "the disk, or the network that it is on, failed"),
    (errno.ENOENT, "the folder {folder} takes no new files: choose another folder"),
])
def test_writing(tmp_path, number, cure):
    text = explain(OSError(number, os.strerror(number)), tmp_path / "a" / "b", writing=True)
    assert text == f"{os.strerror(number)}; {cure.format(folder=tmp_path)}"


def test_reading(tmp_path):
    gone = OSError(errno.ENOENT, "No such file or directory", str(tmp_path / "x"))
    assert explain(gone) == "No such file or directory; check the path"
    assert explain(OSError(errno.EBUSY, "Busy")) == "Busy"
    assert explain(OSError("no number")) == "no number"


def test_a_file_that_stands_where_a_folder_should(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(MaceError, match="a is a file, so nothing can lie below it"):
        with atomic_files(tmp_path / "a" / "b" / "c"):
            pass


def test_a_folder_that_takes_no_files():
    with pytest.raises(MaceError, match="the folder /proc takes no new files"):
        with atomic_files(Path("/proc/x/y")):
            pass
