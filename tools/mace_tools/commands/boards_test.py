"""run on boards: the device yml, and what goes wrong on the way to them; ssh, scp and mace_run are
fakes.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.commands.commands_test import place  # noqa: F401, the fixture
from mace_tools.commands.remote_test import PI, devices, run  # noqa: F401, the fixtures
from mace_tools.support.exit_codes import ExitCode


def test_the_device_yml(place, devices, run):  # noqa: F811
    file = place.folder / "dev.yml"
    devices.board("pi@10.0.0.2", password="secret")

    def problem(text):
        file.write_text(text)
        code, _, err, _ = run("--target_abis=arm64", "--device_yml=dev.yml")
        assert "secret" not in err
        return code, err

    code, err = problem(PI)
    assert code == ExitCode.RUN_FAILED
    assert "board 'pi' (pi@10.0.0.2): it does not let pi@10.0.0.2 in: `ssh-copy-id" in err
    code, err = problem(PI + "    password: secret\n")
    assert code == ExitCode.OK, err
    assert ["sshpass", "-e", "scp"] in [c[:3] for c in devices.calls()]
    assert not any("secret" in word for call in devices.calls() for word in call)
    for edit, line, message in (
            (("address: 10.0.0.2", "adress: 10.0.0.2"), 6, "no such key; did you mean 'address'?"),
            (("address: 10.0.0.2\n", "\n"), 2, "devices.pi.address: it is missing"),
            (("username: pi", "username: -oProxyCommand=x"), 7, "must not begin with '-'"),
            (("username: pi", "username: pi:x"), 7, "may not have a ':'"),
            (("arm64", "arm65"), 3, "'arm65' is not one of arm64, armhf"),
            (("devices:", "device:"), 1, "did you mean 'devices'?"),
            (("username: pi", "username: pi\n    port: 99999"), 8, "from 1 to 65535"),
            (("  pi:", "  pi/x:"), 2, "names files")):
        code, err = problem(PI.replace(*edit))
        assert code == ExitCode.ERROR and message in err and f"dev.yml:{line}:" in err, err
    (place.folder / "dev.yml").write_text(PI)
    for abi, message in (("host", "which no phone or board has"), ("arm64-v8a", "boards have arm")):
        code, _, err, _ = run(f"--target_abis={abi}", "--device_yml=dev.yml")
        assert code == ExitCode.USAGE and message in err
    assert problem("devices: {}\n")[0] == ExitCode.ERROR
    assert problem("devices:\n  pi: 3\n")[0] == ExitCode.ERROR


@pytest.mark.full
def test_a_board_with_two_names_takes_turns(place, devices, run):  # noqa: F811
    twice = PI + PI.replace("devices:\n", "").replace("  pi:", "  again:")
    (place.folder / "dev.yml").write_text(twice)
    devices.board("pi@10.0.0.2")
    code, _, err, report = run("--target_abis=arm64", "--device_yml=dev.yml", "--round=2")
    assert code == ExitCode.OK, err
    assert [f["name"] for f in report] == ["pi", "again"]
    assert all(f["latency"]["runs"] == 2 for f in report)


@pytest.mark.parametrize("expected, why", [
    ("ssh: Could not resolve hostname nowhere: Name or service not known", "nobody knows the"),
    ("ssh: connect to host 10.0.0.2 port 22: Connection refused", "has no ssh server on port 22"),
    ("ssh: connect to host 10.0.0.2 port 22: Connection timed out", "does not answer"),
    ("Host key verification failed.", "does not know 10.0.0.2 yet: `ssh pi@10.0.0.2` once"),
    ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @", "ssh-keygen -R 10.0.0.2"),
    ("kex_exchange_identification: read: Connection reset by peer", "check the network"),
])
def test_boards_that_cannot_be_reached(place, devices, run, expected, why):  # noqa: F811
    (place.folder / "dev.yml").write_text(PI)
    devices.board("pi@10.0.0.2")
    devices.rule("pi@10.0.0.2", "pwd", f"fail {expected}")
    code, _, err, _ = run("--target_abis=arm64", "--device_yml=dev.yml")
    assert code == ExitCode.RUN_FAILED and "board 'pi' (pi@10.0.0.2): " in err and why in err


@pytest.mark.full
def test_boards_of_other_abis(place, devices, run):  # noqa: F811
    (place.folder / "dev.yml").write_text(PI.replace("arm64", "[arm64, armhf]"))
    devices.board("pi@10.0.0.2", machine="armv7l")
    code, _, err, (report,) = run("--target_abis=armhf", "--device_yml=dev.yml")
    assert code == ExitCode.OK and report["abi"] == "armhf", err
    code, _, err, _ = run("--target_abis=arm64", "--device_yml=dev.yml")
    assert code == ExitCode.RUN_FAILED and "it has armhf, not arm64" in err
