"""The list of sources that CMake reads, from made-up answers of Bazel.

SPDX-License-Identifier: Apache-2.0
"""

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mace_tools.commands import source
from mace_tools.package.source import cmake_lists, file_list, tree
from mace_tools.package.source.file_list import Component, Sources, Table, Variant
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import MissingToolError, RunFailedError

COMMAND = ("/usr/bin/gcc -fstack-protector -Wall -O2 -D_FORTIFY_SOURCE=1 -std=c++0x -MD -MF a.d "
           "-fPIC -DMACE_ENABLE_OPENCL -iquote . -iquote bazel-out/k8/bin -Ibazel-out/virtual "
           "-O2 -DNDEBUG -g1 -fno-rtti -std=c++17 -Werror -O3 -ffp-contract=fast -mavx2 -Os "
           "-fno-canonical-system-headers -Wno-builtin-macro-redefined -c mace/a.cc -o a.o").split()
QUERY = """\
<query version="2">
  <rule class="op_table" name="//mace/ops:op_table">
    <string name="name" value="op_table"/>
    <list name="srcs"><label value="//mace/ops:files"/></list>
    <string name="namespace" value="ops"/><string name="returns" value="Op"/>
    <string name="entry" value="OpEntry"/><string name="table" value="Ops"/>
    <string name="header" value="mace/ops/op.h"/>
    <output name="out" value="//mace/ops:op_table.cc"/>
    <boolean name="has_every_op" value="true"/>
  </rule>
  <rule class="filegroup" name="//mace/ops:files">
    <list name="srcs"><label value="//mace/ops:top_k.cc"/><label value="//mace/ops:a.cc"/></list>
  </rule>
  <source-file location="/repo/mace/ops/BUILD.bazel:1:1" name="//mace/ops:top_k.h"/>
  <source-file location="/repo/mace/ops/BUILD.bazel:1:1" name="//mace/ops:top_k.cc"/>
  <source-file location="/x/opencl/BUILD.bazel:1:1" name="@opencl//:cl.h"/>
  <source-file location="/x/xxhash/BUILD.bazel:1:1" name="@xxhash//:include/xxhash.h"/>
</query>"""
TABLE = Table("mace/ops/op_table.cc", (("namespace", "ops"), ("returns", "Op"),
              ("entry", "OpEntry"), ("table", "Ops"), ("header", "mace/ops/op.h")), True,
              ("mace/ops/a.cc", "mace/ops/top_k.cc"))  # fmt: skip


def test_flags_of_a_file_are_the_projects_own_in_their_order():
    assert file_list.own_flags(COMMAND) == (
        "-DMACE_ENABLE_OPENCL", "-DNDEBUG", "-fno-rtti", "-ffp-contract=fast", "-mavx2", "-Os")
    answer = {"actions": [{"arguments": COMMAND}]}
    assert list(file_list.compiles(answer)) == ["mace/a.cc"]
    with pytest.raises(RunFailedError, match="knows of no file"):
        file_list.compiles({"actions": []})


def test_tables_and_headers_are_those_of_the_query():
    answer = ElementTree.fromstring(QUERY)
    assert file_list.read_tables(answer) == (TABLE,)
    assert file_list.repository_headers(answer) == ("mace/ops/top_k.h",)
    assert file_list.external_headers(answer) == {
        "CL/cl.h": Path("/x/opencl/cl.h"), "xxhash.h": Path("/x/xxhash/include/xxhash.h")}
    other = ElementTree.fromstring(QUERY.replace("@xxhash//", "@zlib//"))
    with pytest.raises(RunFailedError, match="includes @zlib//:include/xxhash.h: add its repo"):
        file_list.external_headers(other)


