// Plans as text, for users and for --dump.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_DUMP_DUMP_H_
#define MACE_PLAN_DUMP_DUMP_H_

#include <string>

#include "mace/plan/types/plan.h"

namespace mace {

// If there are several devices: how many nodes each runs, what moves between
// them, and a line for each node that is not on the first one, with the reason.
// Otherwise empty.
std::string DumpPlacement(const Plan& plan);

// Every node in the order of running (at the end those without a step of their
// own: they only rename bytes, or are fused into another step) and every move
// between devices, as JSON: {"note", "nodes": [{"name", "op", "device",
// "kernel", "reason", "part_of", "macs", "stored", "outputs": [type, ...]}],
// "moves": [{"tensor", "to", "bytes"}], "num_images", "image_bytes", "waits":
// [{"node", "input"}], "arena_bytes"}. `note` is a remark on the whole plan;
// "waits" lists where the plan waits for data; "stored" is the type in which a
// node's weights are stored if it is not their own (Operand::stored), or "". A
// step that runs several fused nodes has all their names, "a + b", and their
// kinds of ops, "DepthwiseConv2d+Conv2d"; "part_of" of the nodes before its
// last is that name. Of a region, each node is listed if the device reports it.
std::string DumpPlanJson(const Plan& plan, const std::string& note);

// One line per step: number, op, name (for several nodes, the last one and
// their number), device, kernel, multiply-adds, output types; below a region, a
// line per node. Then a line for each node at which the plan waits for data,
// and the number of deferred nodes.
std::string DumpSteps(const Plan& plan);

// A line about the search for an order, if there was one, and a line for each
// saving.
std::string DumpSavings(const Plan& plan);

// One line per record: bytes, offset, first and last step, tensor; then
// DumpSavings and the certificate. If there are images, then a line per record:
// width, height, format, image, first and last step, tensor; and a line with
// their number and certificate.
std::string DumpMemory(const Plan& plan);

// The records and offsets as JSON: {"records": [{"name", "size", "first",
// "last", "align", and of records that may overlap others "may_overlap" and
// "overlaps"}], "offsets": [...], "steps": [{"name", "op"},
// ...], "savings": [{"name", "before", "after"}], "order_search": {"end",
// "peak_before", "peak_after", "bound", "work", "budget"}, "records_hash",
// "embedded_plan", "total_size", "bound", "status", "strategy", "nodes", "us"};
// and of a plan with images "images": {"max_extents", "records": [{"name",
// "size": [width, height], "first", "last", "format", "pixel_bytes"}],
// "object_ids", "object_sizes", "object_formats", and "total_size" to "us" as
// above}.
std::string DumpMemoryJson(const Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_DUMP_DUMP_H_
