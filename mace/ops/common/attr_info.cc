// Listing attributes, once for all ops.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/attr_info.h"

namespace mace {

void AttrLister::operator()(const char* name, int64_t f) {
  Add(name, f, "int");
}

void AttrLister::operator()(const char* name, bool f) {
  Add(name, int64_t{f}, "bool");
}

void AttrLister::operator()(const char* name, float f) {
  Add(name, f, "float");
}

void AttrLister::operator()(const char* name, const std::string& f) {
  Add(name, f, "string");
}

void AttrLister::operator()(const char* name, const std::vector<int64_t>& f) {
  Add(name, f, "ints");
}

void AttrLister::operator()(const char* name, const std::vector<float>& f) {
  Add(name, f, "floats");
}

void AttrLister::Add(const char* name, Attr initial, const char* type) {
  AttrInfo info;
  info.name = name;
  info.initial = std::move(initial);
  info.type = type;
  attrs.push_back(std::move(info));
}

}  // namespace mace
