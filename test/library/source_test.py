"""The library built from its packed sources by CMake alone, as apps do that have them in a folder.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import shutil
import subprocess
import tarfile
from collections import defaultdict

import consumers
import pytest
from consumers import APP, classify, run

from mace_tools import cli
from mace_tools.config.component_names import NAMES, listed
from mace_tools.package.library import bundle, exports, link
from mace_tools.package.library.abis import ABIS
from mace_tools.package.source import cmake_lists, file_list
from mace_tools.support import bazel, protos
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.deep
COMPILERS = {"x86_64": "g++", "aarch64": "aarch64-linux-gnu-g++", "arm": "arm-linux-gnueabihf-g++"}
NAME = f"mace-{bundle.version()}"
# An app that has the sources in a folder of its own.
VENDORING = f"""\
cmake_minimum_required(VERSION 3.16)
project(app CXX)
add_subdirectory({NAME})
add_executable(classify classify.cc)
target_link_libraries(classify mace::mace)
"""


@pytest.fixture(scope="module")
def sources():
    need_tools("bazel", "cmake")
    return file_list.read(Console())


@pytest.fixture(scope="module")
def tree(sources, tmp_path_factory):
    """The sources, packed by the command and unpacked."""
    folder = tmp_path_factory.mktemp("source")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_list, "read", lambda console: sources)
        assert cli.main(["source", f"--output={folder / 'sources.tar.gz'}"]) == 0
    with tarfile.open(folder / "sources.tar.gz") as tar:
        tar.extractall(folder)
    return folder / NAME


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A PATH with CMake and a compiler, and nothing else."""
    folder = tmp_path_factory.mktemp("bin")
    for name in ("cmake", "make", "c++", "g++", "ar", "ranlib", "ld", "as", "nm", "strip", "sh",
                 "aarch64-linux-gnu-g++", "aarch64-linux-gnu-ar", "aarch64-linux-gnu-ranlib"):
        if path := shutil.which(name):
            (folder / name).symlink_to(path)
    return {"PATH": str(folder)}


def configure(tree, out, *options, fails=False):
    done = subprocess.run(["cmake", "-S", tree, "-B", out, *options], capture_output=True,
                          text=True, check=False)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


def decisive(flags):
    """Those of a file's flags that decide what the compiler makes of it; of some the last."""
    last = {"-O": "", "-ffp-contract=": "", "-march=": "", "-mfpu=": ""}
    others = set()
    for flag in flags:
        group = next((g for g in last if flag.startswith(g)), None)
        if group:
            last[group] = flag
        elif re.match(r"-(m|D|f)", flag) and flag not in ("-fPIC",):
            others.add(flag)
    return others | set(filter(None, last.values()))


def cmake_for(cpu):
    return ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={cpu}",
            f"-DCMAKE_C_COMPILER={COMPILERS[cpu].replace('g++', 'gcc')}",
            f"-DCMAKE_CXX_COMPILER={COMPILERS[cpu]}"] if cpu != "x86_64" else []


@pytest.mark.parametrize("gpu", [False, True])
@pytest.mark.parametrize("cpu", file_list.CPUS)
def test_cmake_compiles_what_bazel_compiles_with_the_same_flags(
    sources, tree, tmp_path, cpu, gpu
):
    need_tools(COMPILERS[cpu])
    configure(tree, tmp_path, f"-DMACE_OPENCL={'ON' if gpu else 'OFF'}", *cmake_for(cpu),
              "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DMACE_COMPONENTS=all,encryption,language")
    absent = {path for component in sources.components.values() for path in component.absent}
    by_bazel = {path: decisive([*cmake_lists.baseline(cpu), *by[file_list.Variant(cpu, gpu)]])
                for path, by in sources.flags.items()
                if file_list.Variant(cpu, gpu) in by and path not in absent}
    by_cmake = {}
    for row in json.loads((tmp_path / "compile_commands.json").read_text()):
        path = re.sub(rf"^({re.escape(str(tree))}|{re.escape(str(tmp_path))})/(generated/)?", "",
                      row["file"])
        by_cmake[path] = decisive(row["command"].split())
    assert by_cmake == by_bazel


def test_each_header_that_is_included_is_packed(tree):
    for path in [*tree.rglob("*.cc"), *tree.rglob("*.h"), *tree.rglob("*.c")]:
        for header in re.findall(r'^#include "(mace/[^"]+)"', path.read_text(), re.MULTILINE):
            assert (tree / header).is_file() or (tree / "generated" / header).is_file(), (
                f"{path.relative_to(tree)} includes {header}")


