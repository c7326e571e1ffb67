// Writing results as JSON.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/report.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <type_traits>
#include <variant>

#include "mace/base/file.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/model/model.h"
#include "mace/ops/common/op.h"

namespace mace::tools {
namespace {

using nlohmann::json;

const char* TypeName(IDataType type) {
  switch (type) {
    case IDT_FLOAT:
      return "float32";
    case IDT_FLOAT16:
      return "float16";
    case IDT_BFLOAT16:
      return "bfloat16";
    case IDT_INT32:
      return "int32";
    case IDT_INT64:
      return "int64";
    case IDT_INT16:
      return "int16";
    case IDT_INT8:
      return "int8";
    case IDT_UINT8:
      return "uint8";
    case IDT_BOOL:
      return "bool";
    case IDT_INVALID:
      return "unknown";
  }
  return "unknown";
}

const char* FormatName(DataFormat format) {
  switch (format) {
    case DataFormat::NHWC:
      return "NHWC";
    case DataFormat::NCHW:
      return "NCHW";
    case DataFormat::NONE:
      return "NONE";
  }
  return "NONE";
}

json ToJson(const std::vector<MaceTensorInfo>& infos) {
  json list = json::array();
  for (const MaceTensorInfo& info : infos) {
    list.push_back({{"name", info.name},
                    {"shape", info.shape},
                    {"dtype", TypeName(info.data_type)},
                    {"format", FormatName(info.data_format)}});
  }
  return list;
}

json ToJson(const Stat& s) {
  return {{"count", s.count()},  {"first", s.first()}, {"min", s.min()},
          {"max", s.max()},      {"avg", s.average()}, {"median", s.median()},
          {"std", s.deviation()}};
}

// What happened between the two.
json ToJson(const MaceDeviceCounts& a, const MaceDeviceCounts& b) {
  return {{"compiled_programs", b.compiled_programs - a.compiled_programs},
          {"loaded_programs", b.loaded_programs - a.loaded_programs},
          {"measurements", b.measurements - a.measurements},
          {"kernels", b.kernels - a.kernels},
          {"enqueues", b.enqueues - a.enqueues},
          {"bytes_from_host", b.bytes_from_host - a.bytes_from_host},
          {"bytes_to_host", b.bytes_to_host - a.bytes_to_host}};
}

const char* OnQuantizedName(OnQuantized use) {
  switch (use) {
    case OnQuantized::kRefuses:
      return "refuses";
    case OnQuantized::kMoves:
      return "moves";
    case OnQuantized::kComputes:
      return "computes";
  }
  return "";
}

// The element types (of an op's first input, quantized or not) that the CPU has
// a kernel for, in DataType's order: an op's rows may stand in several tables.
json CpuTypes(const std::string& op, bool is_quantized) {
  std::set<DataType> types;
  for (int i = 0; i < kNumCpuKernels; ++i) {
    if (op != kCpuKernels[i].op) continue;
    for (const CpuKernelDef& def : kCpuKernels[i].defs()) {
      if (def.is_quantized == is_quantized) types.insert(def.dtype);
    }
  }
  json names = json::array();
  for (DataType type : types) names.push_back(Name(type));
  return names;
}

// By number, as text: what messages call them.
json KnownInputs(const Op& op) {
  json inputs = json::object();
  for (const KnownInput& known : op.known_inputs) {
    inputs[std::to_string(known.index)] = known.name;
  }
  return inputs;
}

// As text where JSON has no such number.
json ToJson(const Attr& value) {
  return std::visit(
      [](const auto& v) -> json {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, float>) {
          // The shortest number that is this float.
          if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
          char text[32];
          std::snprintf(text, sizeof(text), "%.7g", static_cast<double>(v));
          return json(std::strtod(text, nullptr));
        } else {
          return json(v);
        }
      },
      value);
}

json Attrs(const Op& op) {
  json attrs = json::object();
  for (const AttrInfo& attr : op.attrs) {
    json facts = {{"type", attr.type}, {"default", ToJson(attr.initial)}};
    for (const Choice& choice : attr.choices) {
      facts["choices"][choice.name] = ToJson(choice.value);
    }
    if (attr.names_axes) facts["names_axes"] = true;
    attrs[attr.name] = std::move(facts);
  }
  return attrs;
}

json NamesOf(DataTypes types) {
  json names = json::array();
  for (DataType type : kAllTypes) {
    if (types.Has(type)) names.push_back(Name(type));
  }
  return names;
}

// By input: the types, [] for any, or the input that has the same one.
json InputTypes(const Op& op) {
  json rows = json::array();
  for (const InputType& row : op.types) {
    rows.push_back(row.as >= 0 ? json(row.as) : NamesOf(row.types));
  }
  return rows;
}

json TypesWith(const Op& op) {
  if (op.types_with.attr.empty()) return json::object();
  json values = json::array();
  for (const Choice& choice : op.types_with.values) {
    values.push_back(choice.name);
  }
  return {{"attr", op.types_with.attr},
          {"values", std::move(values)},
          {"types", NamesOf(op.types_with.types)}};
}

const char* AxisOrderName(AxisOrder order) {
  switch (order) {
    case AxisOrder::kFixed:
      return "fixed";
    case AxisOrder::kAny:
      return "any";
    case AxisOrder::kNamed:
      return "named";
  }
  return "";
}

}  // namespace

