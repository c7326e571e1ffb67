"""Who may include whom: the folders of mace/ and their arrows, which only go down.

SPDX-License-Identifier: Apache-2.0
"""

import re
from pathlib import Path

from lint.tree import bare_code, files, is_test

# Folder -> what it may include besides itself, public/ and base/.
LAYERS: dict[str, set[str]] = {
    "public": set(),
    "base": set(),
    "proto": set(),
    "graph": set(),
    "image": set(),  # images to tensors, beside the engine
    "memory": set(),  # a planner sees numbers, not tensors
    "model": {"proto", "graph"},
    "ops": {"graph"},
    "device": {"graph"},
    "cpu": {"device", "graph", "ops"},
    "opencl": {"device", "graph", "ops"},
    "hexagon": {"device", "graph", "memory", "ops"},
    "plan": {"graph", "ops", "memory", "device"},
    "sealed": set(),  # encrypted files to bytes
    "text": set(),  # text to tokens of language models
    "runtime": {"plan", "memory", "model", "device", "graph", "sealed"},
    "generation": {"text"},  # text from language models, over public/
    "capi": set(),  # the C API, over the C++ one of public/
    "java": set(),  # JNI over the C API
}
# Headers of the standard library only, of C++ or, for the C API, of C.
STANDARD_ONLY = {"public"}
C_STANDARD = {"stdbool.h", "stddef.h", "stdint.h", "string.h"}
# No project header at all, not even of public/ and base/.
CLOSED = {"public"}
# Folders that see what an app sees: public/, and not base/.
LIKE_APPS = {"capi", "examples", "java"}
# Folders that are not layers: an example includes what an app can, a test helper anything.
EXTRA: dict[str, set[str]] = {
    "examples": {"public"},
    "testing": set(LAYERS),
}
# The subfolders of a folder of mace/, and which of their neighbours each may include; "." is the
# folder itself. What is outside includes only what ENTRANCES names. Tests include any of them.
SUBFOLDERS: dict[str, dict[str, set[str]]] = {
    "memory": {
        "problem": set(),
        "offsets": {"problem"},
        "objects": {"problem"},
        ".": {"problem", "offsets", "objects"},
    },
    "cpu": {
        "simd": set(),
        "ukernels": {"simd"},
        "self_test": {"simd", "ukernels"},
        "common": {"self_test", "ukernels"},
        "reference": {"common"},
        "copy": {"common", "simd"},
        "quantized": {"common", "simd", "ukernels"},
        "gemm": {"common", "quantized", "reference", "simd", "ukernels"},
        "attention": {"common", "reference", "ukernels"},
        "depthwise": {"common", "gemm", "reference", "ukernels"},
        "pooling": {"common", "quantized", "reference", "ukernels"},
        "winograd": {"common", "gemm", "reference", "ukernels"},
        "conv": {"common", "depthwise", "gemm", "quantized", "reference", "ukernels", "winograd"},
        "recurrent": {"common", "conv", "gemm", "reference", "ukernels"},
        "ops": {"attention", "common", "conv", "copy", "depthwise", "gemm", "pooling", "quantized",
                "recurrent", "reference", "ukernels", "winograd"},
        "fused": {"common", "conv", "depthwise", "gemm", "pooling", "quantized", "reference"},
        "chains": {"fused"},
        "tuning": {"common", "conv", "fused", "gemm", "winograd"},
        ".": {"common", "fused", "tuning"},
    },
    "opencl": {
        "driver": set(),
        "launch": {"driver"},
        "kernels": {"launch"},
        "ops": {"kernels"},
        ".": {"driver", "launch", "kernels"},
    },
    "plan": {
        "types": set(),  # what stages, passes and memory hand on
        "min_cut": set(),
        "passes": {"min_cut", "types"},
        "stages": {"min_cut", "passes", "types"},
        "memory": {"stages", "types"},
        "dump": {"memory", "types"},
        ".": {"memory", "passes", "stages", "types"},
    },
    "runtime": {
        "settings": set(),  # what an app chooses
        "devices": {"settings"},
        "model": {"settings"},
        "async": set(),  # over the C++ API
        "executor": set(),
        "memory": {"executor", "settings"},
        "io": {"model"},  # the caller's tensors, and states
        "report": {"model"},
        "planning": {"devices", "executor", "io", "memory", "model", "report", "settings"},
        "control_flow": {"executor", "io", "memory", "model", "planning", "report"},
        ".": {"control_flow", "devices", "executor", "io", "memory", "model", "planning", "report",
              "settings"},  # the engine
    },
    "hexagon": {
        "common": set(),  # what both executors share
        "protocol": set(),  # what both sides of a DSP must agree on
        "packing": {"protocol"},
        "session": {"packing", "protocol"},
        "device": {"common", "packing", "protocol", "session"},
        "dsp_program": {"packing", "protocol", "session"},  # no library contains it
        "nnlib": {"common"},  # the vendor's executor in place of these
    },
    "hexagon/dsp_program": {
        "hvx": set(),  # micro-kernels for the DSP's vectors
        "executor": {"hvx"},  # for the DSP, and its checks for the host
        "main": {"executor"},
        "emulator": set(),  # of the host
        "emulated": {"emulator", "executor", "main"},
    },
}
ENTRANCES: dict[str, set[str]] = {"memory": {".", "problem"}, "cpu": {"."}, "opencl": {"."},
                                  "runtime": {"."},
                                  "plan": {".", "dump", "memory", "passes", "stages", "types"},
                                  "hexagon": {"device", "dsp_program", "nnlib"},
                                  "hexagon/dsp_program": {"emulator"}}
