"""The commands that reach devices.

SPDX-License-Identifier: Apache-2.0
"""

import threading
from pathlib import Path

import pytest

from mace_tools.devices.device import Here
from mace_tools.devices.device_yml import Board
from mace_tools.devices.ssh import SshBoard


@pytest.mark.parametrize("address, machine", [
    ("fe80::1", "pi@[fe80::1]"), ("192.168.1.20", "pi@192.168.1.20"), ("pi.local", "pi@pi.local")])
def test_addresses_with_colons_have_brackets_for_scp(address, machine):
    board = SshBoard("pi", Board(target_abis=["arm64"], address=address, username="pi"))
    assert board.push_command(Path("a"), "/b")[-2:] == ["a", f"{machine}:/b"]
    assert board.pull_command("/b", Path("a"))[-2:] == [f"{machine}:/b", "a"]
    assert board.shell_command("true")[-2] == f"pi@{address}"


def test_a_timeout_can_be_longer_than_a_timer(monkeypatch):
    failed = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    assert Here().shell("sleep 0.2", 1e300).code == 0
    assert not failed
