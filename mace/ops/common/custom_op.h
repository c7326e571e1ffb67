// CustomState: a node of an op that the app registered, between this library's
// types and those of mace_c_op.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_CUSTOM_OP_H_
#define MACE_OPS_COMMON_CUSTOM_OP_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/graph/node.h"
#include "mace/public/mace_c_op.h"

namespace mace {

// A registered op. Immutable; calls `release` when nobody holds it any more,
// but not if Create failed.
class CustomOp {
 public:
  // Errors: MACE_INVALID_ARGS for a registration that is incomplete, or whose
  // name cannot be that of a custom op.
  static Result<std::shared_ptr<const CustomOp>> Create(
      const mace_op_registration_t& registration);
  virtual ~CustomOp();
  CustomOp(const CustomOp&) = delete;
  CustomOp& operator=(const CustomOp&) = delete;

  // As CustomState::Create with `self`, which is this object. It is virtual, as
  // Prepare below is, so that a library which registers no ops has none of it.
  virtual Result<std::shared_ptr<CustomState>> MakeState(
      std::shared_ptr<const CustomOp> self, const Node& node,
      size_t num_inputs) const;

  const std::string& name() const { return name_; }
  const mace_op_registration_t& calls() const { return calls_; }

 private:
  CustomOp() = default;

  std::string name_;
  mace_op_registration_t calls_ = {};
  bool owns_user_ = false;
};

// The tensors of a node as its op sees them.
class CustomTensors {
 public:
  // `types` must stay where they are.
  void Add(const TensorType& type, const void* data);

  size_t size() const { return tensors_.size(); }
  void SetData(size_t i, void* data) { tensors_[i].data = data; }
  // Valid until the next Add.
  const mace_op_tensor_t* const* pointers();

 private:
  std::vector<mace_op_tensor_t> tensors_;
  std::vector<const mace_op_tensor_t*> pointers_;
};

// What init made for one node of one engine. Not thread-safe.
class CustomState {
 public:
  // Calls init for a node. Its inputs are not read. Errors:
  // MACE_INVALID_MODEL, with the node and the op's reason; MACE_UNSUPPORTED if
  // the model asks for a newer version of the op.
  static Result<std::shared_ptr<CustomState>> Create(
      std::shared_ptr<const CustomOp> op, const Node& node, size_t num_inputs);
  virtual ~CustomState();
  CustomState(const CustomState&) = delete;
  CustomState& operator=(const CustomState&) = delete;

  // Calls prepare for the node's inputs, and sets its outputs and the fields of
  // node.custom. Errors: MACE_INVALID_MODEL with the node and the op's reason;
  // MACE_INVALID_ARGS if the op returns what cannot be.
  virtual Status Prepare(Node& node);

  // The number of the latest call of prepare: what an op stored then is for the
  // node whose node.custom.prepared has this number.
  uint64_t prepared() const { return prepared_; }

  // Calls invoke. Errors: MACE_RUNTIME_ERROR with the node and the op's reason.
  Status Invoke(const Node& node, const mace_op_invoke_args_t& args);

 private:
  explicit CustomState(std::shared_ptr<const CustomOp> op)
      : op_(std::move(op)) {}
  Status Init(const Node& node, size_t num_inputs);

  std::shared_ptr<const CustomOp> op_;
  void* state_ = nullptr;
  bool called_init_ = false;
  uint64_t prepared_ = 0;
};

}  // namespace mace

#endif  // MACE_OPS_COMMON_CUSTOM_OP_H_
