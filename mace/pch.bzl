# SPDX-License-Identifier: Apache-2.0
"""precompiled_header: a header and its compiled form, which GCC takes where it fits.

A compiled header fits only files that are compiled with the same options. Where it does not, the
compiler reads the header itself, so that what is compiled never differs.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    header = ctx.outputs.header
    ctx.actions.symlink(output = header, target_file = ctx.file.src)
    compiler = cc_common.get_tool_for_action(
        feature_configuration = features,
        action_name = ACTION_NAMES.cpp_compile,
    )
    context = cc_common.merge_cc_infos(cc_infos = [d[CcInfo] for d in ctx.attr.deps]).compilation_context

    # Clang writes the absolute paths of the headers into it: taken from the disk
    # cache, it would name the files of another checkout.
    if "clang" in compiler:
        return _provided([header], context)
    compiled = ctx.actions.declare_file(header.basename + ".gch", sibling = header)
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
        source_file = header.path,
        output_file = compiled.path,
        use_pic = ctx.fragments.cpp.force_pic if hasattr(ctx.fragments.cpp, "force_pic") else True,
        quote_include_directories = context.quote_includes,
        include_directories = context.includes,
        system_include_directories = context.system_includes,
        preprocessor_defines = context.defines,
    )
    flags = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = ACTION_NAMES.cpp_compile,
        variables = variables,
    )

    # The language stands before the file, which the flags name last.
    ctx.actions.run(
        executable = compiler,
        arguments = ["-x", "c++-header"] + flags,
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
        inputs = depset([header], transitive = [context.headers, toolchain.all_files]),
        outputs = [compiled],
        mnemonic = "CppHeader",
        progress_message = "Compiling " + header.short_path,
    )
    return _provided([header, compiled], context)

def _provided(files, context):
    return [CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset(files, transitive = [context.headers]),
    )), DefaultInfo(files = depset(files))]

precompiled_header = rule(
    implementation = _impl,
    attrs = {
        "src": attr.label(allow_single_file = [".h"], mandatory = True),
        "header": attr.output(mandatory = True, doc = "the name that -include gets, below $(BINDIR)"),
        "copts": attr.string_list(doc = "of the files that include it"),
        "deps": attr.label_list(providers = [CcInfo]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    incompatible_use_toolchain_transition = True,
)
