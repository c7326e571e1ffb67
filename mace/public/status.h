// MaceStatus: what every call that can fail returns.
// SPDX-License-Identifier: Apache-2.0
//
// A status holds a code for programs and a message for people. Success is a
// null pointer, so that creating, copying and testing it costs nothing. Any
// number of threads may use a status at once; only changing one that another
// thread uses (assigning to it or moving from it) needs a lock.
#ifndef MACE_PUBLIC_STATUS_H_
#define MACE_PUBLIC_STATUS_H_

#include <string>
#include <utility>

#include "mace/public/mace_api.h"

namespace mace {

class MACE_NODISCARD MaceStatus {
 public:
  // Who is at fault.
  enum Code {
    MACE_SUCCESS = 0,
    MACE_INVALID_ARGS = 1,      // the caller: a name, shape, size or option
    MACE_OUT_OF_RESOURCES = 2,  // the machine: memory, disk
    MACE_UNSUPPORTED = 3,     // nobody: valid, but this device or build cannot
    MACE_RUNTIME_ERROR = 4,   // a driver or accelerator, a custom op's Run, a
                              // loop without end, NaN (SetNumericCheck)
    MACE_INVALID_MODEL = 5,   // the file: corrupt or self-contradictory
    MACE_INTERNAL_ERROR = 6,  // us: a broken invariant; please report it
    MACE_CANCELLED = 7,       // nobody: the caller ended it (MaceCancellation)
  };

  MaceStatus() = default;
  MACE_API MaceStatus(Code code);  // NOLINT: implicit
  MACE_API MaceStatus(Code code, const std::string& message);
  MaceStatus(const MaceStatus& other) : error_(other.error_) {
    if (error_ != nullptr) Share();
  }
  MaceStatus(MaceStatus&& other) noexcept : error_(other.error_) {
    other.error_ = nullptr;
  }
  MaceStatus& operator=(MaceStatus other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~MaceStatus() {
    if (error_ != nullptr) Release();
  }

  bool ok() const { return error_ == nullptr; }
  MACE_API Code code() const;
  // The message; empty on success.
  MACE_API std::string information() const;

  // Compare code() only, not the messages.
  bool operator==(const MaceStatus& other) const {
    return code() == other.code();
  }
  bool operator!=(const MaceStatus& other) const {
    return code() != other.code();
  }

 private:
  struct Error;  // counts the statuses that share it

  MACE_API void Share() const;
  MACE_API void Release();

  Error* error_ = nullptr;
};

}  // namespace mace

#endif  // MACE_PUBLIC_STATUS_H_
