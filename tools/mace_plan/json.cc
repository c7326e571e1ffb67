// Memory planning problems and plans as JSON.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_plan/json.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "mace/base/file.h"

namespace mace::tools {
namespace {

using memory::Overlap;
using memory::Record;
using memory::Size;
using nlohmann::json;

// Of a number that T can hold. Throws std::invalid_argument.
template <typename T>
T Whole(const json& value) {
  constexpr T kMin = std::numeric_limits<T>::min();
  constexpr T kMax = std::numeric_limits<T>::max();
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number <= static_cast<uint64_t>(kMax)) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.get<int64_t>();
    if (number >= kMin && number <= kMax) return static_cast<T>(number);
  }
  throw std::invalid_argument(
      value.dump(-1, ' ', false, json::error_handler_t::replace) +
      " is not a whole number that fits");
}

// The same of a key that may be missing.
template <typename T>
T Whole(const json& object, const char* key, T initial) {
  return object.contains(key) ? Whole<T>(object[key]) : initial;
}

std::vector<int64_t> WholeList(const json& value) {
  if (!value.is_array()) throw std::invalid_argument("extents must be a list");
  std::vector<int64_t> list;
  for (const json& element : value) list.push_back(Whole<int64_t>(element));
  return list;
}

Size ToSize(const json& value) {
  if (!value.is_array()) return Size(Whole<int64_t>(value));
  const std::vector<int64_t> extents = WholeList(value);
  Size size;
  if (extents.empty() || extents.size() > size.extent.size()) {
    throw std::invalid_argument("size must have one to four extents");
  }
  std::copy(extents.begin(), extents.end(), size.extent.begin());
  size.rank = static_cast<int>(extents.size());
  return size;
}

Record ToRecord(const json& value) {
  Record record;
  record.name = value.value("name", "");
  record.size = ToSize(value.at("size"));
  record.first = Whole<int64_t>(value.at("first"));
  record.last = Whole<int64_t>(value.at("last"));
  record.alignment = Whole(value, "align", record.alignment);
  record.pool = Whole(value, "pool", record.pool);
  record.fixed_offset = Whole(value, "fixed_offset", record.fixed_offset);
  record.alias_of = Whole(value, "alias_of", record.alias_of);
  record.alias_offset = Whole(value, "alias_offset", record.alias_offset);
  for (const json& other : value.value("may_overlap", json::array())) {
    record.overlaps.push_back({Whole<int32_t>(other)});
  }
  for (const json& o : value.value("overlaps", json::array())) {
    record.overlaps.push_back(
        {Whole<int32_t>(o.at("other")),
         Whole<int64_t>(o, "safe_distance", Overlap::kAnyDistance)});
  }
  return record;
}

// Throws the exceptions of nlohmann::json, and std::invalid_argument.
memory::Problem ToProblem(const json& root, size_t* at) {
  memory::Problem problem;
  problem.alignment = Whole(root, "alignment", problem.alignment);
  problem.fixed_may_overlap =
      root.value("fixed_may_overlap", problem.fixed_may_overlap);
  problem.element_bytes = Whole(root, "element_bytes", problem.element_bytes);
  problem.row_pitch = Whole(root, "row_pitch", problem.row_pitch);
  const std::vector<int64_t> limits =
      WholeList(root.value("max_extents", json::array()));
  std::copy_n(limits.begin(),
              std::min(limits.size(), problem.max_extents.size()),
              problem.max_extents.begin());
  for (const json& record : root.at("records")) {
    problem.records.push_back(ToRecord(record));
    ++*at;
  }
  return problem;
}

}  // namespace

Result<memory::Problem> ReadProblem(const std::string& path) {
  MACE_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  size_t at = 0;
  try {
    return ToProblem(json::parse(file.data(), file.data() + file.size()), &at);
  } catch (const std::exception& e) {
    return InvalidArgument(path + ": record " + std::to_string(at) + ": " +
                           e.what());
  }
}

json ToJson(const memory::Plan& plan) {
  const memory::Certificate& c = plan.certificate;
  json result = {
      {"strategy", c.strategy}, {"total_size", c.total},
      {"bound", c.lower_bound}, {"status", memory::Name(c.status)},
      {"nodes", c.nodes},       {"us", c.us},
  };
  if (!plan.offsets.empty()) {
    result["kind"] = "offsets";
    result["offsets"] = plan.offsets;
    return result;
  }
  result["kind"] = "objects";
  json& ids = result["object_ids"] = json::array();
  for (const int32_t id : plan.object_ids) {
    ids.push_back(id == memory::kNone ? json() : json(id));
  }
  json& sizes = result["object_sizes"] = json::array();
  for (const Size& size : plan.object_sizes) {
    if (size.rank == 1) {
      sizes.push_back(size.extent[0]);
    } else {
      sizes.push_back(std::vector<int64_t>(size.extent.begin(),
                                           size.extent.begin() + size.rank));
    }
  }
  return result;
}

}  // namespace mace::tools
