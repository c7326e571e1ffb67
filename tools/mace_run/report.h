// Results as JSON: of a run, of a benchmark, of the op table.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_REPORT_H_
#define TOOLS_MACE_RUN_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "mace/base/status.h"
#include "mace/public/mace.h"
#include "tools/mace_run/run_model.h"
#include "tools/mace_run/statistics.h"

namespace mace::tools {

// {"init_ms", "warmup_ms" (null without warm-up runs), "run_ms": [...],
// "inputs": [{"name", "shape", "dtype", "format"}], "outputs": [...], "memory":
// {...}, "created": {...}, "last_run": {...}}; the last two count what devices
// did.
nlohmann::json ToJson(const RunResult& result);

// {"warmup": {...}, "run": {...}, "run_with_statistics": {...}, "ops":
// [{"name", "type", "start_us", "avg_us", "min_us", "macs", "bytes", "gflops",
// "device", "kernel", "chosen_by", "output_shape"}]}; run statistics in
// milliseconds.
nlohmann::json ToJson(const Benchmark& benchmark);

// {"categories": {name: {"requested", "used", "count"}}, and the other fields
// of MaceMemoryUsage}.
nlohmann::json ToJson(const MaceMemoryUsage& usage);

// Returns what --json writes for a stage of --dump: for the stages of the plan
// and of memory their JSON, of memory with its usage as "usage"; for another
// stage {stage: text}. Errors: of the engine.
Result<nlohmann::json> DumpJson(const MaceEngine& engine,
                                const std::string& stage);

// The op schemas that converting needs: {"max_rank", "ops": [{"name", "attrs":
// {...}, "min_inputs", "max_inputs" and "outputs" (-1: any number), "cpu" and
// "cpu_quantized": [element types], ...}]}. tools/ops.json holds the same.
nlohmann::json OpListJson();

// Atomic. Errors: as WriteFileAtomically.
Status WriteJson(const std::string& path, const nlohmann::json& value);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_REPORT_H_
