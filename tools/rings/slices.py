"""The table of deep suites: their slices, and the files on which the result of each depends.

SPDX-License-Identifier: Apache-2.0

A change of a slice's steps or inputs makes its recorded result stale, as a change of a file does.
"""

from rings.steps import Bazel, Pytest, Script, Slice
from rings.suites import EVERYTHING, gpu, pocl

ABOUT = {
    "asan": "C++ unit tests under AddressSanitizer and UndefinedBehaviorSanitizer",
    "tsan": "the thread pool and the engine under ThreadSanitizer",
    "aarch64": "C++ unit tests cross-compiled for 64-bit Arm, under qemu",
    "armv7": "C++ unit tests cross-compiled for 32-bit Arm, under qemu",
    "pocl": "what gpu runs, on the full grid of shapes",
    "rusticl": "the same by Mesa's rusticl, whose images have other pitches",
    "oclgrind": "the same without the largest cases, watched for data races and wrong calls",
    "library": "outside projects that link the library, for both Arms and Android, too",
    "models": "whole models and importers, compared with what the frameworks compute now",
    "budgets": "instructions of kernels and networks, here and on Arm, against their budgets",
    "mutations": "mutated models, as asan is built, on CPU, GPU and DSP, and with 32 bits",
    "fuzz": "all that reads untrusted models, under libFuzzer for 10 minutes",
    "robustness": "mutated files of 29 formats for 5 minutes; 10,000 engines, and changing shapes",
    "mutants": "mutants of mace/plan and mace/memory that the unit tests must catch",
    "hermetic": "mace_run from declared inputs only, each file compiled alone",
    "units": "files refer to the same symbols alone and in a translation unit with others",
    "amx": "int8 micro-kernels for AMX on an emulated CPU",
    "docker": "docker/Dockerfile and docs/install.md in two releases; needs root and the network",
}

# Pages are no inputs of a build, nor are the suites' own table and results.
_NOT = ("!*.md", "!third_party/notices.txt")
_BUILD = ("WORKSPACE", ".bazelrc", "BUILD.bazel", "mace/BUILD.bazel", "mace/*.bzl", "third_party/",
          "tools/requirements/debian_*.txt", *_NOT)
_LOW = ("base", "device", "graph", "image", "memory", "model", "proto", "sealed")
_OPS = ("base", "cpu", "device", "graph", "opencl", "ops", "public", "testing")


def _mace(*folders: str) -> tuple[str, ...]:
    return tuple(f"mace/{name}/" for name in folders)


# From the first mutants on, besides what a user's own campaign has tried.
_CAMPAIGN = ("tools/robustness.sh", "--restart", "--out=build/robustness_deep")

_LOW_INPUTS = (*_mace(*_LOW, "public", "testing"), *_BUILD)
_OPS_INPUTS = (*_mace(*_OPS), *_BUILD)
_ENGINE_INPUTS = ("mace/", "!mace/java/", "!mace/python/", *_BUILD)
_PROGRAMS = ("tools/BUILD.bazel", "tools/cli/", "tools/mace_run/", "tools/mace_plan/")
_ALL_INPUTS = (*_ENGINE_INPUTS, *_PROGRAMS, "test/*.cc", "test/*.h", "test/*BUILD.bazel",
               "test/fuzz/")
_PYTHON_INPUTS = ("mace/", "models/", "tools/", "conftest.py", "pyproject.toml", "!*_test.cc",
                  "!tools/lint/", "!tools/rings/", "!tools/test.sh", "!mace/java/test/", *_BUILD)
