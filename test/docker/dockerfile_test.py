"""The steps of docker/Dockerfile: the folder docker has all that they use, and (suite `docker`)
they make an image of each release of Debian, in which another user converts a model and runs it.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import dockerfile
import pytest

from mace_tools.support.protos import REPO

CONTEXT = REPO / "docker"
FILE = CONTEXT / "Dockerfile"
USER = 12345  # who has no entry in the image's /etc/passwd


def test_the_steps_are_known_and_what_they_copy_is_in_the_context():
    steps = dockerfile.read(FILE)
    copied = [source for s in steps if s.name == "COPY" for source in s.text.split()[:-1]]
    assert copied and all((CONTEXT / source).resolve().is_relative_to(CONTEXT)
                          and (CONTEXT / source).is_file() for source in copied)
    commands = " ".join(s.text for s in steps if s.name == "RUN")
    assert "setup.sh" in commands
    assert not re.search(r"apt-get|pip install|curl|wget", commands), "an installer beside setup.sh"


def test_the_packed_setup_is_that_of_the_tree():
    packed = subprocess.run([CONTEXT / "pack.sh"], check=True, capture_output=True).stdout
    assert (CONTEXT / "setup.shar").read_bytes() == packed, (
        "a file of the set-up has changed: docker/pack.sh >docker/setup.shar")


def test_the_steps_unpack_all_that_setup_reads(tmp_path):
    """By the first words of RUN, up to setup.sh itself, with the paths that begin with $root."""
    (text,) = [s.text for s in dockerfile.read(FILE) if s.name == "RUN"]
    unpack, _, _ = text.partition("&& /setup/")
    shutil.copy(CONTEXT / "setup.shar", tmp_path)
    unpack = unpack.replace(" /", f" {tmp_path}/")
    subprocess.run(["/bin/sh", "-ec", unpack], check=True, env={"HOME": f"{tmp_path}/home"})
    root = tmp_path / "setup"
    files = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    for path in files:
        assert (root / path).read_bytes() == (REPO / path).read_bytes(), path
        assert os.access(root / path, os.X_OK) == os.access(REPO / path, os.X_OK), path
    used = set(re.findall(r"\$root/([\w./]+)", (root / "tools/setup.sh").read_text()))
    assert len(used) >= 3
    # Of $root/tools/requirements/debian_$group.txt, the words end before the `$`.
    for name in used:
        assert any(str(path).startswith(name) for path in files), f"setup.sh reads {name}"
    shown = subprocess.run([root / "tools/setup.sh", "--help"], check=True, capture_output=True)
    assert b"usage: tools/setup.sh" in shown.stdout


@pytest.mark.parametrize("text, message", [
    ("FROM debian:latest\n", "must begin with"), ("RUN x\n", "must begin with"),
    ("FROM debian:12-slim\n", "must begin with"), ("", "must begin with"),
    (f"FROM {dockerfile.FROM}\nADD a b\n", ":2: this check does not know the instruction ADD"),
    (f"FROM {dockerfile.FROM}\nRUN a \\\n", "end with a whole"),
])
def test_other_files_are_refused(tmp_path, text, message):
    (tmp_path / "Dockerfile").write_text(text)
    with pytest.raises(ValueError, match=message):
        dockerfile.read(tmp_path / "Dockerfile")


def test_lines_that_continue_are_one_step(tmp_path):
    (tmp_path / "Dockerfile").write_text(
        f"# c\nFROM {dockerfile.FROM}\nENV A=1 B=2\nRUN a \\\n    && b\nCMD [\"/bin/bash\"]\n")
    steps = dockerfile.read(tmp_path / "Dockerfile")
    assert [(s.line, s.name, s.text) for s in steps] == [
        (2, "FROM", dockerfile.FROM), (3, "ENV", "A=1 B=2"), (4, "RUN", "a && b"),
        (6, "CMD", '["/bin/bash"]')]


@pytest.mark.deep
@pytest.mark.skipif(os.environ.get("MACE_TEST_DOCKER") != "all",
                    reason="covered elsewhere: tools/test.sh docker")
@pytest.mark.parametrize("debian", dockerfile.SUITES)
def test_the_image_converts_and_runs_a_model_as_another_user(tmp_path, debian):
    assert not dockerfile.can_build()
    image = dockerfile.build(dockerfile.read(FILE), CONTEXT, tmp_path / "image", {
        "DEBIAN": debian, "LEVEL": os.environ.get("MACE_TEST_DOCKER_LEVEL", "run")})
    assert image.command == ["/bin/bash"] and not list(image.root.glob("setup*"))
    mounted = image.root / image.folder.lstrip("/")
    names = subprocess.run(["git", "ls-files"], cwd=REPO, check=True, capture_output=True,
                           text=True).stdout.splitlines()
    for name in names:
        (mounted / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPO / name, mounted / name)
    for path in (mounted, *mounted.rglob("*")):
        os.chown(path, USER, USER)
    for words in (["tools/setup.sh", "--for", "devices"],
                  ["python3", "tools/converter.py", "convert",
                   "--config=models/digits/digits_onnx.yml"],
                  ["bazel", "--batch", "info", "workspace"], ["adb", "version"]):
        done = dockerfile.run(image, words, user=USER, capture_output=True)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    assert (mounted / "build/digits_onnx/model/digits_onnx.pb").stat().st_uid == USER
    # Which refuses users without a name.
    ssh = dockerfile.run(image, ["ssh", "-V"], capture_output=True)
    assert ssh.returncode == 0, ssh.stderr
    again = dockerfile.run(image, ["tools/setup.sh", "--for", "devices"], user=USER,
                           capture_output=True)
    assert "Debian packages: all there" in again.stderr
    size = sum(p.lstat().st_size for p in image.root.rglob("*") if not p.is_symlink()
               and p.is_file() and not p.is_relative_to(mounted))
    print(f"the image has {size / 1e6:.0f} MB")
    if f'VERSION_ID="{debian}"' in Path("/etc/os-release").read_text():
        return  # test/demo_test.py runs the demo on this machine
    try:
        demo = dockerfile.run(image, ["tools/demo.sh", "4"], user=USER, capture_output=True)
    finally:
        dockerfile.run(image, ["bazel", "shutdown"], user=USER)
    assert demo.returncode == 0, f"{demo.stdout}\n{demo.stderr}"
    assert re.fullmatch(r"answer: 4  probability: 0\.\d+  expected: 4",
                        demo.stdout.splitlines()[-1])
