// What the functions of a MaceCustomOp are given: attributes, shapes, tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_OP_ARGS_H_
#define MACE_PUBLIC_MACE_OP_ARGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mace/public/mace_c_op.h"
#include "mace/public/mace_tensor.h"
#include "mace/public/status.h"

namespace mace {

// The attributes of a node. An object refers to the arguments of one call of
// Init, and must not outlive it; what Read stores is a copy. Errors of Read and
// Require: MACE_INVALID_ARGS with the attribute's name and what is wrong.
class MaceOpAttributes {
 public:
  explicit MaceOpAttributes(const mace_op_init_args_t& args) : args_(args) {}

  // The node's name in the model, for messages.
  std::string node() const { return args_.node; }
  // The numbers of inputs and outputs that the model file lists, absent ones in
  // between included.
  int num_inputs() const { return args_.num_inputs; }
  int num_outputs() const { return args_.num_outputs; }
  bool Has(const char* name) const {
    return mace_op_find_attribute(&args_, name) != nullptr;
  }

  // Reads an attribute; T is int64_t, float, std::string (any bytes) or a
  // std::vector of int64_t or float. An integer may stand for a float, but a
  // list of integers not for a list of floats. If the node has no such
  // attribute, Read leaves *value as it is and returns success.
  template <typename T>
  MaceStatus Read(const char* name, T* value) const {
    const mace_op_attribute_t* a = mace_op_find_attribute(&args_, name);
    if (a == nullptr || Convert(*a, value)) return MaceStatus();
    return MaceStatus(MaceStatus::MACE_INVALID_ARGS,
                      std::string("attribute '") + name + "' is " +
                          TypeName(a->type) + ", not " +
                          TypeName(TypeOf(value)));
  }
  // The same, but fails if the node has no such attribute.
  template <typename T>
  MaceStatus Require(const char* name, T* value) const {
    if (Has(name)) return Read(name, value);
    return MaceStatus(MaceStatus::MACE_INVALID_ARGS,
                      std::string("attribute '") + name + "' is missing");
  }

 private:
  static bool Convert(const mace_op_attribute_t& a, int64_t* value) {
    if (a.type == MACE_OP_INT) *value = a.ints[0];
    return a.type == MACE_OP_INT;
  }
  static bool Convert(const mace_op_attribute_t& a, float* value) {
    if (a.type == MACE_OP_FLOAT) *value = a.floats[0];
    if (a.type == MACE_OP_INT) *value = static_cast<float>(a.ints[0]);
    return a.type == MACE_OP_FLOAT || a.type == MACE_OP_INT;
  }
  static bool Convert(const mace_op_attribute_t& a, std::string* value) {
    if (a.type == MACE_OP_STRING) value->assign(a.bytes, a.count);
    return a.type == MACE_OP_STRING;
  }
  static bool Convert(const mace_op_attribute_t& a,
                      std::vector<int64_t>* value) {
    if (a.type == MACE_OP_INTS) value->assign(a.ints, a.ints + a.count);
    return a.type == MACE_OP_INTS;
  }
  static bool Convert(const mace_op_attribute_t& a, std::vector<float>* value) {
    if (a.type == MACE_OP_FLOATS) value->assign(a.floats, a.floats + a.count);
    return a.type == MACE_OP_FLOATS;
  }
  static int TypeOf(const int64_t*) { return MACE_OP_INT; }
  static int TypeOf(const float*) { return MACE_OP_FLOAT; }
  static int TypeOf(const std::string*) { return MACE_OP_STRING; }
  static int TypeOf(const std::vector<int64_t>*) { return MACE_OP_INTS; }
  static int TypeOf(const std::vector<float>*) { return MACE_OP_FLOATS; }
  static const char* TypeName(int type) {
    return type == MACE_OP_INT      ? "an integer"
           : type == MACE_OP_FLOAT  ? "a float"
           : type == MACE_OP_STRING ? "a string"
           : type == MACE_OP_INTS   ? "a list of integers"
                                    : "a list of floats";
  }

  const mace_op_init_args_t& args_;
};

// A tensor of a node. Its shape and its data belong to the engine, and are
// valid until the function returns that was given the tensor.
class MaceOpTensorView {
 public:
  explicit MaceOpTensorView(const mace_op_tensor_t* tensor = nullptr)
      : tensor_(tensor != nullptr ? *tensor : mace_op_tensor_t()) {}

