// MaceOpResolver: which ops an engine may run, and the app's own among them;
// MaceCustomOp: such an op as a C++ class.
// SPDX-License-Identifier: Apache-2.0
//
//   class Scale : public mace::MaceCustomOp {
//    public:
//     mace::MaceStatus Init(const mace::MaceOpAttributes& attributes) override
//     {
//       return attributes.Require("factor", &factor_);
//     }
//     mace::MaceStatus Prepare(mace::MaceOpShapes* shapes) override {
//       return shapes->SetOutput(0, mace::IDT_FLOAT, shapes->input(0).shape());
//     }
//     mace::MaceStatus Run(const mace::MaceOpTensors& tensors) override { ... }
//    private:
//     float factor_ = 1;
//   };
//
//   mace::MaceOpResolver resolver;
//   mace::MaceStatus status = resolver.AddCustom<Scale>("Scale");
//   config.SetOpResolver(resolver);
//
// When which function is called, on which thread and with what memory is
// described in mace_c_op.h, over which the classes here are thin wrappers.
#ifndef MACE_PUBLIC_MACE_OP_H_
#define MACE_PUBLIC_MACE_OP_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "mace/public/mace_api.h"
#include "mace/public/mace_c_op.h"
#include "mace/public/mace_op_args.h"
#include "mace/public/status.h"

namespace mace {

// A custom op: one object for each node of each engine, and of each
// QueryArenaBytes. If a function returns an error, the engine returns one with
// the node, the op and the message of that error, but with a code of its own.
// No exception may leave a function.
class MACE_API MaceCustomOp {
 public:
  virtual ~MaceCustomOp() = default;
  // Reads the node's attributes.
  virtual MaceStatus Init(const MaceOpAttributes& /*attributes*/) {
    return MaceStatus();
  }
  // The shape rule: sets all outputs, and the scratch memory that Run needs.
  virtual MaceStatus Prepare(MaceOpShapes* shapes) = 0;
  // Computes the outputs.
  virtual MaceStatus Run(const MaceOpTensors& tensors) = 0;
};

// The ops that an engine may run. Setting up one resolver is for one thread at
// a time; engines keep copies.
class MACE_API MaceOpResolver {
 public:
  MaceOpResolver();
  ~MaceOpResolver();
  MaceOpResolver(const MaceOpResolver& other);
  MaceOpResolver& operator=(const MaceOpResolver& other);

  // Registers a custom op in C; copies all that `op` points to except `user`.
  // Errors: MACE_INVALID_ARGS for a name that is registered already, is that of
  // an op of the library, is empty or has other characters than letters, digits
  // and "_.:/-"; for a function that is missing, a negative version, or a
  // struct_size that is too small.
  MaceStatus AddCustom(const mace_op_registration_t& op);

  // Registers a custom op in C++, of which `make` makes an object for each
  // node; `version` is that of mace_op_registration_t. Errors: the same, and
  // MACE_INVALID_ARGS for an empty `make`.
  typedef std::function<std::unique_ptr<MaceCustomOp>()> Factory;
  MaceStatus AddCustom(const std::string& name, Factory make, int version = 0);
  MaceStatus AddCustom(const char* name, Factory make, int version = 0) {
    return AddCustom(StringOrEmpty(name), std::move(make), version);
  }
  // The same for a class that has a constructor without arguments.
  template <typename Op>
  MaceStatus AddCustom(const std::string& name, int version = 0) {
    return AddCustom(
        name, [] { return std::unique_ptr<MaceCustomOp>(new Op()); }, version);
  }
  template <typename Op>
  MaceStatus AddCustom(const char* name, int version = 0) {
    return AddCustom<Op>(StringOrEmpty(name), version);
  }

  // Registers an op of the library by hand. Engines run all ops of the library
  // unless some are registered in this way; then creating an engine fails with
  // MACE_UNSUPPORTED for a model that needs others, and the message has the
  // lines to add. Errors: MACE_INVALID_ARGS for an op that the library does not
  // have.
  MaceStatus AddBuiltin(const std::string& name);
  MaceStatus AddBuiltin(const char* name) {
    return AddBuiltin(StringOrEmpty(name));
  }

  class Impl;
  const Impl* impl() const { return impl_.get(); }

 private:
  std::unique_ptr<Impl> impl_;
};

// The functions in C that call an object of C++. For MaceOpResolver only.
class MaceCustomOpCalls {
 public:
  static int32_t Init(void* user, const mace_op_init_args_t* args, void** state,
                      mace_op_error_t* error) {
    std::unique_ptr<MaceCustomOp> op =
        (*static_cast<MaceOpResolver::Factory*>(user))();
    if (op == nullptr) return Fail("its factory made no object", error);
    MaceCustomOp* const made = op.release();
    *state = made;  // which Free deletes, even if Init fails
    return Answer(made->Init(MaceOpAttributes(*args)), error);
  }
  static int32_t Prepare(void*, void* state, mace_op_prepare_args_t* args,
                         mace_op_error_t* error) {
    MaceOpShapes shapes(args);
    return Answer(static_cast<MaceCustomOp*>(state)->Prepare(&shapes), error);
  }
  static int32_t Invoke(void*, void* state, const mace_op_invoke_args_t* args,
                        mace_op_error_t* error) {
    return Answer(static_cast<MaceCustomOp*>(state)->Run(MaceOpTensors(*args)),
                  error);
  }
  static void Free(void*, void* state) {
    delete static_cast<MaceCustomOp*>(state);
  }
  static void Release(void* user) {
    delete static_cast<MaceOpResolver::Factory*>(user);
  }

 private:
  static int32_t Fail(const std::string& message, mace_op_error_t* error) {
    const size_t most = sizeof(error->message) - 1;
    const size_t size = message.size() < most ? message.size() : most;
    std::memcpy(error->message, message.data(), size);
    error->message[size] = '\0';
    return 1;
  }
  static int32_t Answer(const MaceStatus& status, mace_op_error_t* error) {
    return status.ok() ? 0 : Fail(status.information(), error);
  }
};

inline MaceStatus MaceOpResolver::AddCustom(const std::string& name,
                                            Factory make, int version) {
  if (!make) {
    return MaceStatus(MaceStatus::MACE_INVALID_ARGS,
                      "custom op '" + name + "': its factory is empty");
  }
  std::unique_ptr<Factory> factory(new Factory(std::move(make)));
  mace_op_registration_t op = mace_op_registration_t();
  op.struct_size = sizeof(op);
  op.name = name.c_str();
  op.version = version;
  op.user = factory.get();
  op.init = &MaceCustomOpCalls::Init;
  op.prepare = &MaceCustomOpCalls::Prepare;
  op.invoke = &MaceCustomOpCalls::Invoke;
  op.free = &MaceCustomOpCalls::Free;
  op.release = &MaceCustomOpCalls::Release;
  const MaceStatus status = AddCustom(op);
  if (status.ok()) (void)factory.release();  // Release deletes it
  return status;
}

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_OP_H_
