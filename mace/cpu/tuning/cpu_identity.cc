// Reading the processor's name.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/tuning/cpu_identity.h"

#include <fstream>
#include <set>

#include "mace/base/str_cat.h"

namespace mace::cpu {
namespace {

// The keys that tell processors apart: the first three on x86, the others on
// Arm.
const std::set<std::string>& Keys() {
  static const auto* keys = new std::set<std::string>{
      "model name", "cpu family", "model", "CPU implementer", "CPU part"};
  return *keys;
}

std::string Trim(const std::string& s) {
  const size_t begin = s.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return s.substr(begin, s.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

std::string CpuIdentity(CpuFeatures features, int num_threads,
                        const std::string& root) {
  std::set<std::string> properties;  // of all cores, without duplicates
  std::ifstream file(StrCat(root, "/cpuinfo"));
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = Trim(line.substr(0, colon));
    if (Keys().count(key) == 0) continue;
    properties.insert(StrCat(key, ' ', Trim(line.substr(colon + 1))));
  }
  std::string identity = "CPU";
  for (const std::string& property : properties)
    identity += StrCat(", ", property);
  return StrCat(identity, ", ", ToString(features), ", ", num_threads,
                " threads");
}

}  // namespace mace::cpu
