"""The plan command with the real mace_plan, on records, and on a fake of a model's dump.

SPDX-License-Identifier: Apache-2.0
"""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mace_tools import cli
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO
from mace_tools.testing.needed import need_tools

DATA = Path(os.environ.get("MACE_TEST_DATA") or REPO.parent / "shared") / "conformance" / "memory"
CHECKER = DATA / "check_plan.py"
HEADER = "id,lower,upper,size,alignment\n"
# a and c live together, then b and c: best is c at the bottom or at the top.
RECORDS = HEADER + "a,0,2,100,4\nb,2,4,60,16\nc,1,3,40,4\n"
DUMP = {"records": [{"name": "conv1", "size": 96, "first": 0, "last": 1, "align": 32},
                    {"name": "conv2", "size": 64, "first": 1, "last": 2, "align": 32,
                     "overlaps": [{"other": 0, "safe_distance": 32}]}],
        "offsets": [0, 96], "total_size": 160, "bound": 160, "status": "optimal",
        "strategy": "offsets/AUTO", "nodes": 0, "us": 1,
        "steps": ["Conv2d 'n0'", "Conv2d 'n1'", "Softmax 'n2'"],
        "savings": [{"name": "overlap", "before": 160, "after": 96}]}


@pytest.fixture(scope="session")
def mace_plan():
    need_tools("bazel")
    return runner.find(Console(), None, runner.MACE_PLAN)