# The one file that names the concrete devices.
DEVICES_FILE = Path("mace/runtime/devices/devices.cc")
DEVICES = {"cpu", "opencl", "hexagon"}
# Micro-kernels take pointers and strides; they know the vector type and their own family.
UKERNELS = Path("mace/cpu/ukernels")
UKERNEL_HEADERS = {"cstddef", "cstdint", "mace/cpu/simd/simd.h", "mace/cpu/simd/f16.h",
                   "mace/cpu/simd/element.h", "mace/cpu/simd/int8.h",
                   "mace/cpu/simd/fixed_point_avx512.h",
                   "mace/cpu/simd/fp16_bits.h"}
UKERNEL_SYSTEM = re.compile(r"(arm_\w+|\w*intrin)\.h$")
# Third-party header -> the folders that may see it.
THIRD_PARTY: dict[str, set[str]] = {
    "google/protobuf/": {"testing"},
    "xxhash.h": {"base"},
    "mbedtls/": {"sealed", "testing"},
    "CL/": {"opencl"},
    "gtest/": {"testing"},
    "gmock/": {"testing"},
    "benchmark/": {"testing"},
    "CLI/": set(),
    "nlohmann/": {"testing"},
    "yaml-cpp/": set(),
    "Eigen/": {"testing"},
}
# What protoc makes of mace.proto needs protobuf, which apps do not link; tools and tests do.
PROTOBUF_CLASSES = re.compile(r"mace/proto/\w+\.pb\.h$")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
_FEATURE = re.compile(
    r"^[ \t]*#[ \t]*(?:el)?if\w*\b.*\bMACE_(?:ENABLE|WITH|USE|HAVE)_\w+", re.MULTILINE)


def violations(root: Path) -> list[str]:
    """One line for each include under mace/ that the table does not allow."""
    found: list[str] = []
    for path in files(root, ".h", ".cc", ".c", ".cl"):
        if path.parts[0] == "mace" and len(path.parts) > 2:
            found += _file_violations(root, path)
    return found


def _file_violations(root: Path, path: Path) -> list[str]:
    text = (root / path).read_text()
    found = []
    for match in _INCLUDE.finditer(text):
        reason = _refusal(path, match[2], quoted=match[1] == '"')
        if reason:
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path}:{line}: includes {match[2]}: {reason}")
    if path != DEVICES_FILE and not is_test(path):
        for match in _FEATURE.finditer(bare_code(text)):
            line = bare_code(text).count("\n", 0, match.start()) + 1
            found.append(f"{path}:{line}: feature switches stand in {DEVICES_FILE} only")
    return found


