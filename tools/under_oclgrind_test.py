"""tools/under_oclgrind.sh: a program passes if it does and oclgrind wrote nothing.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("under_oclgrind.sh")


@pytest.mark.parametrize(("program", "status"), [
    ("true", 0),
    ("exit 3", 3),
    ("echo 'Read-write data race' >>$OCLGRIND_LOG", 1),
    ("echo 'Invalid read' >>$OCLGRIND_LOG; exit 4", 4),
])
def test_status(program, status, tmp_path):
    done = subprocess.run([SCRIPT, "bash", "-c", program], capture_output=True, text=True,
                          check=False, env={"PATH": "/usr/bin:/bin", "TEST_TMPDIR": str(tmp_path)})
    assert done.returncode == status
    assert ("oclgrind reports" in done.stdout) == ("echo" in program)
    assert not list(tmp_path.iterdir())
