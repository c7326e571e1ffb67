# SPDX-License-Identifier: Apache-2.0
"""library_archives: the static libraries of which converter.py build makes what apps link."""

def _library_archives_impl(ctx):
    linking = ctx.attr.engine[CcInfo].linking_context
    archives = []
    for linker_input in linking.linker_inputs.to_list():
        for library in linker_input.libraries:
            archive = library.pic_static_library or library.static_library
            if archive and archive not in archives:
                archives.append(archive)
    ctx.actions.write(ctx.outputs.list, "".join([a.path + "\n" for a in archives]))
    return [DefaultInfo(files = depset([ctx.outputs.list] + archives))]

library_archives = rule(
    implementation = _library_archives_impl,
    attrs = {"engine": attr.label(providers = [CcInfo], mandatory = True)},
    outputs = {"list": "%{name}.txt"},
)
