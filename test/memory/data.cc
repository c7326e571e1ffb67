// The instances that the tables are about, read from the conformance folder.
// SPDX-License-Identifier: Apache-2.0

#include "test/memory/data.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace mace::test {
namespace {

using memory::Problem;
using memory::Record;
using nlohmann::json;

Result<json> ReadJson(const std::string& path) {
  std::ifstream in(path);
  if (!in) return InvalidArgument("cannot open '" + path + "'");
  json value = json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return InvalidArgument(path + ": not JSON");
  return value;
}

// A vector is a row of pixels, a tensor without batch an image of its height.
memory::Size ImageSize(std::vector<int64_t> shape) {
  shape.insert(shape.begin(), 4 - std::min<size_t>(shape.size(), 4), 1);
  return memory::Size(shape[2] * ((shape[3] + 3) / 4), shape[0] * shape[1]);
}

Net ToNet(const json& value) {
  Net net;
  net.name = value.at("name");
  for (const json& fields : value.at("records")) {
    Record r;
    r.name = fields.at("name");
    r.first = fields.at("first");
    r.last = fields.at("last");
    r.size = fields.at("size").get<int64_t>();
    net.bytes.records.push_back(r);
    r.size = ImageSize(fields.at("shape"));
    net.images.records.push_back(r);
  }
  net.images.element_bytes = 16;
  net.images.max_extents = {16384, 16384, 1};
  net.reference =
      value.at("heuristics_bytes").get<std::map<std::string, int64_t>>();
  return net;
}

// Half-open lifetimes; rows of id,lower,upper,size.
Problem ReadCsv(std::ifstream* in) {
  Problem problem;
  std::string line;
  std::getline(*in, line);
  while (std::getline(*in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream row(line);
    Record r;
    int64_t upper = 0;
    if (!(row >> r.name >> r.first >> upper >> r.size.extent[0])) continue;
    r.last = upper - 1;
    problem.records.push_back(r);
  }
  return problem;
}

}  // namespace

Result<std::vector<Net>> ReadNets(const std::string& folder) {
  MACE_ASSIGN_OR_RETURN(const json root,
                        ReadJson(folder + "/nets_records.json"));
  std::vector<Net> nets;
  for (const json& value : root.at("nets")) nets.push_back(ToNet(value));
  return nets;
}

Result<std::vector<Micro>> ReadMicro(const std::string& folder) {
  MACE_ASSIGN_OR_RETURN(const json root, ReadJson(folder + "/tflm_cases.json"));
  std::vector<Micro> all;
  for (const json& value : root.at("greedy_cases")) {
    Micro micro;
    micro.name = value.at("name");
    for (const json& buffer : value.at("buffers")) {
      Record r;
      r.size = buffer.at("size").get<int64_t>();
      r.first = buffer.at("first");
      r.last = buffer.at("last");
      const int64_t fixed = buffer.at("offline");
      if (fixed >= 0) r.fixed_offset = fixed;
      micro.problem.records.push_back(r);
    }
    micro.problem.fixed_may_overlap = true;
    micro.reference = value.at("expect").value("max_size", int64_t{0});
    all.push_back(std::move(micro));
  }
  return all;
}

Result<std::vector<Hard>> ReadHard(const std::string& folder) {
  const std::string at = folder + "/minimalloc/";
  MACE_ASSIGN_OR_RETURN(const json root, ReadJson(at + "timings.json"));
  std::vector<Hard> all;
  for (const json& row : root.at("rows")) {
    Hard hard;
    hard.name = row.at("instance");
    hard.capacity = row.at("capacity");
    hard.reference_s = row.at("here_median_s");
    hard.reference_height = 1e9;
    for (const json& height : row.at("heuristic_height_over_capacity")) {
      hard.reference_height =
          std::min(hard.reference_height, height.get<double>());
    }
    const std::string csv =
        at + hard.name + "." + std::to_string(hard.capacity) + ".csv";
    std::ifstream in(csv);
    if (!in) return InvalidArgument("cannot open '" + csv + "'");
    hard.problem = ReadCsv(&in);
    all.push_back(std::move(hard));
  }
  return all;
}

}  // namespace mace::test
