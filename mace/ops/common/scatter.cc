// What scattering does with an element that is already there.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/scatter.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr NamedValue<ScatterKind> kKinds[] = {
    {"NONE", ScatterKind::kNone}, {"SUM", ScatterKind::kSum},
    {"PROD", ScatterKind::kProd}, {"MIN", ScatterKind::kMin},
    {"MAX", ScatterKind::kMax},
};

}  // namespace

Result<ScatterKind> ScatterKindOf(const Node& node, const std::string& name) {
  return ValueNamed(node, kKinds, "reduction", name);
}

Op WithReduction(Op&& op) {
  return std::move(op)
      .Choices("reduction", NamesIn(kKinds))
      .Takes({AnyType(), Indices(), AsInput(0)})
      .TakesWith("reduction", Texts{"SUM PROD MIN MAX"}, Numbers());
}

}  // namespace mace
