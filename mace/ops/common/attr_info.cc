// Attributes and their choices as data.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/attr_info.h"

#include <algorithm>

namespace mace {

std::vector<Choice> ChoicesOf(const Texts& texts) {
  std::vector<Choice> choices;
  const std::string names = texts.names;
  for (size_t begin = 0, end = 0; end < names.size(); begin = end + 1) {
    end = std::min(names.find(' ', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    choices.push_back({name, name});
  }
  return choices;
}

std::vector<Choice> ChoicesOf(const NameTable& table) {
  std::vector<Choice> choices;
  for (size_t i = 0; i < table.count; ++i) {
    const void* row =
        static_cast<const char*>(table.rows) + i * table.row_bytes;
    const std::string name = *static_cast<const char* const*>(row);
    choices.push_back({name, name});
  }
  return choices;
}

std::vector<AttrInfo> ListAttrs(void* attrs, VisitAttrs visit) {
  std::vector<AttrField> fields;
  AttrVisitor visitor(&fields);
  visit(attrs, visitor);
  std::vector<AttrInfo> infos;
  for (AttrField& field : fields) {
    infos.emplace_back();
    infos.back().name = field.name;
    infos.back().initial = std::move(field.initial);
    infos.back().type = field.type;
  }
  return infos;
}

}  // namespace mace
