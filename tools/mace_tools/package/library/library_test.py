"""Parts of the library's build that need no compiled engine.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
from dataclasses import replace

import pytest

from mace_tools.commands.build import size_table
from mace_tools.config import names
from mace_tools.package import wheel
from mace_tools.package.library import abis, bundle, compiled_models, engine, exports, link, sizes
from mace_tools.support.exit_codes import MissingToolError, RunFailedError

HOST = abis.ABIS["host"]
MAP = """\
Discarded input sections

 .text._ZN4mace5UnusedEv
                0x0000000000000000      0x900 /x/03-libcpu.pic.a(unused.pic.o)

Linker script and memory map

 .text._ZN4mace3cpu4SomeEv
                0x0000000000000000      0x100 /x/03-libcpu_small.pic.a(some.pic.o)
 .text._ZNSt6vectorIfE4growEv
                0x0000000000000100       0x20 /x/03-libcpu_small.pic.a(some.pic.o)
 .rodata        0x0000000000000000       0x10 /x/00-libruntime.pic.a(engine.pic.o)
 .debug_line    0x0000000000000000     0x5000 /x/00-libruntime.pic.a(engine.pic.o)
 .text          0x0000000000000000        0x8 /x/05-libproblem.pic.a(search.pic.o)
 .text          0x0000000000000000        0x4 /x/00-libcapi.pic.a(engine.pic.o)
"""


# The same by LLVM's linker.
LLD_MAP = """\
             VMA              LMA     Size Align Out     In      Symbol
               0                0      100     4 .text._ZN4mace3cpu4SomeEv
               0                0      100     4         /x/03-libcpu.pic.a(some.pic.o):\
(.text._ZN4mace3cpu4SomeEv)
               0                0      100     1                 mace::cpu::Some()
               0                0       20     4         /x/03-libcpu.pic.a(some.pic.o):\
(.text._ZNSt6vectorIfE4growEv)
               0                0       10     1         /x/00-libruntime.pic.a(engine.pic.o):\
(.rodata)
               0                0     5000     1         /x/00-libruntime.pic.a(engine.pic.o):\
(.debug_line)
               0                0        8     4         /x/05-libproblem.pic.a(search.pic.o):\
(.text)
               0                0        4     4         /x/06-libcapi.pic.a(status.pic.o):\
