# SPDX-License-Identifier: Apache-2.0
"""op_table: the list of what a folder defines, written from its file names.

A folder of one-op-per-file sources (mace/ops, mace/cpu/ops, ...) is its own registry: a file
`depth_to_space.cc` defines the function `DepthToSpace()`, and this rule writes the table that
calls it. A file without its function is a link error; no static constructor runs, so nothing
needs --whole-archive. Of the files that a table leaves out nothing is linked: the flag
--//mace/ops:selected=Conv2d,Softmax makes a library with the ops of one model, in all tables.
"""

Selection = provider(fields = ["names"])  # None: all

def _op_selection_impl(ctx):
    value = ctx.build_setting_value
    names = [] if value == "none" else value.split(",")
    return [Selection(names = None if value == "all" else names)]

op_selection = rule(
    implementation = _op_selection_impl,
    build_setting = config.string(flag = True),
)

def _op_table_impl(ctx):
    stems = [f.basename[:-len(".cc")] for f in ctx.files.srcs]
    names = sorted(["".join([w.capitalize() for w in s.split("_")]) for s in stems])
    selected = ctx.attr._selected[Selection].names
    if selected != None:
        unknown = [n for n in selected if n not in names]
        if unknown and ctx.attr.has_every_op:
            fail("there is no op " + ", ".join(unknown))
        names = [n for n in names if n in selected]
    ns, ret, table = ctx.attr.namespace, ctx.attr.returns, ctx.attr.table
    lines = [
        "// Written by //mace:op_table.bzl from the file names; do not edit.",
        "#include \"%s\"" % ctx.attr.header,
        "",
        "namespace mace {",
        "namespace %s {" % ns,
    ]
    lines += ["%s %s();" % (ret, n) for n in names]
    lines += ["}  // namespace %s" % ns, "", "const %s k%s[] = {" % (ctx.attr.entry, table)]
    lines += ["    {\"%s\", %s::%s}," % (n, ns, n) for n in names]
    lines += [
        "    {nullptr, nullptr},  // as an array has elements",
        "};",
        "const int kNum%s = %d;" % (table, len(names)),
    ]
    if ctx.attr.has_every_op:
        lines.append("extern const bool kHasEveryOp;")
        lines.append("const bool kHasEveryOp = %s;" % ("false" if selected != None else "true"))
    lines += ["}  // namespace mace", ""]
    ctx.actions.write(ctx.outputs.out, "\n".join(lines))

op_table = rule(
    implementation = _op_table_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cc"], doc = "one file per op"),
        "namespace": attr.string(mandatory = True, doc = "inside mace, where the functions live"),
        "returns": attr.string(mandatory = True, doc = "the functions' return type"),
        "entry": attr.string(mandatory = True, doc = "the type of a row, {name, function}"),
        "table": attr.string(mandatory = True, doc = "X makes `kX` and `kNumX`"),
        "header": attr.string(mandatory = True, doc = "declares the row type and the table"),
        "out": attr.output(mandatory = True),
        "has_every_op": attr.bool(doc = "every op has a file here; makes `kHasEveryOp`, too"),
        "_selected": attr.label(default = "//mace/ops:selected"),
    },
)