json ToJson(const RunResult& result) {
  return {
      {"init_ms", result.init_ms},
      {"warmup_ms", result.warmup_ms ? json(*result.warmup_ms) : json(nullptr)},
      {"run_ms", result.run_ms},
      {"inputs", ToJson(result.inputs)},
      {"outputs", ToJson(result.outputs)},
      {"memory", json::parse(result.memory_json, nullptr, false)},
      {"created", ToJson(MaceDeviceCounts(), result.created)},
      {"last_run", ToJson(result.before_last, result.after_last)}};
}

json ToJson(const Benchmark& benchmark) {
  json ops = json::array();
  for (const OpTimes& t : benchmark.ops) {
    const double us = t.duration.average();
    ops.push_back({{"name", t.op.operator_name},
                   {"type", t.op.type},
                   {"start_us", t.start.average()},
                   {"avg_us", us},
                   {"min_us", t.duration.min()},
                   {"macs", t.op.macs},
                   {"bytes", t.op.bytes},
                   {"gflops", us > 0 ? 2.0 * t.op.macs / us / 1000 : 0.0},
                   {"device", t.op.device},
                   {"kernel", t.op.variant},
                   {"chosen_by", t.op.chosen_by},
                   {"output_shape", t.op.output_shape}});
  }
  return {{"warmup", ToJson(benchmark.warmup)},
          {"run", ToJson(benchmark.plain)},
          {"run_with_statistics", ToJson(benchmark.measured)},
          {"ops", ops}};
}

json ToJson(const MaceMemoryUsage& usage) {
  json categories = json::object();
  for (const MaceMemoryCategory& c : usage.categories) {
    categories[c.name] = {{"requested", c.requested_bytes},
                          {"used", c.used_bytes},
                          {"count", c.count}};
  }
  json holders = json::array();
  for (const auto& [name, bytes] : usage.peak_holders) {
    holders.push_back({{"name", name}, {"bytes", bytes}});
  }
  return {{"categories", categories},
          {"head_bytes", usage.head_bytes},
          {"temporary_bytes", usage.temporary_bytes},
          {"tail_bytes", usage.tail_bytes},
          {"lower_bound_bytes", usage.lower_bound_bytes},
          {"peak_bytes", usage.peak_bytes},
          {"peak_node", usage.peak_node},
          {"peak_holders", holders},
          {"fragmentation", usage.fragmentation},
          {"image_bytes", usage.image_bytes},
          {"image_lower_bound_bytes", usage.image_lower_bound_bytes},
          {"image_peak_bytes", usage.image_peak_bytes}};
}

Result<json> DumpJson(const MaceEngine& engine, const std::string& stage) {
  const std::string name = stage.substr(0, stage.find('_'));
  const bool has_json = name == "plan" || name == "memory";
  std::string text;
  MACE_RETURN_IF_ERROR(engine.Dump(has_json ? name + "_json" : name, &text));
  if (!has_json) return json{{name, text}};
  json result = json::parse(text, nullptr, false);
  MACE_ENSURE(!result.is_discarded());
  if (name == "memory") {
    MaceMemoryUsage usage;
    MACE_RETURN_IF_ERROR(engine.GetMemoryUsage(&usage));
    result["usage"] = ToJson(usage);
  }
  return result;
}

json OpListJson() {
  json list = json::array();
  for (const Op* op : AllOps()) {
    list.push_back(
        {{"name", op->name},
         {"attrs", Attrs(*op)},
         {"types", InputTypes(*op)},
         {"types_with", TypesWith(*op)},
         {"view", op->is_view       ? "always"
                  : op->part_offset ? "where contiguous"
                                    : "never"},
         {"axis_order", AxisOrderName(op->axis_order)},
         {"min_inputs", op->min_inputs},
         {"max_inputs", op->max_inputs == kMany ? -1 : op->max_inputs},
         {"outputs", op->num_outputs == kMany ? -1 : op->num_outputs},
         {"known_inputs", KnownInputs(*op)},
         {"reads_types_only", op->reads_types_only},
         {"on_quantized", OnQuantizedName(op->on_quantized)},
         {"cpu", CpuTypes(op->name, false)},
         {"cpu_quantized", CpuTypes(op->name, true)}});
  }
  return {{"max_rank", kMaxRank}, {"ops", list}};
}

json TraceJson(const RunMetadata& metadata) {
  json events = json::array();
  for (const OperatorStats& op : metadata.op_stats) {
    events.push_back({{"name", op.type + " " + op.operator_name},
                      {"cat", op.type},
                      {"ph", "X"},
                      {"ts", op.stats.start_micros},
                      {"dur", op.stats.end_micros - op.stats.start_micros},
                      {"pid", 1},
                      {"tid", op.device},
                      {"args",
                       {{"kernel", op.variant},
                        {"macs", op.macs},
                        {"output_shape", op.output_shape}}}});
  }
  return {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
}

Status WriteJson(const std::string& path, const json& value) {
  const std::string text = value.dump(1) + '\n';
  return WriteFileAtomically(path, text.data(), text.size());
}

}  // namespace mace::tools
