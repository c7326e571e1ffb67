"""What the campaign of mutants finds, by planted faults; and 2,000 mutants of source files.

SPDX-License-Identifier: Apache-2.0
"""

import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import abis
import campaign
import coverage
import reader
from format_seeds import FORMATS, READ_BYTES
from mutated_bytes import mutated

from mace_tools import cli
from mace_tools.support.protos import REPO

NAME = "deployment file"


@pytest.mark.parametrize("command, outcome", [
    (lambda words: 0, "ok"), (lambda words: 3, "ok"),
    (lambda words: 70, "wrong exit code 70"), (lambda words: [][1], "wrong IndexError"),
    (lambda words: sys.exit("x"), "wrong SystemExit"),
])
def test_outcomes_of_commands(monkeypatch, command, outcome):
    monkeypatch.setattr(cli, "main", command)
    assert reader.convert([], reader.peak()).startswith(outcome)


def test_a_command_that_hangs_or_fills_memory_is_found(monkeypatch):
    def hang(_):
        while True:
            try:
                sum(range(1000))
            except Exception:
                raise AssertionError from None

    monkeypatch.setattr(reader, "SECONDS", 0.2)
    monkeypatch.setattr(cli, "main", hang)
    assert reader.convert([], reader.peak()) == "hung"
    monkeypatch.setattr(cli, "main", lambda words: 0)
    assert reader.convert([], reader.peak() - reader.MEGABYTES - 1) == "memory"


@pytest.mark.parametrize("script, outcome", [
    ("exit 0", "ok"), ("echo wrong >&2; exit 1", "ok"), ("exit 1", "wrong"),
    ("kill -SEGV $$", "crashed"), ("echo 'x.cc:1: runtime error: y' >&2", "crashed"),
])
def test_outcomes_of_programs(tmp_path, script, outcome):
    program = tmp_path / "run"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    assert reader.run(str(program), []).split()[0].rstrip(":") == outcome


def test_a_reader_that_dies_is_counted_and_passed_over(tmp_path, capsys):
    fake = tmp_path / "fake.py"
    fake.write_text("import os, sys\n"
                    "for n in range(int(sys.argv[3]), int(sys.argv[3]) + int(sys.argv[4])):\n"
                    "    print(n, end=' ', flush=True)\n"
                    "    if n % 3 == 1: os.abort()\n"
                    "    print('wrong exit code 70' if n == 5 else 'ok', flush=True)\n")
    found = campaign.Campaign(tmp_path / "out", None, fake)
    found.batch(NAME, 7)
    counts = {"next": 7, "ok": 4, "crashed": 2, "hung": 0, "memory": 0, "wrong": 1}
    assert found.state == {NAME: counts}
    assert found.failed == 3
    printed = capsys.readouterr().out
    assert f"{NAME} 5: wrong exit code 70\n  kept in " in printed
    assert (tmp_path / "out/failures/deployment_file_4/m.yml").exists()
    again = campaign.Campaign(tmp_path / "out", None, fake)
    assert again.state == {NAME: counts}  # it goes on there
    assert f"| {NAME} | 7 | 2 | 0 | 0 | 1 |" in campaign.table(again.state)


def models_by(script, folder):
    """The campaign after 500 models from number 500 on, which a script in place of `mutations`
    runs."""
    program = campaign.file_of(campaign.MUTATIONS, folder)
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    (folder / "out/model_seeds").mkdir(parents=True)
    found = campaign.Campaign(folder / "out", folder, device="GPU")
    found.counts(campaign.MODELS)["next"] = 500
    found.batch(campaign.MODELS, 500)
    return found


FAILS = "echo 'FAILED case 500: leak, see above'; exit 1"


@pytest.mark.parametrize("also, crashed", [
    ("", 0), ("echo 'FAILED case 501: signal: Aborted'", 2), ("echo detected memory leaks >&2", 1),
])
def test_models_are_run_again_if_only_leaks_are_unknown(tmp_path, also, crashed):
    found = models_by(f"""[ -e {tmp_path}/again ] && exit 0
touch {tmp_path}/again
echo '==1==LeakSanitizer has encountered a fatal error.' >&2
{also}
{FAILS}""", tmp_path)
    assert found.counts(campaign.MODELS)["crashed"] == crashed == found.failed


def test_what_sanitizers_print_of_models_is_kept(tmp_path, capsys):
    found = models_by(f"echo 'Direct leak of 16 bytes' >&2; {FAILS}", tmp_path)
    assert found.counts(campaign.MODELS)["crashed"] == 1
    kept = tmp_path / "out/failures_GPU/messages_from_500.txt"
    assert kept.read_text() == "Direct leak of 16 bytes\n"
    assert str(kept) in capsys.readouterr().out


def test_a_mutant_of_a_device_is_repeated(tmp_path, capsys, monkeypatch):
    fake = campaign.file_of(campaign.MUTATIONS, tmp_path)
    fake.parent.mkdir(parents=True)
    fake.write_text("#!/bin/sh\necho \"$@\"\n")
    fake.chmod(0o755)
    (tmp_path / "out/model_seeds").mkdir(parents=True)
    monkeypatch.setattr(campaign, "build", lambda *_, **__: tmp_path)
    monkeypatch.setattr(campaign.os, "environ", {**campaign.os.environ})
    monkeypatch.setattr("sys.argv", ["campaign", "--again", "models", "168", "--device=GPU",
                                     f"--out={tmp_path / 'out'}"])
    assert campaign.main() == 0
    assert "--count=1 --first=168 --device=GPU" in capsys.readouterr().out


