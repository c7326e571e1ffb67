// Errors: made and shared here, so that those who report them stay small.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/status.h"

#include <atomic>
#include <cstdarg>

#include "mace/base/utf8.h"

namespace mace {

// Bytes. Lists of names can be of any length.
static constexpr size_t kMaxMessage = 8192;

struct MaceStatus::Error {
  Error(Code c, std::string m) : code(c), message(std::move(m)) {}

  const Code code;
  const std::string message;
  std::atomic<int> owners{1};
};

MaceStatus::MaceStatus(Code code) : MaceStatus(code, std::string()) {}

MaceStatus::MaceStatus(Code code, const std::string& message)
    : error_(code == MACE_SUCCESS ? nullptr : new Error(code, message)) {}

MaceStatus::Code MaceStatus::code() const {
  return ok() ? MACE_SUCCESS : error_->code;
}

std::string MaceStatus::information() const {
  return ok() ? std::string() : error_->message;
}

void MaceStatus::Share() const {
  error_->owners.fetch_add(1, std::memory_order_relaxed);
}

void MaceStatus::Release() {
  if (error_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete error_;
  }
}

Status MakeError(Status::Code code, PartKinds kinds, ...) {
  va_list parts;
  va_start(parts, kinds);
  Status error(code, WithoutMiddle(JoinPartList(kinds, parts), kMaxMessage));
  va_end(parts);
  return error;
}

Status WithoutValue(Status status) {
  if (status.ok()) return InternalError("success without a value");
  return status;
}

}  // namespace mace
