// MaceStatus: what every call that can fail returns.
// SPDX-License-Identifier: Apache-2.0
//
// A status holds a code for programs and a message for people. Success is a
// null pointer, so it costs nothing to create, copy and test. A status is
// immutable; only assigning to one that another thread uses needs a lock.
#ifndef MACE_PUBLIC_STATUS_H_
#define MACE_PUBLIC_STATUS_H_

#include <memory>
#include <string>
#include <utility>

namespace mace {

class [[nodiscard]] MaceStatus {
 public:
  // The code says who is at fault.
  enum Code {
    MACE_SUCCESS = 0,
    MACE_INVALID_ARGS = 1,      // the caller: a name, shape, size or option
    MACE_OUT_OF_RESOURCES = 2,  // the machine: memory, disk
    MACE_UNSUPPORTED = 3,     // nobody: valid, but this device or build cannot
    MACE_RUNTIME_ERROR = 4,   // a driver or accelerator
    MACE_INVALID_MODEL = 5,   // the file: corrupt or self-contradictory
    MACE_INTERNAL_ERROR = 6,  // us: a broken invariant; please report it
    MACE_CANCELLED = 7,       // nobody: the caller ended it (MaceCancellation)
  };

  MaceStatus() = default;
  MaceStatus(Code code)
      : MaceStatus(code, std::string()) {}  // NOLINT: implicit
  MaceStatus(Code code, std::string message)
      : error_(code == MACE_SUCCESS ? nullptr
                                    : std::make_shared<const Error>(
                                          Error{code, std::move(message)})) {}

  bool ok() const { return error_ == nullptr; }
  Code code() const { return ok() ? MACE_SUCCESS : error_->code; }
  // Empty on success.
  std::string information() const {
    return ok() ? std::string() : error_->message;
  }

  bool operator==(const MaceStatus& other) const {
    return code() == other.code();
  }
  bool operator!=(const MaceStatus& other) const {
    return code() != other.code();
  }

 private:
  struct Error {
    Code code;
    std::string message;
  };
  std::shared_ptr<const Error> error_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_STATUS_H_
