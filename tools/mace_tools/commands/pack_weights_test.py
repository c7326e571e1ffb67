"""convert with packed_weights, by a fake of mace_run.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing import fake_mace_run
from mace_tools.testing.workplace import Workplace


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    return Workplace(tmp_path, monkeypatch, capfd)


def test_weights_are_packed_when_asked_for(place):
    code, _, err = place.call("convert", "--packed_weights=avx512",
                              f"--mace_run={place.mace_run}")
    assert code == 0, err
    flags, _ = place.arguments()
    assert "--pack_weights=avx512" in flags
    for file in (place.pb, place.data):
        assert file.read_bytes().endswith(fake_mace_run.EMBEDDED)
    assert sorted(p.suffix for p in place.pb.parent.iterdir()) == [".data", ".pb"]
    assert "converting" in place.call("convert")[2]
    assert not place.data.read_bytes().endswith(fake_mace_run.EMBEDDED)
    place.edit("runtime: cpu", "runtime: cpu\n    packed_weights: host")
    assert "converting" in place.call("convert", f"--mace_run={place.mace_run}")[2]
    assert "--pack_weights=host" in place.arguments()[0]


def test_weights_that_cannot_be_packed_leave_nothing(place, monkeypatch):
    monkeypatch.setenv("FAKE_FAILS", "1")
    code, _, err = place.call("convert", "--packed_weights=neon", f"--mace_run={place.mace_run}")
    assert code == ExitCode.RUN_FAILED, err
    assert not place.pb.exists() and not place.data.exists()