@pytest.fixture
def call(tmp_path, monkeypatch, capfd, mace_plan):
    """Calls the command in an empty folder; the exit status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def plan(*arguments):
        code = cli.main(["plan", f"--mace_plan={mace_plan}", *map(str, arguments)])
        out, err = capfd.readouterr()
        return code, out, err

    return plan


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def checked(file):
    """Whether the checker accepts a plan, and every other plan of the same file."""
    results = json.loads(file.read_text())
    common = {k: results[k] for k in ("records", "alignment") if k in results}
    every = file.with_name("every.json")
    every.write_text(json.dumps({"plans": [results, *(common | s for s in results["strategies"])]}))
    done = subprocess.run([sys.executable, CHECKER, "-q", every], capture_output=True, text=True,
                          check=False)
    return done.returncode == 0, done.stdout + done.stderr


def test_records(call, tmp_path):
    (tmp_path / "three.csv").write_text(RECORDS)
    code, out, _ = call("--records=three.csv", "--json=out.json")
    assert code == ExitCode.OK
    assert files(tmp_path) == [
        *(f"build/three/plan/three.{kind}" for kind in ("csv", "html", "json", "svg")),
        "out.json", "three.csv"]
    results = json.loads((tmp_path / "out.json").read_text())
    assert results["bound"] == 140 and results["total_size"] >= 140
    assert {"offsets/GREEDY_BY_SIZE", "objects/GREEDY_BEST"} <= {
        s["strategy"] for s in results["strategies"]}
    assert all(s["strategy"] in out for s in results["strategies"]) and "x naive" in out
    assert (tmp_path / "build/three/plan/three.json").read_bytes() == (
        tmp_path / "out.json").read_bytes()


def test_the_csv_says_the_same_as_the_json(call, tmp_path):
    (tmp_path / "three.csv").write_text(RECORDS)
    call("--records=three.csv", "--json=out.json")
    with open(tmp_path / "build/three/plan/three.csv") as f:
        rows = list(csv.DictReader(f))
    assert [int(r["offset"]) for r in rows] == json.loads(
        (tmp_path / "out.json").read_text())["offsets"]
    assert [r["id"] for r in rows] == ["a", "b", "c"] and rows[1]["alignment"] == "16"


def test_one_strategy(call, tmp_path):
    (tmp_path / "three.csv").write_text(RECORDS)
    code, _, _ = call("--records=three.csv", "--strategy=objects/GREEDY_BY_SIZE", "--json=o.json")
    results = json.loads((tmp_path / "o.json").read_text())
    assert code == ExitCode.OK and len(results["strategies"]) == 1
    assert results["object_ids"][0] == results["object_ids"][1] != results["object_ids"][2]


@pytest.mark.parametrize("key, value", [
    ("alias_of", 1 << 32), ("first", 0.5), ("size", 1e30), ("may_overlap", [1 << 32]),
    ("fixed_offset", 1 << 63), ("size", [8, 1.5]), ("pool", -(1 << 32)), ("align", "1"),
    ("overlaps", [{"other": 1 << 32}])])
def test_mace_plan_refuses_what_is_no_whole_number(mace_plan, tmp_path, key, value):
    records, plans = tmp_path / "records.json", tmp_path / "plans.json"
    records.write_text(json.dumps({"records": [{"size": 8, "first": 0, "last": 0} | {key: value}]}))
    done = subprocess.run([mace_plan, f"--records={records}", f"--json={plans}"],
                          capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and not plans.exists()
    assert "record 0: " in done.stderr and "is not a whole number that fits" in done.stderr


@pytest.mark.parametrize(("text", "more", "message"), [
    (HEADER + "a,5,2,8,1\n", (), "r.csv:2: record 'a': upper 2"),
    (HEADER + "a,0,2,8,1\nb,0,2,-8,1\n", (), "r.csv:3: record 1 'b': size is -8"),
    (RECORDS, ("--capacity=139",), "capacity 139 bytes is infeasible, proven: no plan takes less "
     "than 140 bytes; at step 1 2 records live, the largest is record 0 'a' with 100 bytes"),
    (RECORDS, ("--capacity=199", "--strategy=offsets/NAIVE"), "choose another --strategy"),
    (RECORDS, ("--strategy=offsets/BEST_OF_ALL",),
     "there is no memory strategy 'offsets/BEST_OF_ALL'; choose one of"),
    (RECORDS, ("--json=nowhere/out.json",), "the folder nowhere does not exist"),
])
def test_errors_leave_no_files(call, tmp_path, text, more, message):
    (tmp_path / "r.csv").write_text(text)
    code, out, err = call("--records=r.csv", "--json=out.json", *more)
    assert code == ExitCode.ERROR and message in err and not out
    assert files(tmp_path) == ["r.csv"]


def test_what_only_the_planner_sees_has_its_record(call, tmp_path):
    rows = [{"name": "a", "size": 8, "first": 0, "last": 1, "fixed_offset": 0},
            {"name": "b", "size": 8, "first": 1, "last": 1, "fixed_offset": 4}]
    (tmp_path / "r.json").write_text(json.dumps({"records": rows}))
    code, _, err = call("--records=r.json", "--json=out.json")
    assert code == ExitCode.ERROR and "r.json: " in err and "'b'" in err
    assert files(tmp_path) == ["r.json"]


def test_wrong_flags(call):
    assert call()[0] == ExitCode.USAGE
    assert call("--records=x.csv", "--capacity=0")[0] == ExitCode.USAGE
    assert call("--records=x.csv", "--budget_ms=-1")[0] == ExitCode.USAGE


def test_images(call, tmp_path):
    rows = [{"size": [8, 4], "first": 0, "last": 1}, {"size": [4, 4], "first": 1, "last": 2}]
    (tmp_path / "r.json").write_text(json.dumps({"records": rows}))
    code, out, err = call("--records=r.json", "--json=out.json")
    assert code == ExitCode.OK and "csv: not written" in err and "elements" in out
    assert not (tmp_path / "build/r/plan/r.csv").exists()


@pytest.fixture
def call_with(call, tmp_path):
    """Plans the digits with a mace_run that prints `dump`."""
    shutil.copytree(REPO / "models" / "digits", tmp_path / "models" / "digits")

    def plan(dump, *more, fails=""):
        mace_run = tmp_path / "mace_run"
        (tmp_path / "dump").write_text(json.dumps(dump))
        mace_run.write_text(f"#!/bin/sh\ncat {tmp_path / 'dump'}\n")
        mace_run.chmod(0o755)
        code, out, err = call("--config=models/digits/digits_onnx.yml", f"--mace_run={mace_run}",
                              "--json=report.json", *more)
        assert (code == ExitCode.OK) == (not fails) and fails in err, err
        return out

    return plan


def test_a_model(call_with, tmp_path):
    out = call_with(DUMP)
    folder = tmp_path / "build" / "digits_onnx" / "plan"
    assert files(folder) == [f"digits_onnx.{k}" for k in ("csv", "html", "json", "svg")]
    assert "saved before planning" in out and "(n1)" in out
    results = json.loads((tmp_path / "report.json").read_text())["models"]["digits_onnx"]
    assert results["plan"]["records"][0]["op"] == "Conv2d"
    assert results["files"]["svg"].endswith("plan/digits_onnx.svg")


def test_a_step_of_several_nodes_keeps_its_op(call_with, tmp_path):
    steps = ["Conv2d 'n0'", {"name": "n1 + n2", "op": "DepthwiseConv2d+Conv2d"}, "A+B 'n3 + n4'"]
    out = call_with(DUMP | {"steps": steps})
    results = json.loads((tmp_path / "report.json").read_text())["models"]["digits_onnx"]
    assert [s["op"] for s in results["plan"]["steps"]] == ["Conv2d", "DepthwiseConv2d+Conv2d",
                                                           "A+B"]
    assert [r["op"] for r in results["plan"]["records"]] == ["Conv2d", "DepthwiseConv2d+Conv2d"]
    assert "([2] n2)" in out
    svg = (tmp_path / "build/digits_onnx/plan/digits_onnx.svg").read_text()
    assert "DepthwiseConv2d+Conv2d</text>" in svg and ">other</text>" not in svg
    assert svg.count('class="shared"') == 1 and "safe overlap: an output over its input" in svg


IMAGES = {"max_extents": [64, 64], "records": [
    {"name": f"i{k}", "size": [8, 4 + k], "first": k, "last": k + 1, "format": "f16",
     "pixel_bytes": 8} for k in range(2)]}


def test_images_are_planned_and_drawn_beside_the_arena(call_with, tmp_path):
    out = call_with(DUMP | {"images": IMAGES})
    assert "GREEDY_IN_ORDER" in out and "offsets/" not in out
    results = json.loads((tmp_path / "report.json").read_text())["models"]["digits_onnx"]["plan"]
    assert [pool["name"] for pool in results["pools"]] == ["digits_onnx", "images of f16"]
    assert results["total_size"] == results["pools"][0]["total_size"] + 8 * (4 + 5) * 8
    folder = tmp_path / "build/digits_onnx/plan"
    assert "image 0 8 x " in (folder / "digits_onnx.svg").read_text()
    assert "csv" not in results and not (folder / "digits_onnx.csv").exists()


def test_images_alone(call_with, tmp_path):
    out = call_with(DUMP | {"records": [], "offsets": [], "images": IMAGES})
    results = json.loads((tmp_path / "report.json").read_text())["models"]["digits_onnx"]["plan"]
    assert results["total_size"] == 8 * (4 + 5) * 8 and "x naive" in out


def test_a_single_step_leaves_nothing_to_plan(call_with):
    call_with(DUMP | {"records": [], "offsets": []}, fails="digits_onnx: no tensor lies in memory")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_table_fits(call_with, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    long = [f"DepthwiseConv2d+Conv2d '{' + '.join(f'a/long/path/to/node_{k}' for k in range(8))}'"]
    out = call_with(DUMP | {"steps": long * 3})
    assert max(map(len, out.splitlines())) <= columns
    wide = call_with(DUMP | {"steps": long * 3}, "--wide")
    assert "us  nodes  status" in wide and "--wide" not in wide


# objects/MINCOSTFLOW alone does not know that it is at the optimum.
BOUNDS = [(48, 0, 2), (40, 1, 3), (16, 2, 2), (56, 3, 5), (40, 4, 4), (24, 0, 1), (32, 2, 5)]


def shared_bounds(results):
    """Of each kind; every plan must have it, and be optimal where it is at it."""
    bounds = {}
    for plan in results["strategies"]:
        kind = plan["strategy"].split("/")[0]
        assert bounds.setdefault(kind, plan["bound"]) == plan["bound"], plan["strategy"]
        assert plan["total_size"] >= plan["bound"]
        assert (plan["status"] == "optimal") == (plan["total_size"] == plan["bound"])
    return bounds


def test_bounds_are_shared_among_a_kind(call, tmp_path):
    rows = [{"size": s, "first": f, "last": last} for s, f, last in BOUNDS]
    (tmp_path / "r.json").write_text(json.dumps({"records": rows}))
    code, out, _ = call("--records=r.json", "--json=out.json")
    assert code == ExitCode.OK
    results = json.loads((tmp_path / "out.json").read_text())
    assert set(shared_bounds(results)) == {"offsets", "objects"}


@pytest.mark.skipif(not CHECKER.is_file(), reason=f"test data: no {CHECKER}")
class TestConformance:
    @pytest.mark.parametrize("name", [
        name if name in "EFGH" else pytest.param(name, marks=pytest.mark.full)  # seconds each
        for name in "ABCDEFGHIJK"])
    def test_instances(self, call, tmp_path, name):
        file = DATA / "minimalloc" / f"{name}.1048576.csv"
        code, _, err = call(f"--records={file}", "--json=out.json")
        assert code == ExitCode.OK, err
        valid, report = checked(tmp_path / "out.json")
        assert valid, report
        rows = tmp_path / f"build/{name}.1048576/plan/{name}.1048576.csv"
        done = subprocess.run([sys.executable, CHECKER, "-q", f"--csv={rows}"],
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stdout

    def test_networks(self, call, tmp_path):
        file = DATA / "nets_records.json"
        for net in json.loads(file.read_text())["nets"]:
            code, _, err = call(f"--records={file}", f"--model_name={net['name']}",
                                "--json=out.json")
            assert code == ExitCode.OK, err
            valid, report = checked(tmp_path / "out.json")
            assert valid, report
            results = json.loads((tmp_path / "out.json").read_text())
            shared_bounds(results)
            assert results["total_size"] == net["lower_bound_offsets"]
            assert results["status"] == "optimal"