def sources():
    """Of two CPUs; only one can use a GPU."""
    every = [Variant(cpu, gpu) for cpu in file_list.CPUS for gpu in (False, True)]
    plain = {variant: ("-fno-rtti", "-Os") for variant in every}
    return Sources(
        {"mace/base.cc": plain, "mace/ops/a.cc": plain, "mace/ops/top_k.cc": plain,
         "mace/ops/op_table.cc": plain,
         "mace/avx.cc": {v: ("-fno-rtti", "-O3", "-mavx2") for v in every
                         if v.cpu == "x86_64"},
         "mace/cl.cc": {v: ("-fno-rtti", "-DGPU") for v in every if v.gpu}},
        (TABLE,), {"dynamic": Component(("mace/base.cc",), ("mace/absent.cc",))},
        ("mace/ops/top_k.h",), {}, {"mace/cl.cc": Path("/x")})


def test_files_with_the_same_flags_stand_together():
    text = cmake_lists.text(sources())
    assert "set(MACE_COMMON_FLAGS -fno-rtti)" in text
    assert "set(MACE_FLAGS_arm -march=armv7-a -mfpu=neon-vfpv4)" in text
    assert "mace_sources(FOR x86_64 x86_64+opencl\n  FLAGS -O3 -mavx2\n  FILES\n  mace/avx.cc\n)" \
        in text
    assert ("mace_sources(FOR x86_64+opencl aarch64+opencl arm+opencl\n  FLAGS -DGPU\n  FILES\n"
            "  generated/mace/cl.cc\n)") in text
    assert "  mace/base.cc\n  mace/ops/a.cc\n  generated/mace/ops/op_table.cc\n" in text
    assert 'OUT generated/mace/ops/op_table.cc\n  NAMESPACE "ops"' in text
    assert "set(MACE_ALL_OPS A TopK)" in text
    assert "set(MACE_FILES_OF_dynamic mace/base.cc)" in text
    assert "set(MACE_FILES_WITHOUT_dynamic mace/absent.cc)" in text


GROUPS = """<query>
<rule class="filegroup" name="//mace/io:a"><list name="srcs"><label value="//mace/io:b/x.cc"/>
</list><list name="tags"><string value="component=dynamic"/><string value="manual"/></list></rule>
<rule class="filegroup" name="//mace/io:n"><list name="srcs"><label value="//mace/io:absent.cc"/>
</list><list name="tags"><string value="without=dynamic"/></list></rule>
<rule class="filegroup" name="//mace/zip:a"><list name="srcs"><label value="//mace/zip:a.cc"/>
</list><list name="tags"><string value="component=dynamic"/></list></rule></query>"""


def test_files_of_components_are_those_of_tagged_groups():
    assert file_list.read_components(ElementTree.fromstring(GROUPS)) == {
        "dynamic": Component(("mace/io/b/x.cc", "mace/zip/a.cc"), ("mace/io/absent.cc",))}


@pytest.mark.parametrize("includes, always, of_a", [
    ({}, set(), {"mace/ops/a.cc"}),
    ({"mace/ops/a.cc": '#include "mace/ops/top_k.h"'}, set(), {"mace/ops/a.cc",
                                                               "mace/ops/top_k.cc"}),
    ({"mace/base.cc": '#include "mace/ops/top_k.h"'}, {"mace/ops/top_k.cc"}, {"mace/ops/a.cc"}),
])
def test_ops_bring_the_files_whose_headers_they_include(includes, always, of_a):
    found = cmake_lists.op_files(sources(), lambda path: includes.get(path, ""))
    assert (found.always, found.of_op["A"]) == (always, of_a)


def test_the_linker_exports_functions_by_name_and_c_functions_alone():
    text = tree.version_script(
        ["MaceCreate", "mace::A::operator=(mace::A const&)", "mace::A::~A()", "vtable for mace::A",
         "mace::f(int)", "mace::f()"])
    assert "  global:\n    MaceCreate;\n" in text and "  local: *;" in text
    inside = text.partition('extern "C++" {')[2].partition("}")[0].split()
    assert inside == ["mace::A::?A*;", "mace::A::operator?*;", "mace::f*;",
                      "vtable?for?mace::A*;"]


def test_without_bazel_the_sources_cannot_be_packed(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    args = type("Args", (), {"output": tmp_path / "x.tar.gz"})
    with pytest.raises(MissingToolError, match="packing the sources needs bazel"):
        source.standalone(args, Console())
