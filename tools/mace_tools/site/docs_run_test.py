"""The shell commands of the documents run as they stand there.

SPDX-License-Identifier: Apache-2.0

They run in a folder with an image, a model and links to the checkout's folders; deployment files
and programs that a page shows are written before the page's next command. Commands that renew a
list of the checkout run in a copy of it; those for phones and boards with fakes of adb and
ssh, on which this machine's mace_run runs. A command that does not run here has its row, with the
reason, in NOT_RUN.
"""

import os
import re
import shutil
import subprocess

import pytest

from mace_tools.config.files import sha256_of
from mace_tools.run import runner
from mace_tools.support import ndk
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO, cache_dir
from mace_tools.testing.documents import all_code, documents, shell_lines
from mace_tools.testing.fake_devices import FakeDevices
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.full
DIGITS = REPO / "models" / "digits"
# Commands by their beginnings, and why they are not run.
NOT_RUN = {
    "tools/setup.sh": "installs software",
    "tools/docs.sh": "site_test.py builds the site",
    "tools/demo.sh": "test/demo_test.py does",
    "tools/test.sh": "runs this test",
    "tools/robustness.sh": "builds under sanitizers; test/robustness has its own test",
    "bazel build //tools:mace_run": "the tests build it, and keep it between runs",
    "bazel build //tools:mace_plan": "as mace_run",
    "docker ": "needs Docker; test/docker runs the steps of the image",
    "bazel test": "suites of their own",
    "bazel run //mace/cpu:ukernels_bench": "measures for minutes",
    "bazel run //mace/image:image_bench": "as ukernels_bench",
    "python3 tools/converter.py wheel": "test/library/python_test.py does, and installs the wheel",
    "python3 tools/converter.py java": "test/library/java_test.py and aar_test.py do",
    "python3 -m pip install": "installs software; build_backend_test.py and python_test.py do",
    "mace-converter": "build_backend_test.py installs and calls it",
    "bazel build //mace/examples:picture": "test/image/pictures_page_test.py does",
    "bazel-bin/mace/examples/picture": "pictures_page_test.py runs it, on every digit",
    "test/mutants/run.sh": "builds and runs every unit test; test/mutants has its own test",
    "test/arm/run.sh": "counts under qemu; test/arm/budget_test.py does",
    "bazel run //tools:mace_run -- --list_ops": "builds; generate_test.py compares what it prints",
    "(cd tools && ~/.cache/mace/venv/bin/python -m pytest": "shows a test that does not exist yet",
    "(cd tools && ~/.cache/mace/venv/bin/python -m mace_tools.generate --measure)": (
        "links more than a hundred libraries; test/library/sizes_test.py compares what it writes"),
    "clang-format-19": "writes the checkout; lint calls it",
    "/usr/bin/python3 -m venv": "installs software", "/tmp/train/bin/python": "trains a model",
    **dict.fromkeys(("apt-get", "python3 -m venv", "venv/bin", "tar xf mace-1", "cmake -", "out/",
                     "gcc -std=c99 classify.c", "./classify", "javac", "java "),
                    "test/docker/release_test.py does, in clean chroots"),
}
# Other exit codes than 0 that are right: of what this machine lacks.
EXITS = {"python3 tools/converter.py stream": (ExitCode.UNSUPPORTED_OPS,),  # of images
         "tools/converter.py doctor": (0, ExitCode.MISSING_TOOL)}
RENEWS = "(cd tools && ~/.cache/mace/venv/bin/python -m mace_tools."


@pytest.fixture
def folder(tmp_path_factory):
    """What a user has who follows the pages."""
    need_tools("bazel")
    place = tmp_path_factory.mktemp("user")
    for name in ("tools", "models", "mace", "docs"):
        (place / name).symlink_to(REPO / name)
    shutil.copy(DIGITS / "digits.onnx", place / "model.onnx")
    shutil.copy(DIGITS / "images" / "3.png", place / "picture.png")
    shutil.copy(DIGITS / "digits_onnx.yml", place / "my.yml")  # until a page shows its own
    (place / "model").symlink_to("build/digits_onnx/model")
    for tool in (runner.MACE_RUN, runner.MACE_PLAN):
        link = place / "bazel-bin" / tool.built
        link.parent.mkdir(parents=True)
        link.symlink_to(runner.find(Console(), None, tool))
    return place


