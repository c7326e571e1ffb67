# SPDX-License-Identifier: Apache-2.0
"""A folder of mace/memory as a library."""

load("//mace:build_defs.bzl", "MACE_COPTS")
load("//mace:levels.bzl", "LEVELS")
load("//mace:unity.bzl", "component_unity", "unity")

def memory_folder(name, deps, visibility = ["//mace/memory:__subpackages__"], copts = [], testonly = False, memory_tools = []):
    """The cc_library of a folder. `memory_tools`: files of that component, for which
    absent_memory_tools.cc stands in builds without it."""
    srcs = unity(name + "_unit", native.glob(
        ["*.cc"],
        exclude = ["*_test.cc", "*_bench.cc", "absent_*.cc"] + memory_tools,
    ))
    if memory_tools:
        srcs = srcs + component_unity(name + "_tools", "memory_tools", memory_tools, ["absent_memory_tools.cc"])
    native.cc_library(
        name = name,
        testonly = testonly,
        srcs = srcs,
        hdrs = native.glob(["*.h"]),
        # The search lives on loops that only -O3 turns into vector code.
        copts = MACE_COPTS + ["-O3"] + copts + LEVELS["small"],
        visibility = visibility,
        deps = deps,
    )