(.text)
"""


@pytest.mark.parametrize("text", [MAP, LLD_MAP])
def test_bytes_are_counted_by_part(tmp_path, text):
    path = tmp_path / "map"
    path.write_text(text)
    parts = sizes.by_part(path)
    assert parts == {"kernels": 0x100, "C++ templates": 0x20, "engine": 0x10, "memory": 8,
                     "C API": 4}
    table = size_table({"arm64": dict(parts), "host": {"kernels": 1}})
    assert table[0].split() == ["part", "arm64", "host"]
    assert ["kernels", "256", "1"] in [line.split() for line in table]
    assert table[-1].split() == ["all", "316", "1"]


def test_signatures_do_not_depend_on_the_abi():
    on_arm64 = "mace::f(std::__cxx11::basic_string<char, std::char_traits<char>, " \
               "std::allocator<char> > const&, unsigned long, std::vector<long> const&)"
    on_armhf = "mace::f(std::__cxx11::basic_string<char, std::char_traits<char>, " \
               "std::allocator<char> > const&, unsigned int, std::vector<long long> const&)"
    assert exports.plain(on_arm64) == exports.plain(on_armhf)
    assert exports.plain(on_arm64) == (
        "mace::f(std::string const&, unsigned, std::vector<int> const&)")
    assert exports.plain("mace::Model::name[abi:cxx11]() const") == "mace::Model::name() const"
    on_android = ("mace::f(std::__ndk1::basic_string<char, std::__ndk1::char_traits<char>, "
                  "std::__ndk1::allocator<char>> const&, unsigned long, std::__ndk1::vector<long> "
                  "const&)")
    assert exports.plain(on_android) == exports.plain(on_arm64)
    nested = "std::__ndk1::vector<std::__ndk1::vector<int, std::__ndk1::allocator<int>>>"
    assert exports.plain(nested) == "std::vector<std::vector<int, std::allocator<int> > >"
    assert exports.listed() == sorted(set(exports.listed()))


def archive(folder, name, source, *flags):
    """A small archive, compiled here."""
    path = folder / f"{name}.cc"
    path.write_text(source)
    subprocess.run(["g++", "-O1", "-fPIC", "-ffunction-sections", *flags, "-c", path,
                    "-o", folder / f"{name}.o"], check=True)
    subprocess.run(["ar", "rcs", folder / f"{name}.pic.a", folder / f"{name}.o"], check=True)
    return folder / f"{name}.pic.a"


def test_merging_keeps_what_the_api_reaches_and_hides_its_names(tmp_path, monkeypatch):
    archives = [
        archive(tmp_path, "libruntime", "int Used(); int Own() { return 2; }\n"
                                        "namespace mace { int Api() { return Used() + Own(); } }"),
        archive(tmp_path, "libcpu", "int Used() { return 1; } int Unused() { return 0; }"),
    ]
    monkeypatch.setattr(exports, "listed", lambda: ["mace::Api()"])
    merged = link.merge(HOST, archives, tmp_path)
    assert exports.symbols(HOST, [merged.object]) == {"_ZN4mace3ApiEv": "mace::Api()"}
    table = subprocess.run(["nm", "-C", merged.object], capture_output=True, text=True).stdout
    assert "Used()" in table and "Unused()" not in table
    monkeypatch.setattr(exports, "listed", lambda: ["mace::Api()", "mace::Gone(int)"])
    with pytest.raises(RunFailedError, match=r"the engine does not define: mace::Gone\(int\)"):
        link.merge(HOST, archives, tmp_path)


def test_an_app_in_cpp_does_not_link_the_c_api(tmp_path, monkeypatch):
    archives = [
        archive(tmp_path, "libcapi", "namespace mace { int Api(); } int Own() { return 3; }\n"
                                     'extern "C" int mace_api() { return mace::Api() + Own(); }'),
        archive(tmp_path, "libruntime", "namespace mace { int Api() { return 1; } }"),
    ]
    monkeypatch.setattr(exports, "listed", lambda: ["mace::Api()", "mace_api"])
    merged = link.merge_apart(HOST, archives, tmp_path)
    assert [exports.symbols(HOST, [part.object]) for part in merged] == [
        {"_ZN4mace3ApiEv": "mace::Api()"}, {"mace_api": "mace_api"}]
    library = tmp_path / "libmace.a"
    link.static(HOST, merged, [], library)
    cpp = "namespace mace { int Api(); } int main() { return mace::Api() - 1; }"
    c = "int mace_api(void); int main(void) { return mace_api() - 4; }"
    for tool, name, text, has_it in (("g++", "app.cc", cpp, False), ("gcc", "app.c", c, True)):
        (tmp_path / name).write_text(text)
        app = tmp_path / f"{name}.out"
        subprocess.run([tool, tmp_path / name, library, "-o", app], check=True)
        assert subprocess.run([app], check=False).returncode == 0
        table = subprocess.run(["nm", app], capture_output=True, text=True).stdout
        assert ("mace_api" in table) == has_it
    whole = link.merge(HOST, archives, tmp_path)
    assert set(exports.symbols(HOST, [whole.object])) == {"_ZN4mace3ApiEv", "mace_api"}


def test_a_library_for_apps_without_cxx_has_the_c_api_alone(tmp_path, monkeypatch):
    archives = [
        archive(tmp_path, "libcapi", "namespace mace { int Api(); }\n"
                                     'extern "C" int mace_api() { return mace::Api(); }'),
        archive(tmp_path, "libruntime",
                "#include <string>\n#include <stdexcept>\nnamespace mace {\n"
                "int Other() { return 2; }\n"
                'int Api() { try { std::string("mace").at(9); } catch (const std::out_of_range&) '
                "{ return 7; } return 1; } }"),
    ]
    monkeypatch.setattr(exports, "listed", lambda: ["mace::Api()", "mace::Other()", "mace_api"])
    merged = link.merge(HOST, archives, tmp_path, needs_cxx=False)
    assert list(exports.symbols(HOST, [merged.object])) == ["mace_api"]
    assert "Other" not in subprocess.run(["nm", merged.object], capture_output=True,
                                         text=True).stdout
    library = tmp_path / link.SONAME
    link.shared(HOST, merged, library, tmp_path / "debug")
    assert set(exports.symbols(HOST, [library], dynamic=True)) <= {"mace_api", link.SYMBOL_VERSION}
    (tmp_path / "app.c").write_text("int mace_api(void); int main(void) { return mace_api(); }")
    app = tmp_path / "app"
    subprocess.run(["gcc", tmp_path / "app.c", library, f"-Wl,-rpath,{tmp_path}", "-o", app],
                   check=True)
    assert subprocess.run([app], check=False).returncode == 7  # thrown and caught inside
    for file in (library, app):
        needed = subprocess.run(["readelf", "--dynamic", file], check=True, capture_output=True,
                                text=True).stdout
        assert "libc.so" in needed and not re.search(r"libstdc\+\+|libgcc_s", needed)
    bill = bundle.bill("lib", [], [], [HOST.cxx(), HOST.cxx()])
    inside = [(p["name"], p["licenseDeclared"]) for p in bill["packages"]]
    assert inside[2:] == [("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1")]


def test_a_shared_library_is_optimised_as_a_whole_where_archives_allow_it(tmp_path, monkeypatch):
    api = 'namespace mace { __attribute__((visibility("default"))) int Api() { return Used(); } }'
    monkeypatch.setattr(exports, "listed", lambda: ["mace::Api()", "mace_api"])

    def linked(name, link_time, *flags):
        folder = tmp_path / name
        folder.mkdir()
        archives = [archive(folder, "libruntime", f"int Used(); {api}", *flags),
                    archive(folder, "libcpu", "int Used() { return 7; }", *flags)]
        abi = replace(HOST, link_time=link_time)
        merged = link.merge(abi, archives, folder)
        link.shared(abi, merged, folder / "lib.so", folder / "lib.debug")
        # Without the archive of the C API, a library has C++ alone.
        found = exports.symbols(abi, [folder / "lib.so"], dynamic=True)
        assert set(found) - {link.SYMBOL_VERSION} == {"_ZN4mace3ApiEv"}
        (plain,) = link.merge_apart(abi, archives, folder)
        return output("nm", folder / "lib.debug"), output("readelf", "-sSW", plain.object)

    def output(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    names, plain = linked("apart", ())
    assert "_Z4Usedv" in names and "_Z4Usedv" in plain
    names, plain = linked("whole", abis.LINK_TIME, "-flto", "-ffat-lto-objects")
    assert "_Z4Usedv" not in names  # its only call is inlined
    assert "_Z4Usedv" in plain and ".gnu.lto" not in plain


def test_files_are_compiled_in_whole_and_aligned(tmp_path):
    graph, data = tmp_path / "a \"b\\.pb", tmp_path / "weights.data"
    graph.write_bytes(b"graph\n\0")
    data.write_bytes(bytes(range(256)) * 3)
    include = engine.runner.REPO
    header = tmp_path / "mace" / "public"
    header.mkdir(parents=True)
    model = compiled_models.CodeModel("net", graph, data, 768)
    for name, text in compiled_models.headers("lib", [model]).items():
        (header / name).write_text(text)
    for path in (include / "mace" / "public").glob("*.h"):
        (header / path.name).symlink_to(path)
    objects = compiled_models.compile(HOST, [model], tmp_path, tmp_path)
    assert [o.name for o in objects] == [
        "mace_engine_factory.o", "mace_c_engine_factory.o", "model_net.o"]
    app = tmp_path / "app.cc"
    app.write_text("""\
