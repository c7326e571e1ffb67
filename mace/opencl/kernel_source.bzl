# SPDX-License-Identifier: Apache-2.0
"""kernel_source: the text of .cl files as a C++ table, sorted by name.

Comment lines and indentation stay behind; line numbers stay as they are.
"""

def _kernel_source_impl(ctx):
    names = {f.basename: f for f in ctx.files.srcs}
    files = [names[name] for name in sorted(names)]
    parts = ["echo '// Written by //mace/opencl:kernel_source.bzl; do not edit.'"]
    parts.append("echo '#include \"mace/opencl/driver/kernel_source.h\"'")
    parts.append("echo 'namespace mace::opencl {'")
    parts.append("echo 'const KernelSource kKernelSources[] = {'")
    for f in files:
        parts.append("echo '{\"%s\", R\"__cl__('" % f.basename[:-len(".cl")])
        parts.append("sed -e 's:^[[:space:]]*//.*$::' -e 's:^[[:space:]]*::' '%s'" % f.path)
        parts.append("echo ')__cl__\"},'")
    parts.append("echo '};'")
    parts.append("echo 'const int kNumKernelSources = %d;'" % len(files))
    parts.append("echo '}  // namespace mace::opencl'")
    ctx.actions.run_shell(
        inputs = files,
        outputs = [ctx.outputs.out],
        command = "set -e; {\n" + "\n".join(parts) + "\n} > '%s'" % ctx.outputs.out.path,
        mnemonic = "KernelSource",
    )

kernel_source = rule(
    implementation = _kernel_source_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cl"]),
        "out": attr.output(mandatory = True),
    },
)
