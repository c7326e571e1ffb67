# SPDX-License-Identifier: Apache-2.0
"""LEVELS: for what the files of a target are optimised in libraries for apps (--config=library).

A target adds one of LEVELS to its copts. mixed_library is for a target of which some files compute
and others prepare. All other builds compile both alike, and so fewer and larger units.
"""

load("//mace:unity.bzl", "component_sources", "component_unity")

def _in(setting, flags):
    return select({setting: flags, "//conditions:default": []})

_LTO = ["-flto", "-ffat-lto-objects"]

# Shared libraries are optimised as a whole when they are linked (mace_tools/package/library/link.py); the
# archives have their code besides, for what links them otherwise. In files for size, what a loop or
# two branches compute stays there, which takes fewer registers and moves, and functions are inlined
# only when all of the library is known. Without strict aliasing, functions of the same instructions
# are one although their types differ, such as the constructors of all Result<T>. Clang, which does
# not link so, does not know these flags.
_SMALL_LTO = _LTO + [
    "-fno-move-loop-invariants",
    "-fno-gcse",
    "-fno-strict-aliasing",
    "--param=early-inlining-insns=0",
]

LEVELS = {
    # What loads, plans and prepares, and kernels that only copy, or call others that are not small.
    "small": _in("//mace:for_apps", ["-Os"]) + _in("//mace:with_lto", _SMALL_LTO),
    # The same, as it is, for what every CPU has only as a definition.
    "small_alone": _in("//mace:for_apps", ["-Os"]),
    # At -O3, loops are also peeled and copied for special cases. Where qemu counts no more
    # instructions without (within 1 %), the level is "fast", or "vectorized" where it needs loops
    # in vectors; LayerNorm, LpNorm and RoiAlign need -O3, and others have not been counted.
    "fast": _in("//mace:for_apps", ["-O2"]) + _in("//mace:with_lto", _LTO),
    "vectorized": _in("//mace:for_apps", ["-O2", "-ftree-vectorize", "-fvect-cost-model"]) +
                  _in("//mace:with_lto", _LTO),
    "fastest": _in("//mace:with_lto", _LTO),  # as the target's own flags say
    # Micro-kernels for Arm are written with vectors, or in assembly: -O3 copies their loops for
    # special cases, and inlines long assembly at each call. Those with multiply-adds, which
    # test/arm:ukernel_calls counts, execute as many instructions without (within 1 %); the others
    # were not counted.
    "fast_alone": _in("//mace:for_apps", ["-O2"]),
    "alone": [],
}

def by_level(folders, files, exclude):
    """The sources of `folders`, a mapping from folders to levels, as a mapping from levels to lists.

    `files` maps a level to those that have it whatever their folder has."""
    own = [path for paths in files.values() for path in paths]
    levels = {level: list(paths) for level, paths in files.items()}
    for folder, level in folders.items():
        found = native.glob([folder + "*.cc"], exclude = exclude + own)
        levels[level] = levels.get(level, []) + found
    return levels

def files_of(components):
    """All files of the components of a mixed_library."""
    return [
        path
        for levels, absent in components.values()
        for path in absent + [file for files in levels.values() for file in files]
    ]

def mixed_library(name, levels, srcs, copts, visibility, components = {}, **kwargs):
    """A cc_library whose sources have different levels: `levels` is what by_level returns.

    For apps, NAME_LEVEL is a library with the files of each, and `srcs` must be empty. All other
    builds compile these alone.

    components: by component, its files by level, and what stands for them in a build without it,
    at the level "small"."""
    levels = dict(levels)
    for component, (files, absent) in components.items():
        for level, paths in files.items():
            instead = absent if level == "small" else []
            levels[level] = levels[level] + component_sources(component, paths, instead)
        srcs = srcs + component_unity(
            name + "_" + component,
            component,
            [path for paths in files.values() for path in paths],
            absent,
            for_apps = [],
        )
    for level, files in levels.items():
        native.cc_library(
            name = name + "_" + level,
            srcs = files,
            copts = copts + LEVELS[level],
            tags = ["manual"],
            **kwargs
        )
    deps = kwargs.pop("deps")
    native.cc_library(
        name = name,
        srcs = srcs,
        copts = copts,
        visibility = visibility,
        deps = deps + select({
            "//mace:for_apps": [":" + name + "_" + level for level in levels],
            "//conditions:default": [],
        }),
        **kwargs
    )
