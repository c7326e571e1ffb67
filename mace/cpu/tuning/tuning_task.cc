// Names and estimates what is tuned.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/tuning/tuning_task.h"

#include <type_traits>
#include <variant>

#include "mace/base/text_stream.h"

namespace mace::cpu {
namespace {

// The multiply-adds that a core executes while a byte is moved.
constexpr double kPerByte = 4;

void Print(const Attr& attr, TextStream& out) {
  std::visit(
      [&out](const auto& value) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>> ||
                      std::is_same_v<std::decay_t<decltype(value)>,
                                     std::string>) {
          out << value;
        } else {
          for (const auto& element : value) out << element << ' ';
        }
      },
      attr);
}

}  // namespace

std::string KeyOf(const std::vector<FusedNode>& links,
                  const CpuContext& context) {
  TextStream key;
  key << "winograd " << context.max_winograd;
  for (const FusedNode& link : links) {
    const Node& node = *link.node;
    key << " | " << node.op << '(';
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Operand& operand = node.inputs[i];
      key << (i > 0 ? ", " : "");
      if (static_cast<int>(i) == link.previous) key << "previous ";
      if (operand.data != nullptr) key << "constant ";
      if (operand.stored != DataType::kInvalid) key << Name(operand.stored);
      if (operand.present()) key << ToString(operand.type);
    }
    key << ')';
    for (const auto& [name, attr] : node.attrs) {
      key << ' ' << name << '=';
      Print(attr, key);
    }
  }
  return key.str();
}

double CostOf(const Kernel& kernel, const std::vector<FusedNode>& links) {
  double bytes = 0;
  for (const FusedNode& link : links) {
    for (const Operand& operand : link.node->inputs) {
      if (operand.present()) bytes += static_cast<double>(Bytes(operand.type));
    }
    for (const TensorType& type : link.node->outputs) {
      bytes += static_cast<double>(Bytes(type));
    }
  }
  return static_cast<double>(kernel.cost_macs()) + kPerByte * bytes;
}

}  // namespace mace::cpu
