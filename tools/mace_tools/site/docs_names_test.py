"""Every command, flag, path and key that the documents show is there.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import re

import pytest

from mace_tools.cli.parser import parsers
from mace_tools.config.schema import Library, Model, Subgraph
from mace_tools.config.sections import KvCache, Preprocess, Quantize
from mace_tools.devices.device_yml import Board
from mace_tools.graph.settings import all_settings
from mace_tools.support.protos import REPO
from mace_tools.testing.documents import Code, all_code, code_of, lines

FLAG = re.compile(r"(?<![\w-])--([A-Za-z][\w-]*)")
# Our programs by their names in a command, and the files of which one must have each flag. Scripts
# have those of their own text, of what lies beside them, and of the Bazel packages that they name.
PROGRAMS = {
    "mace_run": ("tools/mace_run/*.cc", "tools/cli/*"),
    "mace_plan": ("tools/mace_plan/*.cc", "tools/cli/*"), "memory_bench": ("test/memory/*.cc",),
    "run.sh": ("test/mutants/*.py",), "tools/test.sh": ("tools/rings/main.py",),
    "tools/release.sh": ("tools/mace_tools/package/release/*.py",),
    "mace_tools.generate": ("tools/mace_tools/generate/__main__.py",),
}  # fmt: skip
# Bazel's own, and --config, whose values are those of .bazelrc.
BAZEL = {"test_env", "test_output", "config", "cxxopt", "copt", "disk_cache", "jobs",
         "compilation_mode"}
# Of programs that are not ours.
FOREIGN = {"uninitialized": "oclgrind", "strip-unneeded": "strip", "cpu-prof": "Node.js",
           "benchmark_filter": "google-benchmark", "build-arg": "docker", "rm": "docker",
           "privileged": "docker", "net": "docker", "cflags": "pkg-config", "libs": "pkg-config",
           "install": "CMake", "build": "CMake", "detach-sign": "gpg", "armor": "gpg",
           "no-build-isolation": "pip", "yes": "apt-get", "no-install-recommends": "apt-get",
           "strip-components": "tar"}
TOP = r"(?:mace|tools|docs|models|test|third_party|docker|bazel-[a-z]+|\.ci)"
PATH = re.compile(rf"(?<![\w/.~$-])((?:{TOP})/[\w./*{{}},<>+-]*)")
# Paths of examples, by the documents that make them up.
MADE_UP = {
    "docs/add_an_op.md": r".*hard_?max.*", "docs/add_a_memory_strategy.md": r".*last_freed.*",
    "docs/add_a_device.md": r"mace/npu.*", "docs/add_a_micro_kernel.md": r".*5x16__avx2.*",
    "docs/architecture.md": r"mace/(ops|cpu)/softmax.*",
    "docs/converter.md": r"models/(mobilenet-v1-1\.0\.pb|imagenet_labels\.txt)",
}  # fmt: skip
NOTHING = "(?!)"
LABEL = re.compile(r"(?<![\w:/])//([\w/.-]*)(?::([\w<>*/-]+))?")
KEYS = {key for section in (Library, Model, Subgraph, Preprocess, Quantize, KvCache)
        for key in section.model_fields} | {"devices", *Board.model_fields}


@functools.cache
def known_flags(program: str) -> frozenset[str]:
    patterns = [*PROGRAMS.get(program, (program,))]
    if is_script(program):
        folder, script = program.rpartition("/")[0], (REPO / program).read_text()
        folders = ([] if folder == "tools" else [folder]) + re.findall(r"//([\w/]+):", script)
        patterns += [f"{f}/*{e}" for f in folders for e in (".cc", ".py", ".sh")]
    files = {file for pattern in patterns for file in REPO.glob(pattern) if file.is_file()}
    text = "".join(file.read_text(errors="ignore") for file in files)
    settings = {s.flag for s in all_settings().values()} if program == "mace_run" else set()
    return frozenset({*re.findall(r"--([A-Za-z][\w-]*)", text), *settings, "help"})


def is_script(program: str) -> bool:
    return program.endswith((".sh", ".py")) and (REPO / program).is_file()


@functools.cache
def command_flags() -> dict[str, frozenset[str]]:
    """The flags of each command of converter.py."""
    return {command: frozenset(option[2:] for option in parser.options)
            for command, parser in parsers()[1].items()}


def wrong_flags(code: Code) -> list[str]:
    """Of each command, the flags that its program does not have."""
    commands, found = command_flags(), []
    ours = frozenset[str]().union(*commands.values())
    for line in lines(code):
        program, known = "", None
        for word in re.split(r"[\s`'\"()|=]+", line.text):
            word = re.sub(r"^(//tools:|bazel-bin/tools/mace_\w+/|.*//test/memory:)", "", word)
            if word.endswith("converter.py"):
                program, known = "converter.py", ours
            elif program == "converter.py" and word in commands:
                known = commands[word]
            elif word == "bazel":
                program, known = word, BAZEL
            elif word in PROGRAMS or is_script(word):
                program, known = word, known_flags(word)
            for flag in FLAG.findall(word if word.startswith("--") else ""):
                if known is None:
                    if not any(flag in known_flags(p) for p in PROGRAMS) and (
                            flag not in ours | set(FOREIGN) | BAZEL):
                        found.append(f"{line.place}: no program has --{flag}")
                elif flag not in known | set(FOREIGN):
                    found.append(f"{line.place}: {program} has no --{flag}")
        if re.search(r"\bbazel (build|test|run|info)\b", line.text):
            named = set(re.findall(r"--config=([\w-]+)", line.text))
            found += [f"{line.place}: .bazelrc has no --config={name}"
                      for name in named - bazel_configs()]
    return found


def bazel_configs() -> set[str]:
    return set(re.findall(r"^\w+:(\w+) ", (REPO / ".bazelrc").read_text(), re.MULTILINE))


def wrong_commands(code: Code) -> list[str]:
    words = re.findall(r"converter\.py ([a-z_]+)\b", code.text)
    return [f"{code.place}: converter.py has no command {w}" for w in words
            if w not in command_flags()]


def linked() -> bool:
    """Whether Bazel makes bazel-bin in the checkout."""
    return not re.search(r"^build\s.*(convenience_symlinks=ignore|symlink_prefix=/)",
                         (REPO / ".bazelrc").read_text(), re.MULTILINE)


def there(path: str) -> bool:
    """`<x>`, `*` and words in capitals stand for anything, `{a,b}` for each of a few."""
    braces = re.search(r"{([^{}]*)}", path)
    if braces:
        return all(there(path.replace(braces[0], one, 1)) for one in braces[1].split(","))
    if path.startswith("bazel-"):
        built = re.fullmatch(r"bazel-bin/(.+)/([\w-]+)", path)
        return bool(linked() and built and target_is_there(*built.groups()))
    pattern = re.sub(r"<[^>]*>|\b[A-Z][A-Z_]+\b(?=/|$)", "*", path.strip("/"))
    return any(True for _ in REPO.glob(pattern)) or any(
        (REPO / pattern).with_suffix(e).is_file() for e in (".cc", ".h", ".py"))


def wrong_paths(code: Code) -> list[str]:
    example = MADE_UP.get(code.document, NOTHING)
    paths = [m.rstrip(".,:") for m in PATH.findall(code.text)]
    return [f"{code.place}: there is no {p}" for p in paths
            if not re.fullmatch(example, p) and not there(p)]


def target_is_there(package: str, name: str) -> bool:
    """By its name, by a source of that name, or as a test of a made-up or of every op."""
    folder = REPO / package
    if not (folder / "BUILD.bazel").is_file():
        return False
    build = (folder / "BUILD.bazel").read_text()
    return name in ("all", "*") or "<" in name or f'"{name}"' in build or any(
        re.sub(r"_gpu$", "", name) in (f.stem, f.relative_to(folder).with_suffix("").as_posix())
        for f in folder.rglob("*.cc"))


def wrong_labels(code: Code) -> list[str]:
    """Of Bazel's targets, in commands and alone."""
    found = []
    for package, name in LABEL.findall(code.text if code.language not in ("cpp", "java") else ""):
        if "://" in code.text or re.fullmatch(MADE_UP.get(code.document, NOTHING), name):
            continue
        folder = REPO / package.removesuffix("...").rstrip("/")
        good = folder.is_dir() if package.endswith("...") else target_is_there(
            package, name or package.rpartition("/")[2])
        if not good:
            found.append(f"{code.place}: there is no target //{package}:{name}")
    return found


