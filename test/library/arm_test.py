"""The library for both Arms, linked by an outside project and run under qemu.

SPDX-License-Identifier: Apache-2.0

Building it compiles the engine twice, so that these are tests of the suite `library`.
"""

import os
import re

import consumers
import pytest
from consumers import classify, compile_app, run

from mace_tools.package.library import exports, link
from mace_tools.package.library.abis import ABIS
from mace_tools.testing.needed import need_tools

ARMS = ("arm64", "armhf")
MACHINES = {"arm64": "AArch64", "armhf": "ARM"}

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                       reason="covered elsewhere: tools/test.sh library"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    need_tools("bazel", "pkg-config", "qemu-aarch64", "qemu-arm")
    return consumers.Place(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def static(place):
    assert place.build(place.config("static"), f"--target_abis={','.join(ARMS)}") == 0
    return place.unpacked("static")


@pytest.fixture(scope="module")
def shared(place):
    config = place.config("shared", "linkshared: 1\n")
    assert place.build(config, f"--target_abis={','.join(ARMS)}") == 0
    return place.unpacked("shared")


@pytest.mark.parametrize("abi", ARMS)
def test_a_program_in_c_needs_no_cxx_library(place, tmp_path, abi):
    config = place.config("no_cxx", "linkshared: 1\ncxx: none\n")
    assert place.build(config, f"--target_abis={','.join(ARMS)}") == 0
    consumers.check_needs_no_cxx(place.unpacked("no_cxx"), abi, tmp_path)


@pytest.fixture(scope="module")
def embedded(place):
    config = place.config("embedded", "build_type: code\nembed_model_data: 1\n")
    assert place.build(config, f"--target_abis={','.join(ARMS)}") == 0
    return place.unpacked("embedded")


@pytest.mark.parametrize("abi", ARMS)
def test_files_and_compiled_in_give_the_same_bits(static, embedded, tmp_path, abi):
    app = compile_app(static, tmp_path / "app", abi)
    inside = compile_app(embedded, tmp_path / "inside", abi, flags=("-DFROM_CODE",))
    in_c = compile_app(static, tmp_path / "in_c", abi, standard="c99")
    inside_c = compile_app(embedded, tmp_path / "inside_c", abi, standard="c99",
                           flags=("-DFROM_CODE",))
    for digit in (3, 7):
        files = static / "model" / "digits.pb", static / "model" / "digits.data"
        answer = classify(app, abi, *files, digit=digit)
        assert classify(in_c, abi, *files, digit=digit) == answer
        assert classify(inside, abi, "digits", digit=digit) == answer
        assert classify(inside_c, abi, "digits", digit=digit) == answer


@pytest.mark.parametrize("abi", ARMS)
def test_a_shared_library_runs_and_exports_what_it_should(shared, tmp_path, abi):
    app = compile_app(shared, tmp_path / "app", abi)
    in_c = compile_app(shared, tmp_path / "in_c", abi, standard="c99")
    files = shared / "model" / "digits.pb", shared / "model" / "digits.data"
    assert classify(app, abi, *files) == classify(in_c, abi, *files)
    file = shared / "lib" / abi / link.SONAME
    found = exports.symbols(ABIS[abi], [file], dynamic=True)
    found.pop(link.SYMBOL_VERSION, None)
    assert sorted(set(found.values())) == sorted(exports.listed())
    text = run(["readelf", "--wide", "--file-header", "--program-headers", "--dynamic", "--notes",
                str(file)])
    assert f"Machine:                           {MACHINES[abi]}" in text
    loads = re.findall(r"LOAD .* 0x([0-9a-f]+)$", text, re.MULTILINE)
    assert loads and all(int(align, 16) >= link.PAGE_BYTES for align in loads)
    assert "soname: [libmace.so]" in text and "NT_GNU_BUILD_ID" in text


def test_what_becomes_read_only_has_pages_of_its_own_and_no_gap_before_it(shared):
    """The layout of templates/arm64.ld."""
    text = run(["readelf", "--wide", "--program-headers",
                str(shared / "lib" / "arm64" / link.SONAME)])
    segments = [(name, *(int(n, 16) for n in (offset, address, in_file, in_memory)))
                for name, offset, address, in_file, in_memory in re.findall(
                    r"(LOAD|GNU_RELRO) +(0x\w+) (0x\w+) 0x\w+ (0x\w+) (0x\w+)", text)]
    loads = [segment[1:] for segment in segments if segment[0] == "LOAD"]
    (relro,) = (segment[1:] for segment in segments if segment[0] == "GNU_RELRO")
    page = link.PAGE_BYTES
    assert len(loads) == 3
    # They may begin at different sections of the same page.
    assert 0 <= relro[1] - loads[1][1] < 64 and relro[1] // page == loads[1][1] // page
    assert relro[1] + relro[3] == loads[1][1] + loads[1][3]
    for (offset, address, in_file, in_memory), after in zip(loads, loads[1:]):
        assert offset + in_file <= after[0] < offset + in_file + 64
        assert (address + in_memory - 1) // page < after[1] // page
    assert (relro[1] + relro[3]) % page == 0
    assert all(offset % page == address % page for offset, address, *_ in loads)
