# SPDX-License-Identifier: Apache-2.0
"""The toolchains of @android_ndk: the NDK's Clang for each ABI.

Their names for --cpu are those of Debian's cross compilers, so that a select() on the CPU holds
for both. Bazel links mace_run; the library is linked by tools/mace_tools/package/library.
"""

load("@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl", "feature", "flag_group", "flag_set", "tool_path")
load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")

_COMPILE = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.preprocess_assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
]

_LINK = [
    ACTION_NAMES.cpp_link_executable,
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]

# Programs bring the C++ library with them, which phones do not have, and fit pages of 16 KB.
_LINK_FLAGS = ["--driver-mode=g++", "-static-libstdc++", "-Wl,--gc-sections", "-Wl,-z,max-page-size=16384"]

# The first version of Android that runs the library; tools/mace_tools/package/library/abis.py has it, too.
API = 21

# By the name for --cpu: what Clang compiles for. NEON with fused products is in all but the oldest
# 32-bit CPUs (Cortex-A8, A9), as the library needs on Linux, too.
CPUS = {
    "aarch64": ["--target=aarch64-linux-android%d" % API],
    "armv7": ["--target=armv7a-linux-androideabi%d" % API, "-mfpu=neon-vfpv4"],
    "x86_64": ["--target=x86_64-linux-android%d" % API],
}

def _config_impl(ctx):
    llvm = ctx.attr.llvm
    flags = CPUS[ctx.attr.cpu] + ["-Wall", "-no-canonical-prefixes"]
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = "ndk-" + ctx.attr.cpu,
        host_system_name = "local",
        target_system_name = CPUS[ctx.attr.cpu][0][len("--target="):],
        target_cpu = ctx.attr.cpu,
        target_libc = "bionic",
        compiler = "clang",
        abi_version = "clang",
        abi_libc_version = "android%d" % API,
        # Clang's own headers are below lib or lib64, those of Android below sysroot.
        cxx_builtin_include_directories = [llvm],
        tool_paths = [
            tool_path(name = name, path = llvm + "/bin/" + program)
            for name, program in [
                # It compiles C and C++ by the names of the files; _LINK_FLAGS make it link C++.
                ("gcc", "clang"),
                ("cpp", "clang"),
                ("ld", "ld.lld"),
                ("ar", "llvm-ar"),
                ("nm", "llvm-nm"),
                ("objcopy", "llvm-objcopy"),
                ("objdump", "llvm-objdump"),
                ("strip", "llvm-strip"),
                ("gcov", "llvm-cov"),
                ("dwp", "llvm-dwp"),
            ]
        ],
        features = [
            feature(name = "supports_pic", enabled = True),
            feature(name = "opt"),
            feature(name = "dbg"),
            feature(name = "fastbuild"),
            feature(
                name = "default_compile_flags",
                enabled = True,
                flag_sets = [flag_set(
                    actions = _COMPILE,
                    flag_groups = [flag_group(flags = flags)],
                )],
            ),
            feature(
                name = "default_link_flags",
                enabled = True,
                flag_sets = [flag_set(
                    actions = _LINK,
                    flag_groups = [flag_group(flags = CPUS[ctx.attr.cpu] + _LINK_FLAGS)],
                )],
            ),
        ],
    )

_config = rule(
    implementation = _config_impl,
    attrs = {
        "cpu": attr.string(mandatory = True),
        "llvm": attr.string(mandatory = True),
    },
    provides = [CcToolchainConfigInfo],
)

def ndk_toolchains(llvm):
    """A cc_toolchain for each CPU, and the suite of them; `llvm` is where the NDK has bin/."""
    native.filegroup(name = "empty")
    for cpu in CPUS:
        _config(name = cpu + "_config", cpu = cpu, llvm = llvm)
        native.cc_toolchain(
            name = cpu + "_toolchain",
            all_files = ":empty",
            ar_files = ":empty",
            as_files = ":empty",
            compiler_files = ":empty",
            dwp_files = ":empty",
            linker_files = ":empty",
            objcopy_files = ":empty",
            strip_files = ":empty",
            supports_param_files = 1,
            toolchain_config = ":" + cpu + "_config",
            toolchain_identifier = "ndk-" + cpu,
        )
    native.cc_toolchain_suite(
        name = "suite",
        toolchains = {cpu: ":" + cpu + "_toolchain" for cpu in CPUS},
        visibility = ["//visibility:public"],
    )
