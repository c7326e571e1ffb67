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

using Json = nlohmann::json;

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

Json ToJson(const std::vector<MaceTensorInfo>& infos) {
  Json list = Json::array();
  for (const MaceTensorInfo& info : infos) {
    list.push_back({{"name", info.name},
                    {"shape", info.shape},
                    {"dtype", TypeName(info.data_type)},
                    {"format", FormatName(info.data_format)}});
  }
  return list;
}

Json ToJson(const Stat& s) {
  return {{"count", s.count()},  {"first", s.first()}, {"min", s.min()},
          {"max", s.max()},      {"avg", s.average()}, {"median", s.median()},
          {"std", s.deviation()}};
}

// What happened between the two.
Json ToJson(const MaceDeviceCounts& a, const MaceDeviceCounts& b) {
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
Json CpuTypes(const std::string& op, bool is_quantized) {
  std::set<DataType> types;
  for (int i = 0; i < kNumCpuKernels; ++i) {
    if (op != kCpuKernels[i].name) continue;
    for (const CpuKernelDef& def : kCpuKernels[i].make()) {
      if (def.is_quantized == is_quantized) types.insert(def.dtype);
    }
  }
  Json names = Json::array();
  for (DataType type : types) names.push_back(Name(type));
  return names;
}

// By number, as text: what messages call them.
Json KnownInputs(const Op& op) {
  Json inputs = Json::object();
  for (const KnownInput& known : op.known_inputs) {
    inputs[std::to_string(known.index)] = known.name;
  }
  return inputs;
}

// As text where JSON has no such number.
Json ToJson(const Attr& value) {
  return std::visit(
      [](const auto& v) -> Json {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, float>) {
          // The shortest number that is this float.
          if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
          char text[32];
          std::snprintf(text, sizeof(text), "%.7g", static_cast<double>(v));
          return Json(std::strtod(text, nullptr));
        } else {
          return Json(v);
        }
      },
      value);
}

Json Attrs(const Op& op) {
  Json attrs = Json::object();
  for (const AttrInfo& attr : op.attrs) {
    Json schema = {{"type", attr.type}, {"default", ToJson(attr.initial)}};
    for (const Choice& choice : attr.choices) {
      schema["choices"][choice.name] = ToJson(choice.value);
    }
    if (attr.names_axes) schema["names_axes"] = true;
    attrs[attr.name] = std::move(schema);
  }
  return attrs;
}

Json NamesOf(DataTypes types) {
  Json names = Json::array();
  for (DataType type : kAllTypes) {
    if (types.Has(type)) names.push_back(Name(type));
  }
  return names;
}

// By input: the types, [] for any, or the input that has the same one.
Json InputTypes(const Op& op) {
  Json rows = Json::array();
  for (const InputType& row : op.types) {
    rows.push_back(row.as >= 0 ? Json(row.as) : NamesOf(row.types));
  }
  return rows;
}

Json TypesWith(const Op& op) {
  if (op.types_with.attr.empty()) return Json::object();
  Json values = Json::array();
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

Json ToJson(const RunResult& result) {
  return {
      {"init_ms", result.init_ms},
      {"warmup_ms", result.warmup_ms ? Json(*result.warmup_ms) : Json(nullptr)},
      {"run_ms", result.run_ms},
      {"inputs", ToJson(result.inputs)},
      {"outputs", ToJson(result.outputs)},
      {"memory", Json::parse(result.memory_json, nullptr, false)},
      {"created", ToJson(MaceDeviceCounts(), result.created)},
      {"last_run", ToJson(result.before_last, result.after_last)}};
}

Json ToJson(const Benchmark& benchmark) {
  Json ops = Json::array();
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

Json ToJson(const MaceMemoryUsage& usage) {
  Json categories = Json::object();
  for (const MaceMemoryCategory& c : usage.categories) {
    categories[c.name] = {{"requested", c.requested_bytes},
                          {"used", c.used_bytes},
                          {"count", c.count}};
  }
  Json holders = Json::array();
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

Result<Json> DumpJson(const MaceEngine& engine, const std::string& stage) {
  const std::string name = stage.substr(0, stage.find('_'));
  const bool has_json = name == "plan" || name == "memory";
  std::string text;
  MACE_RETURN_IF_ERROR(engine.Dump(has_json ? name + "_json" : name, &text));
  if (!has_json) return Json{{name, text}};
  Json result = Json::parse(text, nullptr, false);
  MACE_ENSURE(!result.is_discarded());
  if (name == "memory") {
    MaceMemoryUsage usage;
    MACE_RETURN_IF_ERROR(engine.GetMemoryUsage(&usage));
    result["usage"] = ToJson(usage);
    MaceMemoryTotals totals;
    MACE_RETURN_IF_ERROR(engine.GetMemoryTotals(&totals));
    result["usage"]["anonymous_bytes"] = totals.anonymous_bytes;
    result["usage"]["mapped_bytes"] = totals.mapped_bytes;
    result["usage"]["limit_bytes"] = totals.limit_bytes;
  }
  return result;
}

Json OpListJson() {
  Json list = Json::array();
  for (const Op* op : AllOps()) {
    list.push_back(
        {{"name", op->name},
         {"attrs", Attrs(*op)},
         {"types", InputTypes(*op)},
         {"types_with", TypesWith(*op)},
         {"view", op->is_view        ? "always"
                  : op->part_offsets ? "where contiguous"
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

Status WriteJson(const std::string& path, const Json& value) {
  // Names and messages may hold bytes that are not UTF-8.
  const std::string text =
      value.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  return WriteFileAtomically(path, text.data(), text.size());
}

}  // namespace mace::tools
