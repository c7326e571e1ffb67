"""The library for this machine, linked by outside projects from its package alone.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import re
import shutil
import subprocess

import consumers
import pytest
from consumers import APP, APP_IN_C, clang, classify, compile_app, run

from mace_tools import cli
from mace_tools.config.load import load
from mace_tools.package.library import exports, link
from mace_tools.package.library.abis import ABIS
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO
from mace_tools.testing.documents import code_of
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.full
HOST = ABIS["host"]
CODE = "build_type: code\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    need_tools("bazel", "cmake", "pkg-config")
    return consumers.Place(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def static(place):
    """The package of a static library."""
    assert place.build(place.config("static")) == 0
    return place.unpacked("static")


@pytest.fixture(scope="module")
def shared(place):
    """That of a shared one."""
    assert place.build(place.config("shared", "linkshared: 1\n")) == 0
    return place.unpacked("shared")


def model(package, tag="digits"):
    return package / "model" / f"{tag}.pb", package / "model" / f"{tag}.data"


@pytest.mark.parametrize("standard, with_clang", [("c++11", False), ("c++20", True)])
def test_a_static_library_links_by_its_pkg_config_file(static, tmp_path, standard, with_clang):
    app = compile_app(static, tmp_path / "app", compiler=clang() if with_clang else "",
                      standard=standard)
    answer = classify(app, "host", *model(static))
    assert classify(app, "host", *model(static)) == answer


@pytest.mark.parametrize("standard, with_clang", [("c99", False), ("c17", True)])
def test_apps_in_c_get_the_bits_of_those_in_cpp(static, shared, tmp_path, standard, with_clang):
    answer = classify(compile_app(static, tmp_path / "cpp"), "host", *model(static))
    for package in (static, shared):
        app = compile_app(package, tmp_path / "app", standard=standard,
                          compiler=clang("clang-19") if with_clang else "")
        assert classify(app, "host", *model(package)) == answer
        missing = consumers.start(app, "host", "none.pb")
        assert missing.returncode == 1 and b"none.pb" in missing.stderr


def test_the_program_of_the_page_classifies_a_digit(static, shared, tmp_path):
    program, = [code.text for code in code_of(REPO / "docs" / "library.md") if code.language == "c"]
    source = tmp_path / "app.c"
    source.write_text(program)
    for package in (static, shared):
        app = compile_app(package, tmp_path / "app", standard="c99", source=source)
        for digit in (3, 7):
            done = consumers.start(app, "host", digit=digit, folder=package)
            assert (done.stdout, done.stderr) == (f"{digit}\n".encode(), b"")
        done = consumers.start(app, "host", folder=tmp_path)
        assert done.returncode == 1 and b"model/digits.pb" in done.stderr


def test_the_example_runs_any_model(static, tmp_path):
    example = REPO / "mace" / "examples" / "example.c"
    app = compile_app(static, tmp_path / "app", standard="c99", source=example)
    done = consumers.start(app, "host", *model(static))
    name, *values = done.stdout.decode().split()
    assert done.returncode == 0 and name == "probabilities:"
    assert len(values) == 10 and sum(map(float, values)) == pytest.approx(1, abs=1e-4)
    assert consumers.start(app, "host").returncode == 2
    assert b"none.pb" in consumers.start(app, "host", "none.pb").stderr


def test_an_app_in_cpp_does_not_pay_for_the_c_api(static, tmp_path):
    tables = [run(["nm", str(compile_app(static, tmp_path / f"app_{standard}", standard=standard))])
              for standard in ("c++11", "c99")]
    assert ["mace_engine_run" in table for table in tables] == [False, True]


@pytest.mark.parametrize("kind", ["shared", "static"])
@pytest.mark.parametrize("app", [APP, APP_IN_C], ids=["C++", "C"])
def test_a_library_is_found_by_cmake(kind, app, request, tmp_path):
    package = request.getfixturevalue(kind)
    shutil.copytree(app, tmp_path / "project")
    run(["cmake", "-S", tmp_path / "project", "-B", tmp_path / "out", "-DCMAKE_BUILD_TYPE=Release",
         f"-DCMAKE_PREFIX_PATH={package}"])
    run(["cmake", "--build", tmp_path / "out"])
    classify(tmp_path / "out" / "classify", "host", *model(package))


def test_cmake_says_for_which_abis_a_library_is(shared, tmp_path):
    done = subprocess.run(["cmake", "-S", APP, "-B", tmp_path / "out", "-DMACE_ABI=arm64",
                           f"-DCMAKE_PREFIX_PATH={shared}"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "MACE was built for host, not for MACE_ABI='arm64'" in " ".join(done.stderr.split())


def test_the_package_is_laid_out_as_documented(static, shared, place):
    for package, library in ((static, "libmace_static.a"), (shared, "libmace.so")):
        files = {str(p.relative_to(package)) for p in package.rglob("*") if p.is_file()}
        assert {f"lib/host/{library}", "model/digits.pb", "model/digits.data", "SHA256SUMS",
                "include/mace/public/mace.h", "include/mace/public/mace_c.h",
                "lib/cmake/mace/mace-config.cmake",
                "lib/host/pkgconfig/mace.pc", "share/doc/mace/LICENSE",
                "share/doc/mace/sbom.spdx.json"} <= files
        assert not [f for f in files if f.startswith(("_tmp", "debug", "opencl"))]
        sums = dict(line.split()[::-1] for line in
                    (package / "SHA256SUMS").read_text().splitlines())
        assert set(sums) == files - {"SHA256SUMS"}
        for name, digest in sums.items():
            assert hashlib.sha256((package / name).read_bytes()).hexdigest() == digest
    bill = json.loads((shared / "share/doc/mace/sbom.spdx.json").read_text())
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["packages"][0]["name"] == "mace"
    assert "./lib/host/libmace.so" in [f["fileName"] for f in bill["files"]]


def test_a_shared_library_exports_the_listed_api_and_no_more(shared):
    found = exports.symbols(HOST, [shared / "lib/host/libmace.so"], dynamic=True)
    found.pop(link.SYMBOL_VERSION, None)
    assert sorted(set(found.values())) == sorted(exports.listed())


def test_a_static_library_defines_the_listed_api_and_no_more(static):
    found = exports.symbols(HOST, [static / "lib/host/libmace_static.a"])
    assert sorted(set(found.values())) == sorted(exports.listed())


def test_a_program_in_c_needs_no_cxx_library(place, tmp_path):
    keys = "linkshared: 1\ncxx: none\ncomponents: none\n"  # the C API is added
    assert place.build(place.config("no_cxx", keys)) == 0
    consumers.check_needs_no_cxx(place.unpacked("no_cxx"), "host", tmp_path)


def headers(file):
    return run(["readelf", "--wide", "--program-headers", "--dynamic", "--notes", str(file)])


def test_headers_of_a_shared_library(shared, place):
    text = headers(shared / "lib/host/libmace.so")
    loads = re.findall(r"LOAD .* 0x([0-9a-f]+)$", text, re.MULTILINE)
    assert loads and all(int(align, 16) >= 16384 for align in loads)
    assert "soname: [libmace.so]" in text and "NT_GNU_BUILD_ID" in text
    needed = set(re.findall(r"NEEDED.*\[([\w+-]+)\.so", text))
    assert needed <= {"libstdc++", "libgcc_s", "libc", "libm", "ld-linux-x86-64",
                      *(f"lib{d}" for d in link.DEPENDENCIES)}
    assert "(TEXTREL)" not in text and "GNU_RELRO" in text
    debug = place.folder / "build/shared/debug/host/libmace.so.debug"
    assert ".symtab" in run(["readelf", "--wide", "--sections", str(debug)])


@pytest.fixture(scope="module")
def embedded(place):
    config = place.config("embedded", f"{CODE}embed_model_data: 1\n")
    assert place.build(config) == 0
    return place.unpacked("embedded")


def test_three_ways_to_ship_a_model_give_the_same_bits(static, embedded, place, tmp_path):
    assert place.build(place.config("graph_only", CODE)) == 0
    graph_only = place.unpacked("graph_only")
    assert not list(embedded.glob("model/*")) and not list(graph_only.glob("model/*.pb"))
    files = compile_app(static, tmp_path / "files")
    inside = compile_app(embedded, tmp_path / "inside", flags=("-DFROM_CODE",))
    mixed = compile_app(graph_only, tmp_path / "mixed", flags=("-DFROM_CODE",))
    inside_c = compile_app(embedded, tmp_path / "inside_c", standard="c99", flags=("-DFROM_CODE",))
    mixed_c = compile_app(graph_only, tmp_path / "mixed_c", standard="c99", flags=("-DFROM_CODE",))
    data = graph_only / "model" / "digits.data"
    for digit in (0, 3, 7):
        answer = classify(files, "host", *model(static), digit=digit)
        for app in (inside, inside_c):
            assert classify(app, "host", "digits", digit=digit) == answer
        for app in (mixed, mixed_c):
            assert classify(app, "host", "digits", data, digit=digit) == answer
    run(["strip", inside])
    weights = (static / "model" / "digits.data").stat().st_size
    assert inside.stat().st_size < weights / 2 + 3_000_000, "the bound of the documentation"
    for app, arguments, message in (
        (inside, ["digit"], "no model 'digit' is compiled in; there is digits"),
        (inside, ["digits", data], "has its weights compiled in: model_data_file '"),
        (mixed, ["digits"], "is compiled in without its weights: give model_data_file"),
        (mixed, ["digits", "none.data"], "none.data': No such file"),
        (inside_c, ["digit"], "no model 'digit' is compiled in; there is digits"),
        (mixed_c, ["digits"], "is compiled in without its weights: give model_data_file"),
        (mixed_c, ["digits", "none.data"], "none.data': No such file"),
    ):
        done = consumers.start(app, "host", *arguments)
        assert done.returncode == 1 and message in done.stderr.decode()


FACTORY = """
#include <stdio.h>
#include "mace/public/mace_c_engine_factory.h"
int main(void) {
  mace_model_t* model = NULL;
  mace_config_t* config = NULL;
  mace_engine_t* engine = NULL;
  if (mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config)) return 2;
  mace_model_load_from_code(NULL, NULL, &model);
  puts(mace_last_error());
  mace_model_load_from_code("digits", NULL, NULL);
  puts(mace_last_error());
  mace_engine_create_from_code(NULL, NULL, config, NULL, 0, NULL, 0, &engine);
  puts(mace_last_error());
  mace_engine_create_from_code("digits", NULL, NULL, NULL, 0, NULL, 0, &engine);
  puts(mace_last_error());
  mace_engine_create_from_code("digits", NULL, config, NULL, 0, NULL, 0, NULL);
  puts(mace_last_error());
  if (model || engine || mace_model_load_from_code("digits", NULL, &model)) return 1;
  puts(mace_model_name(model));
  mace_model_destroy(model);
  mace_config_destroy(config);
  return 0;
}
"""


def test_nulls_for_compiled_in_models_are_errors_in_c(embedded, tmp_path):
    (tmp_path / "app.c").write_text(FACTORY)
    app = compile_app(embedded, tmp_path / "app", standard="c99", source=tmp_path / "app.c")
    assert consumers.start(app, "host").stdout.decode().splitlines() == [
        "mace_model_load_from_code: model_name is null",
        "mace_model_load_from_code: model is null",
        "mace_model_load_from_code: model_name is null",
        "mace_engine_create: config is null",
        "mace_engine_create_from_code: engine is null",
        "digits",
    ]


def test_several_models_are_compiled_into_one_library(place, tmp_path):
    config = place.config("several", f"{CODE}embed_model_data: 1\n")
    text = config.read_text()
    config.write_text(text + text[text.index("  digits:"):].replace("  digits:", "  numbers:"))
    assert place.build(config) == 0
    app = compile_app(place.unpacked("several"), tmp_path / "app", flags=("-DFROM_CODE",))
    assert classify(app, "host", "digits") == classify(app, "host", "numbers")
    message = consumers.start(app, "host", "letters").stderr.decode()
    assert "no model 'letters' is compiled in; there is digits, numbers" in message


def test_names_of_an_obfuscated_model_are_in_no_file(place, tmp_path, capfd):
    config = place.config("hidden", f"{CODE}embed_model_data: 1\n", "    obfuscate: 1\n")
    plain = place.folder / "build" / "static" / "model" / "digits.pb"
    if not plain.is_file():
        assert place.build(place.config("static")) == 0
    net = protos.mace().NetDef.FromString(plain.read_bytes())
    inner = {op.name for op in net.op} | {t.name for t in net.tensors} | {
        name for op in net.op for name in op.output}
    inner -= {"input", "probabilities"}
    inner = {name.encode() for name in inner if len(name) > 4}
    assert len(inner) > 3
    assert place.build(config) == 0
    package = place.unpacked("hidden")
    app = compile_app(package, tmp_path / "app", flags=("-DFROM_CODE",))
    classify(app, "host", "digits")
    for file in [*package.rglob("*"), app]:
        if file.is_file():
            assert not [name for name in inner if name in file.read_bytes()], file
    hidden = json.loads((place.folder / "build/hidden/_tmp/digits.names.json").read_text())
    number, meaning = next((k, v) for k, v in hidden.items() if v.startswith("node"))
    capfd.readouterr()
    assert consumers.cli.main(["explain", f"--config={config}", number,
                               f"--output={place.folder / 'build'}"]) == 0
    assert capfd.readouterr().out == f"{number}: {meaning}\n"


def test_a_second_build_runs_nothing_and_a_failed_one_changes_nothing(
    place, static, capfd, monkeypatch
):
    config = place.folder / "static.yml"
    folder = place.folder / "build" / "static"

    def states():
        return {p: (p.stat().st_mtime_ns, p.stat().st_ino) for p in folder.rglob("*")}

    before = states()
    ran = []
    monkeypatch.setattr(link, "run", lambda command: ran.append(command) or "")
    monkeypatch.setattr("mace_tools.support.bazel.run", lambda *a: ran.append(a) or "")
    assert place.build(config) == 0 and "static: up to date" in capfd.readouterr().out
    assert ran == [] and states() == before

    def fail(command):
        raise consumers.cli.MaceError("the disk is full")

    monkeypatch.setattr(link, "run", fail)
    assert place.build(config, "--force") == ExitCode.ERROR
    assert states() == before and not (place.folder / "build" / ".static.new").exists()


def test_what_cannot_be_built_is_refused_before_anything_is(place, capfd, monkeypatch):
    monkeypatch.delenv("ANDROID_NDK_HOME", raising=False)
    config = place.config("phone")
    for abi in ("arm64-v8a", "armeabi-v7a", "x86_64"):
        assert place.build(config, f"--target_abis=host,{abi}") == ExitCode.MISSING_TOOL
        out, err = capfd.readouterr()
        assert f"{abi}: libraries for Android need the Android NDK" in err
        assert "ANDROID_NDK_HOME is not set" in err and len(err.splitlines()) == 1 and out == ""
    assert not (place.folder / "build" / "phone").exists()
    assert load(config, {"target_abis": ["x86_64"]}).library.target_abis == ("x86_64",)


def test_an_op_that_a_library_lacks_is_named_with_the_line_that_adds_it(static, tmp_path):
    """The library was made for the ops of the digits model."""
    path = tmp_path / "other.pb"
    net = protos.mace().NetDef.FromString(model(static)[0].read_bytes())
    net.op[-1].type = "Cumsum"
    net.ClearField("graph_xxh3")
    path.write_bytes(net.SerializeToString())
    app = compile_app(static, tmp_path / "app")
    done = consumers.start(app, "host", path, model(static)[1])
    message = done.stderr.decode()
    assert done.returncode == 1 and "this build has no op 'Cumsum'" in message
    assert "write 'extra_ops: [Cumsum]' at the top of their deployment file" in message


def test_a_library_of_float32_models_refuses_weights_of_16_bits(static, place, tmp_path):
    config = place.config("fp16", model_keys="    data_type: fp16_fp32\n")
    assert cli.main(["convert", f"--config={config}", f"--output={place.folder / 'build'}"]) == 0
    stem = place.folder / "build" / "fp16" / "model" / "digits"
    app = compile_app(static, tmp_path / "app")
    done = consumers.start(app, "host", stem.with_suffix(".pb"), stem.with_suffix(".data"))
    message = done.stderr.decode()
    assert done.returncode == 1 and "its weights are stored as f16" in message
    assert "'extra_data_types: [fp16]'" in message