def _refusal(path: Path, header: str, quoted: bool) -> str:
    """Why `path` may not include `header`, or ''."""
    folder, test = path.parts[1], is_test(path)
    if folder not in LAYERS and folder not in EXTRA:
        return f"mace/{folder} is not in the table of tools/lint/layers.py"
    if quoted and "/" not in header:
        return "name the header by its path from the root"
    if path.is_relative_to(UKERNELS) and not test:
        return _ukernel_refusal(path, header)
    if PROTOBUF_CLASSES.match(header) and not test and folder != "testing":
        return "the library reads models by mace/proto/messages.h"
    if header.startswith("mace/"):
        return (_project_refusal(path, Path(header).parts[1], test)
                or ("" if test else _subfolder_refusals(path, Path(header))))
    for prefix, allowed in THIRD_PARTY.items():
        if header.startswith(prefix) and not (folder in allowed or test and "testing" in allowed):
            return f"mace/{folder} does not use {prefix}"
    of_c = path.name.startswith("mace_c") and header in C_STANDARD
    if (folder in STANDARD_ONLY and not test and not of_c
            and ("/" in header or header.endswith(".h"))):
        return f"mace/{folder} includes the standard library only"
    return ""


def _project_refusal(path: Path, target: str, test: bool) -> str:
    folder = path.parts[1]
    if path == DEVICES_FILE and target in DEVICES:
        return ""
    allowed = {folder} | (LAYERS | EXTRA)[folder]
    if folder not in CLOSED:
        allowed |= {"public"} if folder in LIKE_APPS else {"public", "base"}
    if test:
        allowed |= {"testing"}
    if target in allowed:
        return ""
    return f"mace/{folder} may include {', '.join(sorted(allowed))}, not {target}"


def _subfolder_refusals(path: Path, header: Path) -> str:
    """Why `path` may not include a header of those subfolders, at any depth, or ''."""
    for depth in range(2, len(header.parts)):
        folder = header.parts[1:depth]
        if "/".join(folder) not in SUBFOLDERS:
            continue
        if reason := _subfolder_refusal(path, header, folder):
            return reason
    return ""


def _subfolder_refusal(path: Path, header: Path, folder: tuple[str, ...]) -> str:
    """Why `path` may not include a header of that subfolder of mace/, or ''."""
    if path.parts[1] == "testing":
        return ""
    name = "/".join(folder)
    subfolders = SUBFOLDERS[name]
    target = _subfolder_of(header, folder)
    if path.parts[1:1 + len(folder)] != folder:
        entrances = ENTRANCES[name]
        return "" if target in entrances else (
            f"from outside, mace/{name} is entered by {', '.join(sorted(entrances))}, "
            f"not {target}")
    own = _subfolder_of(path, folder)
    if "testing" in (own, target) or own not in subfolders:
        return "" if own == "testing" else f"mace/{name}/{own} is not in SUBFOLDERS of layers.py"
    if target in subfolders[own] | {own}:
        return ""
    allowed = ", ".join(sorted(subfolders[own])) or "no other one"
    return f"mace/{name}/{own} may include {allowed}, not {target}"


def _subfolder_of(path: Path, folder: tuple[str, ...]) -> str:
    at = 1 + len(folder)
    return path.parts[at] if len(path.parts) > at + 1 else "."


# What tables of micro-kernels include besides.
_OF_TABLES = ("mace/base/cpu_features.h", "mace/base/cpu_rows.h")


def _ukernel_refusal(path: Path, header: str) -> str:
    family = path.parent.as_posix() + "/"
    if header in UKERNEL_HEADERS or header.startswith(family) or UKERNEL_SYSTEM.search(header):
        return ""
    # What says which CPU a row needs; no micro-kernel includes it.
    if path.stem.endswith("_table") and header in _OF_TABLES:
        return ""
    return ("a micro-kernel sees <cstddef>, <cstdint>, mace/cpu/simd/{simd,f16,element,int8,"
            "fixed_point_avx512,fp16_bits}.h and its own family")
