# SPDX-License-Identifier: Apache-2.0
"""A folder of mace/memory as a library."""

load("//mace:build_defs.bzl", "MACE_COPTS")
load("//mace:levels.bzl", "LEVELS")
load("//mace:unity.bzl", "unity")

def memory_folder(name, deps, visibility = ["//mace/memory:__subpackages__"], copts = [], testonly = False):
    native.cc_library(
        name = name,
        testonly = testonly,
        srcs = unity(name + "_unit", native.glob(["*.cc"], exclude = ["*_test.cc", "*_bench.cc"])),
        hdrs = native.glob(["*.h"]),
        # The search lives on loops that only -O3 turns into vector code.
        copts = MACE_COPTS + ["-O3"] + copts + LEVELS["small"],
        visibility = visibility,
        deps = deps,
    )
