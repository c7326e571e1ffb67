# SPDX-License-Identifier: Apache-2.0
"""unity: a folder's sources in a few translation units.

Most of what a small source file costs is parsing the headers that it shares with its neighbours, so
the files of a folder are compiled in units of up to two dozen. A unit is the text of its files with
#line directives, so messages and debuggers name the files. Therefore names in the anonymous
namespaces of a folder differ. Libraries for apps (--config=library) compile each file alone, as
the linker leaves out what they do not use by file and function, and so show which file lacks an
include.
"""

_FILES_PER_UNIT = 24

def _unity_impl(ctx):
    units = [[] for _ in ctx.outputs.outs]
    for src in ctx.files.srcs:
        # By name, so that a new file leaves the other units as they are.
        units[hash(src.basename) % len(units)].append(src)
    for unit, out in zip(units, ctx.outputs.outs):
        lines = ["{ echo '// Written by mace/unity.bzl.'"]
        lines += ["echo '#line 1 \"{0}\"'; cat {0}".format(src.path) for src in unit]
        ctx.actions.run_shell(
            inputs = unit,
            outputs = [out],
            command = "\n".join(lines) + "\n} >" + out.path,
            mnemonic = "Unity",
        )

_unity = rule(
    implementation = _unity_impl,
    attrs = {
        "outs": attr.output_list(mandatory = True),
        "srcs": attr.label_list(allow_files = [".cc"]),
    },
)

def unity(name, srcs, for_apps = None):
    """Sources for a cc_library: units NAME_0.cc, NAME_1.cc, ... of `srcs`, or each file alone.

    `for_apps`: what libraries for apps have in their place, if it is not the files."""
    return select(_choices(name, srcs, for_apps))

def component_unity(name, component, srcs, absent, for_apps = None):
    """The same of files that only a build with this component has; others have `absent`.

    Where `absent` defines what `srcs` do, as null objects, the linker drops what only these need."""

    # By these groups, `converter.py source` knows both.
    native.filegroup(name = name + "_files", srcs = srcs, tags = ["component=" + component, "manual"])
    native.filegroup(name = name + "_absent", srcs = absent, tags = ["without=" + component, "manual"])
    choices = _choices(name, srcs, for_apps)
    without = "//mace:without_" + component
    choices[without] = absent
    choices[without + "_alone"] = absent
    choices[without + "_for_apps"] = absent if for_apps == None else for_apps
    return select(choices)

def component_settings(components):
    """The config_settings of builds without a component; the later ones are for builds of the kinds
    that unity() selects by."""
    for component in components:
        without = {component: "false"}
        alone = dict(without, unity = "false")
        for suffix, values in {
            "": without,
            "_alone": alone,
            "_for_apps": dict(alone, library = "true"),
        }.items():
            native.config_setting(
                name = "without_" + component + suffix,
                define_values = values,
            )

def component_sources(component, srcs, absent):
    """What component_unity leaves to targets of a library for apps (`for_apps`)."""
    return select({
        "//mace:without_" + component: absent,
        "//conditions:default": srcs,
    })

def _choices(name, srcs, for_apps):
    count = (len(srcs) + _FILES_PER_UNIT - 1) // _FILES_PER_UNIT
    outs = ["%s_%d.cc" % (name, i) for i in range(count)]
    _unity(
        name = name,
        srcs = srcs,
        outs = outs,
        tags = ["manual"],  # built where it is a source
    )
    return {
        "//mace:for_apps": srcs if for_apps == None else for_apps,
        "//mace:each_file_alone": srcs,
        "//conditions:default": [":" + out for out in outs],
    }

def unity_folders(folders, exclude, for_apps = None):
    """The same for the sources of several folders, each ending in "/" or empty."""
    srcs = []
    for folder in folders:
        files = native.glob([folder + "*.cc"], exclude = exclude)
        if files:
            srcs = srcs + unity((folder.replace("/", "_") or "top_") + "unit", files, for_apps)
    return srcs
