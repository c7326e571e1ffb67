# SPDX-License-Identifier: Apache-2.0
"""The compiler flags of mace/, and the tests of a folder."""

MACE_COPTS = [
    "-fno-exceptions",
    "-fno-rtti",
    "-Wall",
    "-Wextra",
    "-Wshadow",
]

# Options of tests that a precompiled header must share. Tests need no -O2: what
# they test has the options that it ships with.
TEST_OPTIONS = ["-O1"]
TEST_COPTS = ["-Wall", "-Wextra", "-Wshadow"] + TEST_OPTIONS + [
    "-include",
    "$(BINDIR)/mace/testing/precompiled/gtest_pch.h",
]
TEST_DEPS = ["//mace/testing:gtest_pch", "@gtest//:gtest_main"]

# Of code that no app runs: half the time to compile.
QUICK_COPTS = ["-Wall", "-Wextra", "-Wshadow", "-O1"]

# What a library for apps can do without; mace/base/components.h says what
# follows. --define=diagnostics=false leaves one out.
COMPONENTS = ["diagnostics", "dynamic", "encryption", "interfaces", "language", "memory_tools"]

# Kernels that a library has where its models use them.
KERNELS = ["activations", "depthwise", "strassen", "winograd"]

def mace_test(name, srcs, deps, **kwargs):
    """A cc_test as all of them are compiled."""
    native.cc_test(
        name = name,
        srcs = srcs,
        copts = TEST_COPTS,
        deps = deps + TEST_DEPS,
        **kwargs
    )

def mace_tests(deps, data = [], size = "small", exclude = [], srcs = None, shared = []):
    """A test for each file; `shared` are sources that all of them need."""
    for src in srcs or native.glob(["*_test.cc"], exclude = exclude):
        mace_test(
            name = src[:-len(".cc")],
            size = size,
            srcs = [src] + shared,
            data = data,
            deps = deps,
        )

def mace_op_tests(exclude_gpu = []):
    """Tests that call CheckOp, compiled once: `softmax_test`, and `softmax_test_gpu` on the GPU."""
    for src in native.glob(["*_test.cc"]):
        name = src[:-len(".cc")]
        native.cc_library(
            name = name + "_cases",
            testonly = True,
            srcs = [src],
            copts = TEST_COPTS,
            linkstatic = True,
            tags = ["manual"],  # built where it is a dependency
            alwayslink = True,
            deps = ["//mace/testing:check_op", "//mace/testing:gtest_pch"],
        )
        for suffix, size, tags in [("", "small", [])] + (
            [] if src in exclude_gpu else [("_gpu", "medium", ["gpu"])]
        ):
            native.cc_test(
                name = name + suffix,
                size = size,
                tags = tags,
                deps = [":" + name + "_cases", "//mace/testing:testing" + suffix, "@gtest//:gtest_main"],
            )
