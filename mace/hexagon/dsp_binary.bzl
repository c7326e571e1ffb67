# SPDX-License-Identifier: Apache-2.0
"""dsp_binary: a program for the Hexagon DSP, by Debian's clang-19 and lld-19, without any library."""

_TARGET = ["--target=hexagon-unknown-linux-musl", "-mcpu=hexagonv66"]
_FLAGS = _TARGET + [
    "-mhvx=v66",
    "-mhvx-length=128b",
    "-O2",
    "-std=c++17",
    "-ffreestanding",
    "-nostdlibinc",
    "-fno-builtin",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-stack-protector",
    "-ffp-contract=off",
    "-ffunction-sections",
    "-fdata-sections",
    "-G0",
    "-Wall",
    "-Wextra",
    "-I.",
]

def _compile(ctx, src, headers):
    out = ctx.actions.declare_file("{}.objs/{}.o".format(ctx.label.name, src.short_path.replace("/", "_")))
    is_assembly = src.extension == "S"
    ctx.actions.run(
        executable = "/usr/bin/clang-19" if is_assembly else "/usr/bin/clang++-19",
        arguments = (_TARGET if is_assembly else _FLAGS) + ["-c", src.path, "-o", out.path],
        inputs = [src] + headers,
        outputs = [out],
        mnemonic = "DspCompile",
    )
    return out

def _dsp_binary_impl(ctx):
    objects = [_compile(ctx, src, ctx.files.hdrs) for src in ctx.files.srcs]
    linked = ctx.actions.declare_file(ctx.label.name + ".elf")
    ctx.actions.run(
        executable = "/usr/bin/ld.lld-19",
        arguments = ["-static", "--gc-sections", "-e", "_start", "-o", linked.path] + [o.path for o in objects],
        inputs = objects,
        outputs = [linked],
        mnemonic = "DspLink",
    )
    return [DefaultInfo(files = depset([linked]), runfiles = ctx.runfiles([linked]))]

dsp_binary = rule(
    implementation = _dsp_binary_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cc", ".S"]),
        "hdrs": attr.label_list(allow_files = [".h"]),
    },
)
