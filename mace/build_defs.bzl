# SPDX-License-Identifier: Apache-2.0
"""The compiler flags of mace/, and one test per *_test.cc of a folder."""

MACE_COPTS = [
    "-fno-exceptions",
    "-fno-rtti",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Werror",
]

# What a library for apps can do without; mace/base/parts.h says what follows.
# --define=pictures=false leaves one out.
PARTS = ["activations", "arena", "c_api", "capability", "check_numerics", "control_flow", "custom_ops", "depthwise", "dumps", "l2_pooling", "memory_plans", "memory_usage", "open_shapes", "packed_weights", "pictures", "profile", "sealed", "search", "states", "storage", "strassen", "strategies", "tuning", "winograd"]

def part_copts(*parts):
    """The flags by which sources know which of `parts` they have."""
    flags = []
    for part in parts:
        flags = flags + select({
            "//mace:without_" + part: ["-DMACE_WITHOUT_" + part.upper()],
            "//conditions:default": [],
        })
    return flags

def mace_tests(deps, data = [], size = "small", exclude = [], srcs = None, shared = []):
    """A cc_test for each file; `shared` are sources that all of them need."""
    for src in srcs or native.glob(["*_test.cc"], exclude = exclude):
        native.cc_test(
            name = src[:-len(".cc")],
            size = size,
            srcs = [src] + shared,
            copts = ["-Wall", "-Wextra", "-Wshadow", "-Werror"],
            data = data,
            deps = deps + ["@gtest//:gtest_main"],
        )

def mace_gpu_tests(deps, exclude = []):
    """The same tests with CheckOp on the GPU: `softmax_test_gpu` of softmax_test.cc."""
    for src in native.glob(["*_test.cc"], exclude = exclude):
        native.cc_test(
            name = src[:-len(".cc")] + "_gpu",
            size = "medium",
            srcs = [src],
            copts = ["-Wall", "-Wextra", "-Wshadow", "-Werror"],
            tags = ["gpu"],
            deps = deps + ["@gtest//:gtest_main"],
        )
