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
// but not if Create failed. Each CustomState holds its op.
class CustomOp {
 public:
  // Copies the registration and its name. Errors: MACE_INVALID_ARGS for a
  // registration that is incomplete, has a free without an init, a negative
  // version or a smaller struct_size than this library's, or whose name is
  // empty, has other characters than letters, digits and _.:/-, or is that of
  // an op of this library, "Upload" or "Download".
  static Result<std::shared_ptr<const CustomOp>> Create(
      const mace_op_registration_t& registration);
  virtual ~CustomOp();
  CustomOp(const CustomOp&) = delete;
  CustomOp& operator=(const CustomOp&) = delete;

  // As CustomState::Create with `self`, which is this object. Virtual, as
  // CustomState::Prepare is, so that a library that registers no ops does not
  // link the code.
  virtual Result<std::shared_ptr<CustomState>> MakeState(
      std::shared_ptr<const CustomOp> self, const Node& node,
      size_t num_inputs) const;

  const std::string& name() const { return name_; }
  // The functions of the app. `name` points into this object.
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
  // Appends a tensor, or an absent one for the type kInvalid. `type.shape` and
  // the elements at `data` must stay where they are while the object is used.
  void Add(const TensorType& type, const void* data);

  size_t size() const { return tensors_.size(); }
  // Replaces the elements of tensor `i`; pointers() stay valid.
  void SetData(size_t i, void* data) { tensors_[i].data = data; }
  // Returns size() pointers. Valid until the next Add, and as long as this
  // object.
  const mace_op_tensor_t* const* pointers();

 private:
  std::vector<mace_op_tensor_t> tensors_;
  std::vector<const mace_op_tensor_t*> pointers_;
};

// What init made for one node of one engine. The destructor calls free if init
// was called, also if init failed. Not thread-safe.
class CustomState {
 public:
  // Calls init, if the op has one, for a node with its attributes and numbers
  // of inputs and outputs. Reads `num_inputs`, not node.inputs. Errors:
  // MACE_INVALID_MODEL, with the node and the op's reason, or for an op_version
  // that is no integer; MACE_UNSUPPORTED if the model asks for a newer version
  // of the op than is registered (a registered version of 0 is for all).
  static Result<std::shared_ptr<CustomState>> Create(
      std::shared_ptr<const CustomOp> op, const Node& node, size_t num_inputs);
  virtual ~CustomState();
  CustomState(const CustomState&) = delete;
  CustomState& operator=(const CustomState&) = delete;

  // Calls prepare for the node's inputs, whose contents it sees if they are
  // known, and sets its outputs and the fields of node.custom. Infer calls this
  // for such a node and does nothing else. Errors: MACE_INVALID_MODEL with the
  // node and the op's reason; MACE_INVALID_ARGS if the op sets an element type,
  // rank, shape, scratch size or in_place_input that is out of range.
  virtual Status Prepare(Node& node);

  // The number of the latest call of prepare: what an op stored then is for the
  // node whose node.custom.prepared has this number.
  uint64_t prepared() const { return prepared_; }

  // Calls invoke with `args`. REQUIRES: Prepare succeeded. Errors:
  // MACE_RUNTIME_ERROR with the node and the op's reason.
  Status Invoke(const Node& node, const mace_op_invoke_args_t& args);

 private:
  explicit CustomState(std::shared_ptr<const CustomOp> op)
      : op_(std::move(op)) {}
  Status Init(const Node& node, size_t num_inputs);

  std::shared_ptr<const CustomOp> op_;
  void* state_ = nullptr;
  // Whether init was called, also if it failed: then free, if there is one,
  // must be called.
  bool called_init_ = false;
  uint64_t prepared_ = 0;
};

}  // namespace mace

#endif  // MACE_OPS_COMMON_CUSTOM_OP_H_