def wrong_keys(code: Code) -> list[str]:
    """Of deployment files: in blocks, and in spans such as `runtime: cpu`."""
    if code.language == "yaml":
        keys = re.findall(r"^[\s-]*([A-Za-z_]\w*):", code.text, re.MULTILINE)
        keys += re.findall(r"[{,] *([a-z_]+):", code.text)
        tags = re.findall(r"^(?:models|devices):\n\s+(\w+):", code.text, re.MULTILINE)
        return [f"{code.place}: no deployment file has a key {k}" for k in keys
                if k not in KEYS | set(tags)]
    span = re.fullmatch(r"([a-z][a-z_0-9]*): [\w\[-].*", code.text)
    if code.language == "span" and span and span[1] not in KEYS:
        return [f"{code.place}: no deployment file has a key {span[1]}"]
    return []


CHECKS = [wrong_flags, wrong_commands, wrong_paths, wrong_labels, wrong_keys]


@pytest.mark.parametrize("check", CHECKS)
def test_everything_that_documents_name_is_there(check):
    assert [wrong for code in all_code() for wrong in check(code)] == []


@pytest.mark.parametrize("text, wrong", [
    ("`tools/converter.py run --config=x --rounds=3`", "converter.py has no --rounds"),
    ("`converter.py check --trace=x`", "converter.py has no --trace"),
    ("`tools/converter.py biuld --config=x`", "has no command biuld"),
    ("`mace_run --model_file=x --gpu_typ=y`", "mace_run has no --gpu_typ"),
    ("`--round=3` and `--frobnicate=3`", "no program has --frobnicate"),
    ("```sh\ntools/setup.sh --first=3\n```", "tools/setup.sh has no --first"),
    ("```\nbazel-bin/tools/mace_ran/mace_ran --help\n```", "no bazel-bin/tools/mace_ran"),
    ("`bazel build --config=aarch46 //tools:mace_run`", "no --config=aarch46"),
    ("`bazel test //mace/opps/...`", "no target //mace/opps/"),
    ("`bazel build //tools:mace_runn`", "no target //tools:mace_runn"),
    ("`mace/ops/no_such_op.cc`", "no mace/ops/no_such_op.cc"),
    ("`tools/{setup,tset}.sh`", "no tools/{setup,tset}.sh"),
    ("`runtme: cpu`", "key runtme"),
    ("```yaml\nmodels:\n  net:\n    platfrom: onnx\n```", "key platfrom"),
    ("```yaml\npreprocess: {meen: 1}\n```", "key meen"),
])
def test_what_is_not_there_is_found(tmp_path, text, wrong):
    (tmp_path / "page.md").write_text(f"Some text.\n\n{text}\n")
    found = [w for c in code_of(tmp_path / "page.md", tmp_path) for one in CHECKS for w in one(c)]
    assert any(wrong in f for f in found) and all(f.startswith("page.md:") for f in found), found