#include <cstdint>
#include <cstdio>
extern "C" { extern const char mace_code_net_graph[], mace_code_net_graph_end[],
             mace_code_net_data[], mace_code_net_data_end[]; }
int main() {
  if (reinterpret_cast<uintptr_t>(mace_code_net_data) % 64 != 0) return 1;
  fwrite(mace_code_net_graph, 1, mace_code_net_graph_end - mace_code_net_graph, stdout);
  fwrite(mace_code_net_data, 1, mace_code_net_data_end - mace_code_net_data, stdout);
}
""")
    subprocess.run(["g++", app, objects[2], "-o", tmp_path / "app"], check=True)
    out = subprocess.run([tmp_path / "app"], capture_output=True, check=True).stdout
    assert out == graph.read_bytes() + data.read_bytes()


def test_a_missing_compiler_is_named_with_its_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match="apt-get install g\\+\\+-aarch64-linux-gnu"):
        abis.find(("arm64",))


def test_the_options_name_the_abis_that_can_be_built():
    assert tuple(abis.ABIS) == names.ABIS
    assert ("host", *wheel.MACHINES) == names.WHEEL_ABIS


@pytest.mark.parametrize("without", ["c", "cpp"])
def test_headers_of_one_language_include_only_each_other(tmp_path, without):
    bundle.write_headers(tmp_path, {}, **{f"in_{without}": False})
    headers = {path.name: path.read_text() for path in (tmp_path / "include/mace/public").iterdir()}
    assert ("mace.h" in headers, "mace_c.h" in headers) == (without == "c", without == "cpp")
    for text in headers.values():
        assert set(re.findall(r'#include "mace/public/([^"]+)"', text)) <= set(headers)