_PACKAGE_INPUTS = (*_PYTHON_INPUTS, "!tools/*_test.py")
_PARTS = {  # of all C++ tests; `rest` has those of new folders, too
    "low": (tuple(f"//mace/{name}/..." for name in _LOW), _LOW_INPUTS),
    "cpu": (("//mace/cpu/...",), _OPS_INPUTS),
    "ops": (("//mace/ops/...",), _OPS_INPUTS),
    "runtime": (("//mace/plan/...", "//mace/runtime/...", "//mace/capi/..."), _ENGINE_INPUTS),
}
# The ops whose cases take longest in an interpreter of OpenCL.
_HEAVY_ON_GPU = tuple(f"//mace/ops:{name}_test_gpu" for name in (
    "attention", "conv2d", "deconv2d", "depthwise_conv2d", "fully_connected", "mat_mul",
    "stored_weights"))


def _without(targets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"-{target}" for target in targets)


def parts() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Part of the C++ tests -> its target patterns and its inputs."""
    named = tuple(t for targets, _ in _PARTS.values() for t in targets)
    return {**_PARTS, "rest": ((*EVERYTHING, *_without(named)), _ALL_INPUTS)}


def _cpp(suite: str, tags: str, *flags: str) -> list[Slice]:
    """A suite of all C++ tests, by folders."""
    return [Slice(suite, part, (Bazel(targets, tags, (f"--config={suite}", *flags)),), inputs)
            for part, (targets, inputs) in parts().items()]


def _tsan(name: str, inputs: tuple[str, ...]) -> Slice:
    return Slice("tsan", name, (Bazel((f"//mace/{name}:all",), "-gpu", ("--config=tsan",)),),
                 inputs)


def _gpu() -> list[Slice]:
    rest = ("//mace/...", "-//mace/ops/...")
    heavy = ("//mace/ops/...", *_without(_HEAVY_ON_GPU))
    folders = {"ops": (("//mace/ops/...",), _OPS_INPUTS), "rest": (rest, _ENGINE_INPUTS)}
    oclgrind = {"ops": heavy, "convolutions": _HEAVY_ON_GPU}
    return [
        *[Slice("pocl", name, (pocl("deep", targets),), inputs)
          for name, (targets, inputs) in folders.items()],
        *[Slice("rusticl", name, (gpu("/etc/OpenCL/vendors/rusticl.icd", "full", targets,
                                      flags=("--test_env=RUSTICL_ENABLE=llvmpipe",)),), inputs)
          for name, (targets, inputs) in folders.items()],
        *[Slice("oclgrind", name, (gpu(
            "/usr/lib/oclgrind/liboclgrind-rt-icd.so", "full", targets, "gpu,-no_oclgrind",
            ("--run_under=//tools:under_oclgrind",), is_optional=True),),
            (*_OPS_INPUTS, "tools/under_oclgrind.sh"))
          for name, targets in oclgrind.items()],
    ]


def _library() -> list[Slice]:
    """By file; `host` has those that no other slice names, so new ones, too."""
    folder = "test/library"
    files = {
        "arm": ("arm_test.py",), "android": ("android_example_test.py", "ndk_test.py"),
        "components": ("components_test.py",), "devices": ("devices_test.py",),
        "dsp": ("dsp_test.py",),
        "sizes": ("sizes_test.py",), "source": ("source_test.py",),
        "java": ("java_test.py", "aar_test.py"), "python_arm": ("python_arm_test.py",),
        "python": ("python_test.py", "python_app_parts_test.py", "python_memory_test.py",
                   "python_mistakes_test.py", "python_sealed_test.py", "python_wheel_test.py"),
    }
    chosen = {name: tuple(f"{folder}/{file}" for file in names) for name, names in files.items()}
    chosen["host"] = (folder, *[f"--ignore={f}" for names in chosen.values() for f in names])
    chosen["pip"] = ("tools/build_backend_test.py",)
    inputs = {"java": tuple(p for p in _PACKAGE_INPUTS if p != "!mace/java/test/")}
    return [Slice("library", name, (Pytest(arguments, environment=("MACE_TEST_LIBRARY=all",)),),
                  ("test/library/", *inputs.get(name, _PACKAGE_INPUTS))) for name, arguments in
            chosen.items()]


def _python() -> list[Slice]:
    """Golden tests in whole: this ring computes anew what the others read from a cache."""
    path = "test/golden"
    quantized = tuple(f"{path}/{name}_test.py" for name in (
        "quantize_answers", "quantize_agreement", "quantized_models", "quantized_ops",
        "quantized_gpu", "onnx_quantized", "onnx_quantized_layers", "tf_quantized"))
    inputs = ("test/golden/", *_PACKAGE_INPUTS)
    return [
        Slice("models", "golden", (Pytest((path, *map("--ignore={}".format, quantized))),), inputs),
        Slice("models", "quantized", (Pytest(quantized),), inputs),
        Slice("models", "importers", (Pytest(("tools/mace_tools/convert/importers",)),),
              _PYTHON_INPUTS),
        Slice("budgets", "host", (Pytest(("test/instructions",)),),
              ("test/instructions/", *_PACKAGE_INPUTS)),
        Slice("budgets", "arm", (Pytest(("test/arm",)),),
              ("test/arm/", "test/instructions/", "test/peers/", *_PACKAGE_INPUTS)),
    ]


def _scripts() -> list[Slice]:
    campaign = (*_ALL_INPUTS, "tools/robustness.sh", "!*_test.cc", "test/robustness/")
    mutants = ("mace/", "!mace/examples/", "!mace/java/", "!mace/python/", "test/mutants/", *_BUILD)
    return [
        Slice("mutations", "asan", tuple(
            Script((*_CAMPAIGN, "0", "models", f"--{on}", f"--count={count}")) for on, count in (
                ("device=CPU", 2000), ("device=GPU", 500), ("device=DSP", 1000),
                ("abi=armhf", 2000), ("abi=i686", 2000))),
              (*campaign, "test/golden/", "tools/mace_tools/")),
        Slice("fuzz", "load", (Script((*_CAMPAIGN, "10", "bytes")),), campaign),
        Slice("robustness", "files", tuple(Script((*_CAMPAIGN, *words, "--no_models")) for words in
                                           (("5",), ("1", "--abi=armhf"), ("1", "--abi=i686"))),
              (*campaign, "tools/mace_tools/", "models/digits/")),
        Slice("robustness", "soak", (Script((*_CAMPAIGN, "1", "soak")),), campaign),
        *[Slice("mutants", name, (Script(("test/mutants/run.sh", f"mace/{name}", "--sample=100",
                                          "--at-least=80")),), mutants)
          for name in ("plan", "memory")],
        # The test runs mace_run. Results of other builds would hide what is missing.
        Slice("hermetic", "mace_run", (Bazel(
            ("//test/memory:peak_memory_test",), "",
            ("--config=hermetic", "--disk_cache=")),), _ALL_INPUTS),
        Slice("units", "mace_run", (Pytest(("test/units",)),), (*_ALL_INPUTS, "test/units/")),
        Slice("amx", "int8", (Script(("test/amx/run.sh",)),), ("test/amx/", *_OPS_INPUTS)),
        *[Slice("docker", name, (Pytest((f"test/docker/{file}_test.py", "-k", cases),
                                        environment=("MACE_TEST_DOCKER=all",)),),
                ("docker/", "test/docker/", *_PACKAGE_INPUTS, *pages))
          for name, file, cases, pages in (
              ("debian12", "dockerfile", "not 13", ()),
              ("debian13", "dockerfile", "another_user and 13", ()),
              ("release12", "release", "12 or package", ("docs/install.md",)),
              ("release13", "release", "13 and image", ("docs/install.md",)),
              ("release_bytes", "release", "bytes", ()))],
    ]


SLICES: tuple[Slice, ...] = (
    *_cpp("asan", "-no_asan,-gpu"),
    _tsan("base", _LOW_INPUTS),
    _tsan("runtime", _ENGINE_INPUTS),
    *_cpp("aarch64", "-no_qemu,-gpu"),
    *_cpp("armv7", "-no_qemu,-gpu"),
    *_gpu(),
    *_library(),
    *_python(),
    *_scripts(),
)
