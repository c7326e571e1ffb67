// Memory planning problems and plans as JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_PLAN_JSON_H_
#define TOOLS_MACE_PLAN_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "mace/memory/problem/problem.h"

namespace mace::tools {

// Reads {"records": [{"size": N or [w, h, ...], "first", "last", maybe "name",
// "align", "pool", "fixed_offset", "alias_of", "alias_offset", "may_overlap":
// [k], "overlaps": [{"other", "safe_distance"}]}], and maybe "alignment",
// "fixed_may_overlap", "element_bytes", "row_pitch", "max_extents": [w, h]}.
// A size has up to four extents. Lifetimes are closed. Errors: as
// MappedFile::Open, and MACE_INVALID_ARGS, naming the file and the record at
// which reading stopped.
Result<memory::Problem> ReadProblem(const std::string& path);

// {"strategy", "kind": "offsets" with "offsets", or "objects" with "object_ids"
// and "object_sizes", "total_size", "bound", "status", "nodes", "us"}.
nlohmann::json ToJson(const memory::Plan& plan);

}  // namespace mace::tools

#endif  // TOOLS_MACE_PLAN_JSON_H_