  // Whether the node has it. If not, its type is IDT_INVALID, its rank 0 and
  // its data null.
  bool present() const { return tensor_.data_type != MACE_OP_ABSENT; }
  IDataType data_type() const {
    return static_cast<IDataType>(tensor_.data_type);
  }
  // The number of dimensions, up to MACE_OP_MAX_RANK; 0 for a scalar.
  int rank() const { return tensor_.rank; }
  // 0 for an axis that is not in [0, rank).
  int64_t dim(int axis) const {
    return axis >= 0 && axis < tensor_.rank ? tensor_.shape[axis] : 0;
  }
  std::vector<int64_t> shape() const {
    return std::vector<int64_t>(tensor_.shape, tensor_.shape + tensor_.rank);
  }
  // The product of all dimensions: 1 for a scalar, 0 for an empty tensor.
  int64_t num_elements() const {
    int64_t n = 1;
    for (int i = 0; i < tensor_.rank; ++i) n *= tensor_.shape[i];
    return n;
  }
  // The elements in row-major order, without gaps. T must have the size of
  // data_type(), which is not checked. Inputs must not be written. Null in
  // Prepare, except for constants.
  template <typename T>
  T* data() const {
    return static_cast<T*>(tensor_.data);
  }

 private:
  mace_op_tensor_t tensor_;
};

// What Prepare reads and sets. An object refers to the arguments of one call,
// and must not outlive it.
class MaceOpShapes {
 public:
  explicit MaceOpShapes(mace_op_prepare_args_t* args) : args_(args) {}

  int num_inputs() const { return args_->num_inputs; }
  int num_outputs() const { return args_->num_outputs; }
  // Not present if the node has no such input.
  MaceOpTensorView input(int i) const {
    return MaceOpTensorView(i >= 0 && i < args_->num_inputs ? args_->inputs[i]
                                                            : nullptr);
  }

  // Sets the type and shape of output `i`. Prepare must set every output.
  // Errors: MACE_INVALID_ARGS for an output that the node does not have, and
  // for more than MACE_OP_MAX_RANK dimensions.
  MaceStatus SetOutput(int i, IDataType type,
                       const std::vector<int64_t>& shape) {
    if (i < 0 || i >= args_->num_outputs) {
      return MaceStatus(MaceStatus::MACE_INVALID_ARGS,
                        "there is no output " + std::to_string(i) +
                            "; the node has " +
                            std::to_string(args_->num_outputs));
    }
    if (shape.size() > MACE_OP_MAX_RANK) {
      return MaceStatus(MaceStatus::MACE_INVALID_ARGS,
                        "output " + std::to_string(i) + " has " +
                            std::to_string(shape.size()) + " dimensions, and " +
                            std::to_string(int{MACE_OP_MAX_RANK}) +
                            " are the most");
    }
    mace_op_output_t* const output = args_->outputs[i];
    output->data_type = type;
    output->rank = static_cast<int32_t>(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) output->shape[d] = shape[d];
    return MaceStatus();
  }
  // Asks for memory that Run may use, planned like any tensor's. Its contents
  // are undefined when Run begins.
  void SetScratchBytes(size_t bytes) { args_->scratch_bytes = bytes; }
  // Permits output 0 to be written into the bytes of input `i`, if both have
  // the same number of bytes and nothing reads the input later: Run must then
  // work although both may have one address.
  void SetInPlaceInput(int i) { args_->in_place_input = i; }

 private:
  mace_op_prepare_args_t* args_;
};

// What Run reads and writes: tensors of the types and shapes that Prepare saw
// and set. An object refers to the arguments of one call, and must not outlive
// it; the functions given to ParallelFor may use it from their threads.
class MaceOpTensors {
 public:
  explicit MaceOpTensors(const mace_op_invoke_args_t& args) : args_(args) {}

  int num_inputs() const { return args_.num_inputs; }
  int num_outputs() const { return args_.num_outputs; }
  MaceOpTensorView input(int i) const {
    return MaceOpTensorView(i >= 0 && i < args_.num_inputs ? args_.inputs[i]
                                                           : nullptr);
  }
  MaceOpTensorView output(int i) const {
    return MaceOpTensorView(i >= 0 && i < args_.num_outputs ? args_.outputs[i]
                                                            : nullptr);
  }
  // The scratch_bytes() bytes that Prepare asked for, at a 64-byte boundary;
  // null if it asked for none.
  void* scratch() const { return args_.scratch; }
  size_t scratch_bytes() const { return args_.scratch_bytes; }
  // The number of the engine's threads.
  int num_threads() const { return args_.num_threads; }

  // Calls f(begin, end) for pieces of [0, n), as described at
  // mace_op_invoke_args_t. F is `void(size_t begin, size_t end)` and must not
  // throw.
  template <typename F>
  void ParallelFor(size_t n, size_t grain, const F& f) const {
    args_.parallel_for(&args_, n, grain, &Call<F>, const_cast<F*>(&f));
  }

 private:
  template <typename F>
  static void Call(void* f, size_t begin, size_t end) {
    (*static_cast<const F*>(f))(begin, end);
  }

  const mace_op_invoke_args_t& args_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_OP_ARGS_H_