def test_tables_of_ops_are_those_of_bazel(sources, tree, tmp_path):
    configure(tree, tmp_path)
    labels = [f"//{t.out.rpartition('/')[0]}:{t.out.rpartition('/')[2]}" for t in sources.tables]
    theirs = bazel.output(Console(), ["--config=library"], labels, lambda output: {
        table.out: (output / table.out).read_text() for table in sources.tables})
    for path, text in theirs.items():
        assert (tmp_path / "generated" / path).read_text() == text


@pytest.mark.parametrize("option, message", [
    ("-DMACE_OPS=Conv2d,Conf2d", "MACE_OPS: there is no op 'Conf2d'; there is Activation,"),
    ("-DMACE_OPS=", "MACE_OPS is empty: name ops, or write all or none"),
    ("-DCMAKE_CXX_FLAGS=-U__x86_64__", "MACE is for x86_64, aarch64 and arm (ARMv7 or later); "),
])
def test_what_cannot_be_built_is_refused(tree, tmp_path, option, message):
    assert message in configure(tree, tmp_path, option, fails=True)


def test_files_of_ops_that_are_not_selected_are_not_compiled(tree, tmp_path):
    configure(tree, tmp_path, "-DMACE_OPS=Softmax", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    text = (tmp_path / "compile_commands.json").read_text()
    assert "mace/cpu/ops/softmax.cc" in text and "mace/cpu/ops/cumsum.cc" not in text
    table = (tmp_path / "generated/mace/ops/op_table.cc").read_text()
    assert "const int kNumOps = 1;" in table and "kHasEveryOp = false" in table


@pytest.mark.parametrize("names", ["none", "dynamic,winograd", "all,encryption"])
def test_null_objects_stand_for_absent_components(sources, tree, tmp_path, names):
    configure(tree, tmp_path, f"-DMACE_COMPONENTS={names}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    text = (tmp_path / "compile_commands.json").read_text()
    assert set(sources.components) == set(NAMES)
    having = listed(names.split(","))
    for name, component in sources.components.items():
        has_it = name in having
        for path in (*component.files, *component.absent):
            assert path in sources.flags, path
            is_compiled = (path in component.files) == has_it and (
                "interfaces" in having or not path.startswith("mace/capi/"))
            assert (f"/{path}\"" in text) == is_compiled, path


def test_kernels_for_16_bits_can_be_left_out(tree, tmp_path):
    configure(tree, tmp_path, "-DMACE_16BIT=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    assert all("-DMACE_WITHOUT_16BIT_KERNELS" in c["command"] for c in commands)


@pytest.fixture(scope="module")
def by_bazel(tmp_path_factory):
    """The app with the library that Bazel builds, and the model."""
    place = consumers.Place(tmp_path_factory.mktemp("bazel"))
    assert place.build(place.config("static")) == 0
    root = place.unpacked("static")
    return consumers.compile_app(root, place.folder / "app"), root / "model", place.folder


def ops_of(folder):
    net = protos.mace().NetDef.FromString((folder / "digits.pb").read_bytes())
    return ",".join(sorted({op.type for op in net.op}))


@pytest.fixture(scope="module")
def vendored(tree, alone, by_bazel, tmp_path_factory):
    """The app of a project that has the sources in its tree, built, and what it installs."""
    if os.environ.get("MACE_TEST_LIBRARY") != "all":  # it compiles for minutes
        pytest.skip("covered elsewhere: tools/test.sh library")
    project = tmp_path_factory.mktemp("vendoring")
    shutil.copytree(tree, project / NAME)
    shutil.copy(APP / "classify.cc", project)
    (project / "CMakeLists.txt").write_text(VENDORING)
    run(["cmake", "-S", str(project), "-B", str(project / "out"), "-DMACE_OPENCL=OFF",
         f"-DMACE_OPS={ops_of(by_bazel[1])}", "-DMACE_INSTALL=ON", "-DCMAKE_BUILD_TYPE=Debug"],
        env=alone)
    run(["cmake", "--build", str(project / "out"), "-j2"], env=alone)
    run(["cmake", "--install", str(project / "out"), "--prefix", str(project / "installed")],
        env=alone)
    return project


def test_a_project_that_has_the_sources_gets_the_same_bits(vendored, by_bazel):
    app, model, _ = by_bazel
    files = model / "digits.pb", model / "digits.data"
    for digit in (3, 7):
        answer = classify(vendored / "out" / "classify", "host", *files, digit=digit)
        assert classify(app, "host", *files, digit=digit) == answer


def test_what_it_installs_is_found_by_cmake_and_pkg_config(vendored, by_bazel, alone, tmp_path):
    prefix, model = vendored / "installed", by_bazel[1]
    run(["cmake", "-S", str(APP), "-B", str(tmp_path), f"-DCMAKE_PREFIX_PATH={prefix}"], env=alone)
    run(["cmake", "--build", str(tmp_path)], env=alone)
    answer = classify(tmp_path / "classify", "host", model / "digits.pb", model / "digits.data")
    (pc,) = prefix.rglob("mace.pc")
    flags = run(["pkg-config", "--cflags", "--libs", "mace"],
                env={"PKG_CONFIG_LIBDIR": str(pc.parent)}).split()
    run(["g++", "-std=c++11", str(APP / "classify.cc"), "-o", str(tmp_path / "app"), *flags])
    assert classify(tmp_path / "app", "host", model / "digits.pb", model / "digits.data") == answer
    newer = tmp_path / "newer"
    shutil.copytree(APP, newer)
    file = newer / "CMakeLists.txt"
    file.write_text(file.read_text().replace("find_package(mace 1.0", "find_package(mace 2.0"))
    assert "version: 1." in configure(newer, tmp_path / "no", f"-DCMAKE_PREFIX_PATH={prefix}",
                                      fails=True)
    for name in ("LICENSE", "NOTICES.txt", "mace-config-version.cmake", "mace_version.h"):
        assert list(prefix.rglob(name)), name


def test_an_output_that_is_no_archive_is_refused(capfd, tmp_path):
    assert cli.main(["source", f"--output={tmp_path / 'x.zip'}"]) == ExitCode.USAGE
    assert "x.zip is no name of a .tar.gz file" in capfd.readouterr().err


class TestArm64:
    """The whole library for arm64 by a toolchain file, and every selection of one op."""

    pytestmark = pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                                    reason="covered elsewhere: tools/test.sh library")

    @pytest.fixture(scope="class")
    def built(self, tree, alone, tmp_path_factory):
        need_tools("qemu-aarch64", COMPILERS["aarch64"])
        folder = tmp_path_factory.mktemp("arm64")
        (folder / "arm64.cmake").write_text(
            "set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR aarch64)\n"
            "set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)\n")
        shutil.copytree(APP, folder / "app")
        toolchain = f"-DCMAKE_TOOLCHAIN_FILE={folder / 'arm64.cmake'}"
        out = folder / "out"
        run(["cmake", "-S", str(tree), "-B", str(out), "-DMACE_SHARED=ON", toolchain], env=alone)
        run(["cmake", "--build", str(out), "-j2"], env=alone)
        run(["cmake", "--install", str(out), "--prefix", str(folder / "mace")], env=alone)
        run(["cmake", "-S", str(folder / "app"), "-B", str(folder / "classify"), toolchain,
             f"-Dmace_DIR={folder / 'mace' / 'lib' / 'cmake' / 'mace'}"], env=alone)
        run(["cmake", "--build", str(folder / "classify")], env=alone)
        return folder

    def test_the_app_runs(self, built, by_bazel):
        model = by_bazel[1]
        classify(built / "classify" / "classify", "arm64", model / "digits.pb",
                 model / "digits.data")

    def test_it_exports_what_it_should(self, built):
        (library,) = (built / "mace").rglob("libmace.so")
        found = exports.symbols(ABIS["arm64"], [library], dynamic=True)
        found.pop(link.SYMBOL_VERSION, None)
        assert sorted(set(found.values())) == sorted(exports.listed())
        text = run(["readelf", "--wide", "--program-headers", "--dynamic", str(library)])
        loads = re.findall(r"LOAD .* 0x([0-9a-f]+)$", text, re.MULTILINE)
        assert loads and all(int(align, 16) >= link.PAGE_BYTES for align in loads)
        assert "soname: [libmace.so]" in text

    def test_the_files_of_each_op_need_no_other_files(self, built, sources):
        """A library with one op links, whichever it is."""
        lists = cmake_lists.op_files(sources)
        defined, needed = defaultdict(set), defaultdict(set)
        for file in (built / "out").rglob("*.o"):
            path = re.sub(r".*/mace\.dir/(generated/)?(.*)\.o$", r"\2", str(file))
            for line in run([ABIS["arm64"].tool("nm"), "--format=posix", str(file)]).splitlines():
                name, kind, *_ = line.split()
                (needed if kind == "U" else defined)[path].add(name)
        tables = {table.out for table in sources.tables}
        everywhere = {path: names for path, names in defined.items()
                      if path not in lists.files and path not in tables}
        for op, files in lists.of_op.items():
            kept = set(everywhere) | files | lists.always
            have = set().union(*(defined[path] for path in kept if path in defined))
            of_ops = set().union(*(defined[path] for path in lists.files))
            missing = {name for path in kept for name in needed[path]} & of_ops - have
            assert not missing, f"{op}: {sorted(missing)[:3]}"
