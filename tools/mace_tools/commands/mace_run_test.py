"""mace_run itself: wrong flags, confused files, and tables that fit.

SPDX-License-Identifier: Apache-2.0

The program is built when it is not up to date.
"""

import fcntl
import json
import os
import pty
import shutil
import struct
import subprocess
import termios

import pytest

from mace_tools import cli
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

pytestmark = pytest.mark.skipif(shutil.which("bazel") is None, reason="bazel is not installed")
PLAIN = {k: v for k, v in os.environ.items() if k != "COLUMNS"}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The graph and the weights of the digits."""
    folder = tmp_path_factory.mktemp("digits")
    shutil.copytree(REPO / "models" / "digits", folder / "models" / "digits")
    here = os.getcwd()
    os.chdir(folder)
    try:
        code = cli.main(["convert", "--config=models/digits/digits_onnx.yml"])
    finally:
        os.chdir(here)
    assert code == 0
    built = folder / "build" / "digits_onnx" / "model"
    return built / "digits_onnx.pb", built / "digits_onnx.data"


@pytest.fixture(scope="module")
def mace_run():
    return runner.find(Console(), None)


@pytest.fixture
def call(mace_run, model):
    """Runs it on the digits; the exit status, stdout and the first line of stderr."""

    def run(*flags, graph=model[0], data=model[1], **environment):
        files = [f"--{k}={v}" for k, v in (("model_file", graph), ("model_data_file", data)) if v]
        done = subprocess.run([mace_run, *files, *flags], capture_output=True, text=True,
                              check=False, env=PLAIN | environment, timeout=120)
        return done.returncode, done.stdout, (done.stderr.splitlines() or [""])[0]

    return run


@pytest.mark.parametrize("flag, message", [
    ("--round=0", "--round: '0' is not a whole number from 1 to 1000000000"),
    ("--round=-1", "--round: '-1' is not a whole number from 1 to 1000000000"),
    ("--round=99999999999", "'99999999999' is not a whole number from 1 to 1000000000"),
    ("--round=nan", "--round: 'nan' is not a whole number"),
    ("--warmup=-1", "--warmup: '-1' is not a whole number from 0 to 1000000000"),
    ("--max_num_runs=0", "--max_num_runs: '0' is not a whole number from 1"),
    ("--max_time=nan", "--max_time: 'nan' is not a number above 0 to 86400"),
    ("--max_time=inf", "--max_time: 'inf' is not a number"),
    ("--tune=1e99", "--tune: '1e99' is not a whole number from 0 to 2147483647"),
    ("--memory_savings=none,order", "--memory_savings: 'none' stands alone; leave it out, or the"),
    ("--memory_savings=views,views", "--memory_savings: 'views' appears twice"),
    ("--memory_savings=all", "--memory_savings: 'all' is not one of order, views, in_place, "),
    ("--memory_limit=64M", "--memory_limit: '64M' is not a whole number from 0 to 922337203685477"),
    ("--num_threads=0", "'0' is not -1, or a whole number from 1 to 1024"),
    ("--winograd=3", "--winograd: '3' is not one of 0, 1, 2, 4, 6"),
    ("--float32_nodes=a,,b", "--float32_nodes: an item is empty"),
    ("--seed=-1", "--seed: '-1' is not a whole number from 0 to 4294967295"),
    ("--input_range=nan,1", "--input_range: 'nan' is not a number"),
    ("--input_range=2,1", "--input_range: the first number is above the second"),
    ("--rounds=3", "'--rounds' is no flag of mace_run; did you mean '--round'?"),
    ("--confg=x.yml", "'--confg' is no flag of mace_run; did you mean '--config'?"),
    ("--config=x.yml", "--model_file: --config=x.yml names the models; leave out one of the two"),
    ("--validate", "tools/converter.py run --validate compares"),
    ("digits.pb", "'digits.pb' is no flag, and mace_run takes only those"),
    ("--output_dir=", "--output_dir= has no value"),
    ("--json=/nowhere/x.json", "there is no folder '/nowhere'"),
])
def test_a_wrong_flag_is_reported_in_one_line(call, flag, message):
    code, out, err = call(flag)
    assert code == 2 and not out
    assert err.startswith("ERROR: ") and message in err and len(err) < 200


def test_a_memory_limit_holds(call):
    code, out, err = call("--memory_limit=1000")
    assert code == 1 and not out and "1000" in err and "bytes" in err
    assert call("--memory_limit=100000000")[0] == 0


def test_files_that_are_no_model(call, model, tmp_path):
    graph, data = model
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    none = f"ERROR: model '{graph}': the model needs {data.stat().st_size} bytes of weights and " \
        "was given none; give its weights file (.data), which the converter wrote beside it"
    cases = [
        (dict(data=None), none),
        (dict(data=empty), f"{none}; '{empty}' is empty"),
        (dict(graph=data, data=graph),
         f"ERROR: the graph and its weights are swapped: '{graph}' is a graph, '{data}' is none; "
         "give the graph (.pb) first"),
        (dict(data=tmp_path), f"ERROR: cannot open '{tmp_path}': it is a folder; name a file in "
         "it"),
        (dict(graph=tmp_path), f"ERROR: cannot open '{tmp_path}': it is a folder; name a file in "
         "it"),
        (dict(graph="/none"), "ERROR: cannot open '/none': No such file or directory"),
        (dict(graph=empty), f"ERROR: model '{empty}': the model file is empty"),
    ]
    for files, message in cases:
        code, out, err = call(**files)
        assert (code, out, err) == (1, "", message)
    code, _, err = call(graph=REPO / "models" / "digits" / "digits.tflite")
    assert code == 1 and "tools/converter.py convert makes MACE models" in err


def test_a_failing_job_of_a_batch_is_reported(call, model, tmp_path):
    jobs, report = tmp_path / "jobs.json", tmp_path / "report.json"
    good = {"model_file": str(model[0]), "model_data_file": str(model[1])}
    jobs.write_text(json.dumps([good | {"model_file": "/none"}, good]))
    for more in ((), (f"--json={report}",)):
        code, out, err = call(f"--batch={jobs}", *more, graph=None, data=None)
        assert (code, out, err) == (1, "", "ERROR: cannot open '/none': No such file or directory")
    failed, ran = json.loads(report.read_text())
    assert failed["error"] and ran["error"] == "" and ran["memory"]["records"]


@pytest.mark.parametrize("flag", ["--dump=plan", "--benchmark", "--generate=x", "--interactive",
                                  "--embed_memory_plan=x.pb", "--model_file=x.pb", "--input=x=y",
                                  "--output_dir=x"])
def test_flags_that_do_not_go_with_a_batch_are_refused(call, tmp_path, flag):
    jobs = tmp_path / "jobs.json"
    jobs.write_text("[]")
    code, out, err = call(f"--batch={jobs}", flag, graph=None, data=None)
    assert (code, out) == (2, "") and "does not go with --batch" in err
    assert flag.partition("=")[0] in err


def test_an_input_is_given_once(call):
    code, _, err = call("--input=x=a.npy", "--input=x=b.npy")
    assert code == 2 and "'x': this input is given twice" in err


def test_names_with_brackets_are_whole_and_repeated_flags_add_up(call):
    for names in (["[a,b]"], ["[/INST]", "c"]):
        code, _, err = call(*(f"--output={name}" for name in names))
        assert code == 1 and f"'{names[0]}'" in err
    code, _, err = call("--input=[x]=a.npy", "--input=[x]=b.npy")
    assert code == 2 and "'[x]': this input is given twice" in err


def test_text_that_is_not_utf_8_is_written_with_replacements(mace_run, model, tmp_path):
    jobs, report = tmp_path / "jobs.json", tmp_path / "report.json"
    array = tmp_path / "x.npy"
    header = b"{'descr': '\xff\xfe9', 'fortran_order': False, 'shape': (1,), }\n"
    array.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    jobs.write_text(json.dumps([{"model_file": str(model[0]), "model_data_file": str(model[1]),
                                 "inputs": {"input": str(array)}}]))
    done = subprocess.run([mace_run, f"--batch={jobs}", f"--json={report}"], capture_output=True,
                          text=True, check=False, timeout=120)
    assert done.returncode == 1 and "has elements of type '" in done.stderr
    assert "has elements of type '" in json.loads(report.read_text())[0]["error"]
    folder = tmp_path / os.fsdecode(b"\xff")
    shutil.copytree(model[0].parent, folder)
    config = REPO / "models" / "digits" / "digits_onnx.yml"
    subprocess.run([mace_run, f"--config={config}", f"--model_dir={folder}", f"--json={report}"],
                   capture_output=True, check=True, timeout=120)
    ran = json.loads(report.read_text())["models"]["digits_onnx"]
    assert ran["model_file"] == f"{tmp_path}/\ufffd/digits_onnx.pb"


def test_without_warm_up_there_is_no_time_of_one(call, tmp_path):
    report = tmp_path / "report.json"
    code, out, _ = call("--warmup=0", f"--json={report}")
    assert code == 0 and "1st warm up run latency: none\n" in out
    assert json.loads(report.read_text())["warmup_ms"] is None


def test_a_dump_of_memory_is_written_as_json(call, tmp_path):
    report = tmp_path / "report.json"
    code, _, _ = call("--dump=memory", "--memory_strategy=EQUALITY", f"--json={report}")
    memory = json.loads(report.read_text())
    assert code == 0 and memory["strategy"] == "objects/EQUALITY"
    usage = memory["usage"]
    assert usage["head_bytes"] == memory["total_size"] >= usage["peak_bytes"] > 0
    assert usage["categories"]["images"]["count"] == 0


@pytest.mark.parametrize("flags", [["--benchmark", "--max_num_runs=2"], ["--dump=plan"]])
@pytest.mark.parametrize("columns", [80, 100, 120])
def test_tables_fit(call, flags, columns):
    code, out, _ = call(*flags, COLUMNS=str(columns))
    assert code == 0
    assert max(map(len, out.splitlines())) <= columns
    assert "--wide shows everything" in out


def test_without_a_terminal_tables_have_120_columns_and_all_with_wide(call):
    flags = ["--benchmark", "--max_num_runs=2"]
    _, out, _ = call(*flags)
    assert max(map(len, out.splitlines())) <= 120 and "Dilation |" not in out
    _, out, _ = call(*flags, "--wide")
    assert "Dilation |" in out and "--wide" not in out


def test_tables_fit_the_terminal(mace_run, model):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
    command = [mace_run, f"--model_file={model[0]}", f"--model_data_file={model[1]}",
               "--benchmark", "--max_num_runs=2"]
    with subprocess.Popen(command, stdout=theirs, env=PLAIN) as child:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    assert child.returncode == 0
    lines = text.decode().splitlines()
    assert max(map(len, lines)) <= 90 and any("To fit 90 columns" in line for line in lines)


@pytest.mark.parametrize("flags", [[], ["--benchmark", "--max_num_runs=1"], ["--dump=graph"],
                                   ["--list_ops"]])
def test_results_that_cannot_be_written_are_an_error(mace_run, model, flags):
    command = [mace_run, f"--model_file={model[0]}", f"--model_data_file={model[1]}", *flags]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ERROR: cannot write to stdout: ")


@pytest.mark.parametrize("level, warned", [("x", True), ("2x", True), ("", True), ("1" * 30, True),
                                           ("0", False), ("-1", False), ("1", False)])
def test_a_vlog_level_that_is_no_number_is_named(call, level, warned):
    code, _, err = call(MACE_CPP_MIN_VLOG_LEVEL=level)
    assert code == 0
    assert (f"MACE_CPP_MIN_VLOG_LEVEL='{level}' is not a whole number, and is taken as 0" in err
            ) == warned