@pytest.fixture
def environment(folder, tmp_path_factory):
    """A phone and a board, and a cache in which mace_run for them is that of this machine."""
    devices = FakeDevices(folder / "devices")
    devices.phone("A1")
    devices.board("pi@192.168.1.20")
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(ndk.HOME, raising=False)
        kept = [runner.kept(runner.for_abi(abi)).relative_to(cache_dir())
                for abi in ("arm64-v8a", "arm64")]
    for entry in cache_dir().iterdir():
        if entry.name not in {path.parts[0] for path in kept}:
            (cache / entry.name).symlink_to(entry)
    for path in kept:
        (cache / path).parent.mkdir(parents=True)
        (cache / path).symlink_to(runner.kept(runner.MACE_RUN))
    tools = (devices.bin, folder / "bazel-bin" / "tools" / "mace_run")
    made = {**os.environ, "COLUMNS": "120", "MACE_CACHE": str(cache),
            "PATH": ":".join([*map(str, tools), os.environ["PATH"]])}
    made.pop(ndk.HOME, None)
    return made


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The files of the checkout."""
    place = tmp_path_factory.mktemp("copy")
    for name in checkout_files():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPO / name, place / name)
    return place


def contents(place):
    """Of the files of a copy of the checkout."""
    return {p: p.read_bytes() for p in place.rglob("*")
            if p.is_file() and "__pycache__" not in p.parts}


def checkout_files():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=REPO, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (REPO / name).is_file()]


def skipped(command):
    return next((why for begin, why in NOT_RUN.items() if command.startswith(begin)), "")


def pages():
    found = {}
    for code in shell_lines():
        if not skipped(code.text):
            found.setdefault(code.document, []).append(code)
    return found


def write_files(folder, document, before):
    """The deployment files that a page shows before a line, with whole checksums, and the programs
    whose first line is a comment with the name of a file."""
    for code in all_code():
        named = re.match(r"// (\w+\.cc): ", code.text) if code.language == "cpp" else None
        if named and code.document == document and code.line < before:
            (folder / named[1]).write_text(code.text + "\n")
        if code.document == document and code.text.startswith("devices:\n"):
            (folder / "boards.yml").write_text(code.text + "\n")
    shown = [c for c in all_code() if c.document == document and c.language == "yaml"
             and c.line < before and "library_name" in c.text]
    for code in shown:
        model = REPO / re.search(r"model_file_path: (\S+)", code.text)[1]
        if model.is_file():
            begin = re.search(r"model_sha256_checksum: (\w+)", code.text)[1]
            assert sha256_of(model).startswith(begin), code.place
            text = re.sub(r"(model_sha256_checksum: )\S+", rf"\g<1>{sha256_of(model)}", code.text)
            (folder / "my.yml").write_text(text)


def filled_in(command, folder):
    """With a name in the place of NAME."""
    model = re.search(r"^models:\n  (\w+):", (folder / "my.yml").read_text(), re.MULTILINE)[1]
    return command.replace("~/.cache/mace", str(cache_dir())).replace("=NAME", f"={model}")


@pytest.mark.parametrize("document", pages())
def test_commands_run(folder, environment, document, request):
    answers = {}
    for code in pages()[document]:
        write_files(folder, document, code.line)
        renews = code.text.startswith(RENEWS)
        place = request.getfixturevalue("copy") if renews else folder
        before = contents(place) if renews else {}
        done = subprocess.run(["sh", "-ec", filled_in(code.text, folder)], cwd=place,
                              capture_output=True, text=True, check=False, env=environment)
        right = next((c for begin, c in EXITS.items() if code.text.startswith(begin)), (0,))
        assert done.returncode in right, f"{code.place}: {code.text}\n{done.stdout}\n{done.stderr}"
        answers[" ".join(code.text.split())] = done.stdout
        changed = [n for n, text in (contents(place) if renews else {}).items()
                   if text != before.get(n)]
        assert not changed, f"{code.text} changes {changed}"
    if document == "docs/devices.md":
        (picked,) = [a for c, a in answers.items() if "--validate" in c]
        assert "A1 (Pixel 4)" in picked and "Similarity Test Passed" in picked
    if document == "docs/first_app.md":
        (picture,) = [a for c, a in answers.items() if "--input=picture.png" in c]
        assert "Top 5 of probabilities\n  1  3  0.9" in picture
        assert any("Average latency" in a for a in answers.values())


def test_every_command_runs_or_has_its_reason():
    """README's way to a model of one's own is among those that run."""
    shown = [c.text for c in shell_lines()]
    assert len(documents()) > 10 and len(shown) > 12
    assert len(pages()["README.md"]) >= 4
    unused = [begin for begin in NOT_RUN if not any(c.startswith(begin) for c in shown)]
    assert set(unused) <= {"bazel build //tools:mace_run", "bazel build //tools:mace_plan"}
