// Choosing mutations and applying several to one model.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/mutate.h"

#include <algorithm>

namespace mace::fuzz {
namespace {

// All mutations; each is listed as often as its weight says.
const std::vector<const NamedMutation*>& Urn() {
  static const auto* urn = [] {
    auto* all = new std::vector<const NamedMutation*>;
    for (const auto* list : {&NodeMutations(), &ModelMutations()}) {
      for (const NamedMutation& m : *list)
        all->insert(all->end(), m.weight, &m);
    }
    return all;
  }();
  return *urn;
}

}  // namespace

std::string Mutate(const std::vector<const Seed*>& donors, Draft* draft,
                   Random& random) {
  // Declared output types that no longer match would be the reason to refuse
  // most mutated models.
  if (random.Percent(95)) {
    for (proto::OperatorDef& op : *draft->net.mutable_op()) {
      op.clear_output_shape();
      op.clear_output_type();
    }
  }
  std::string names;
  int count = 1;
  while (count < 8 && random.Percent(45)) ++count;
  for (int i = 0; i < count; ++i) {
    // A mutation that does not apply is replaced by another one.
    for (int tries = 0; tries < 10; ++tries) {
      const NamedMutation& mutation = *random.Of(Urn());
      if (!mutation.apply(donors, draft, random)) continue;
      names += (names.empty() ? "" : " ") + std::string(mutation.name);
      break;
    }
  }
  return names;
}

void FlipBytes(std::string* bytes, Random& random) {
  if (bytes->empty()) return;
  const int64_t size = static_cast<int64_t>(bytes->size());
  for (int64_t n = random.Between(1, 4); n > 0; --n) {
    char& byte = (*bytes)[static_cast<size_t>(random.Below(size))];
    byte = static_cast<char>(random.Percent(50) ? byte ^ (1 << random.Below(8))
                                                : random.Below(256));
  }
  if (random.Percent(10)) {
    bytes->resize(static_cast<size_t>(random.Below(size)));
  }
}

}  // namespace mace::fuzz