@pytest.mark.parametrize("words, complaint", [
    ("5 ONNX --abi=armhf", "not of ONNX"), ("5 PNG --abi=i686", "not of PNG"),
    ("5 bytes --abi=i686", "neither of bytes"), ("5 models --abi=armhf --device=GPU", "nor"),
    ("5 models --abi=x86", "armhf"),
])
def test_what_an_abi_does_not_read_is_refused(monkeypatch, capsys, words, complaint):
    monkeypatch.setattr("sys.argv", ["campaign", *words.split()])
    with pytest.raises(SystemExit) as refused:
        campaign.parsed()
    assert refused.value.code == 2 and complaint in capsys.readouterr().err


def test_an_abi_reads_what_the_engine_reads(monkeypatch):
    monkeypatch.setattr("sys.argv", ["campaign", "5", "--abi=armhf"])
    args = campaign.parsed()
    assert args.out.name == "robustness_armhf"
    assert {"models", "MACE model", "states"} <= set(args.names)
    assert not {"ONNX", "PNG", "GPU programs"} & set(args.names)


def test_programs_of_arm_are_started_under_qemu(tmp_path, monkeypatch):
    monkeypatch.setattr(abis, "TOOLCHAINS", tmp_path / "tool chains")
    abis.TOOLCHAINS.mkdir()
    qemu = abis.TOOLCHAINS / "qemu_armv7.sh"
    qemu.write_text("#!/bin/sh\necho \"$@\"\n")
    qemu.chmod(0o755)
    found = abis.startable("armhf", ["//a/b:c"], tmp_path / "bin", tmp_path / "out")
    printed = subprocess.run([found / "a/b/c", "x y"], check=True, capture_output=True, text=True)
    assert printed.stdout == f"{tmp_path}/bin/a/b/c x y\n"
    assert abis.startable("i686", ["//a/b:c"], tmp_path / "bin", tmp_path) == tmp_path / "bin"


def test_links_of_an_unpacked_package_stay_in_its_folder(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/m.so.6").write_text("there")
    link = tmp_path / "usr/lib/m.so"
    link.parent.mkdir(parents=True)
    link.symlink_to("/lib/m.so.6")
    abis.resolve_links(tmp_path)
    assert link.read_text() == "there"


def test_mutants_are_the_same_again():
    data = bytes(range(256)) * 4
    assert [mutated(data, random.Random(k)) for k in range(50)] == [
        mutated(data, random.Random(k)) for k in range(50)]
    assert sum(mutated(data, random.Random(k)) != data for k in range(50)) > 45
    assert mutated(b"", random.Random(1)) is not None


def test_entries_of_archives_are_mutated_and_fit_their_archive(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("kept", b"kept")
        archive.writestr("changed", bytes(500))
    reader.change_entry(path, "changed", random.Random(1))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.read("kept") == b"kept" and archive.read("changed") != bytes(500)


def test_every_format_names_what_reads_it():
    for name, kind in FORMATS.items():
        assert kind.mutated and any("FOLDER" in word for word in kind.arguments), name
        assert (kind.write is None) == (kind.program == READ_BYTES), name


SHOWN = """/x/mace/model/a.cc:
    1|       |// Nothing that runs.
    2|     10|Status Read() {
    3|      0|  return Bad(a | b);
    4|  1.2k|}
    5|      0|constexpr auto Rules() {
    6|      0|  return 1;
    7|      0|}
    8|      0|int Unread() {
    9|      0|}

/x/bin/mace/ops/ops_unit_0.cc:
    1|      3|  f();
/x/mace/proto/mace.pb.cc:
    1|      0|  f();
/x/mace/ops/testing/c.cc:
    1|      0|  f();
/usr/include/c++/vector:
    1|      0|  f();
"""


def test_coverage_counts_what_runs_in_the_folders_that_are_asked_for():
    found = coverage.counted(SHOWN)
    assert found == {"mace/model": (5, 2), "mace/proto": (0, 0), "mace/ops": (1, 1)}
    text, enough = coverage.table(found)
    assert "| mace/model | 5 | 40.0 % | 90 % |" in text and not enough
    assert coverage.table(dict.fromkeys(coverage.ASKED, (100, 90)))[1]
    assert not coverage.table(dict.fromkeys(coverage.ASKED, (100, 89)))[1]


@pytest.mark.full
def test_mutated_source_files_end_in_a_message(tmp_path):
    # All but those that start a framework for each.
    names = [name for name, kind in FORMATS.items() if not kind.program and kind.batch > 10]
    assert len(names) == 11
    done = subprocess.run(
        [REPO / "tools/robustness.sh", "0", *names, "--count=182", f"--out={tmp_path}"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.count("| 182 | 0 | 0 | 0 | 0 |") == 11
