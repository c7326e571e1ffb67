// Folding the names of steps.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/step_names.h"

#include <map>

namespace mace::tools {
namespace {

// The names of the nodes that a step runs. Only steps of several nodes have an
// op with a plus.
std::vector<std::string> NodesOf(const OperatorStats& op) {
  const std::string joint = " + ";
  std::vector<std::string> names;
  size_t begin = 0;
  if (op.type.find('+') != std::string::npos) {
    for (size_t at = op.operator_name.find(joint); at != std::string::npos;
         at = op.operator_name.find(joint, begin)) {
      names.push_back(op.operator_name.substr(begin, at - begin));
      begin = at + joint.size();
    }
  }
  names.push_back(op.operator_name.substr(begin));
  return names;
}

bool Below(const std::string& name, const std::string& path) {
  return name.compare(0, path.size(), path) == 0;
}

// The longest path that more than half of the names lie below.
std::string CommonPath(const std::vector<std::string>& names) {
  std::string path;
  for (;;) {
    std::map<std::string, size_t> counts;
    for (const std::string& name : names) {
      const size_t slash = name.find('/', path.size());
      if (Below(name, path) && slash != std::string::npos) {
        ++counts[name.substr(0, slash + 1)];
      }
    }
    std::string longer;
    for (const auto& [candidate, count] : counts) {
      if (2 * count > names.size()) longer = candidate;
    }
    if (longer.empty()) return path;
    path = longer;
  }
}

}  // namespace

StepNames::StepNames(const std::vector<OpTimes>& ops, bool fold) : fold_(fold) {
  if (!fold) return;
  std::vector<std::string> names;
  for (const OpTimes& t : ops) {
    const std::vector<std::string> nodes = NodesOf(t.op);
    folded_ = folded_ || nodes.size() > 1;
    names.insert(names.end(), nodes.begin(), nodes.end());
  }
  path_ = CommonPath(names);
}

std::string StepNames::Of(const OperatorStats& op) const {
  if (!fold_) return op.operator_name;
  const std::vector<std::string> names = NodesOf(op);
  const auto inside = [&](const std::string& name) {
    return Below(name, path_) ? name.substr(path_.size()) : name;
  };
  const std::string last = inside(names.back());
  return names.size() == 1 ? last
                           : '[' + std::to_string(names.size()) + "] " + last;
}

std::string StepNames::Note() const {
  std::string note;
  if (!path_.empty()) note += "Names are those below '" + path_ + "'.\n";
  if (folded_) note += "[n] name: a step of n nodes that ends with that one.\n";
  return note;
}

}  // namespace mace::tools
