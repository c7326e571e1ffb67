"""The library's copy of mbedTLS has names of its own, so that an app may link another one.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

from mace_tools.support.protos import REPO
from mace_tools.testing.needed import need_tools

SOURCES = "/opt/mace-sources"  # of tools/setup.sh


def test_no_name_of_mbedtls_is_left(tmp_path):
    need_tools("gcc", "nm")
    out = tmp_path / "aes_gcm.o"
    subprocess.run(["gcc", "-w", "-c", f"-I{REPO}", f"-I{SOURCES}",
                    f"-I{SOURCES}/mbedtls/include", REPO / "mace/sealed/aes_gcm.c", "-o", out],
                   check=True)
    listed = subprocess.run(["nm", "--defined-only", "--extern-only", out], check=True,
                            capture_output=True, text=True).stdout
    names = [line.split()[-1] for line in listed.splitlines()]
    assert "mace_gcm_decrypt" in names and len(names) > 20
    assert [name for name in names if not name.startswith("mace_")] == []
