// Result<T>, functions that make errors, and three macros that return them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_STATUS_H_
#define MACE_BASE_STATUS_H_

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "mace/base/str_cat.h"
#include "mace/public/status.h"

namespace mace {

using Status = MaceStatus;

// An error whose message is all parts together (str_cat.h).
Status MakeError(Status::Code code, PartKinds kinds, ...);

// Returns `status`, or an internal error in place of success.
Status WithoutValue(Status status);

template <typename... Parts>
[[gnu::always_inline]] inline Status InvalidArgument(const Parts&... parts) {
  return MakeError(Status::MACE_INVALID_ARGS, KindsOfParts<Parts...>(),
                   PassPart(parts)...);
}
template <typename... Parts>
[[gnu::always_inline]] inline Status OutOfResources(const Parts&... parts) {
  return MakeError(Status::MACE_OUT_OF_RESOURCES, KindsOfParts<Parts...>(),
                   PassPart(parts)...);
}
template <typename... Parts>
[[gnu::always_inline]] inline Status Unsupported(const Parts&... parts) {
  return MakeError(Status::MACE_UNSUPPORTED, KindsOfParts<Parts...>(),
                   PassPart(parts)...);
}
template <typename... Parts>
[[gnu::always_inline]] inline Status RuntimeError(const Parts&... parts) {
  return MakeError(Status::MACE_RUNTIME_ERROR, KindsOfParts<Parts...>(),
                   PassPart(parts)...);
}
template <typename... Parts>
[[gnu::always_inline]] inline Status InvalidModel(const Parts&... parts) {
  return MakeError(Status::MACE_INVALID_MODEL, KindsOfParts<Parts...>(),
                   PassPart(parts)...);
}
template <typename... Parts>
[[gnu::always_inline]] inline Status Cancelled(const Parts&... parts) {
  return MakeError(Status::MACE_CANCELLED, KindsOfParts<Parts...>(),
                   PassPart(parts)...);
}
template <typename... Parts>
[[gnu::always_inline]] inline Status InternalError(const Parts&... parts) {
  return MakeError(Status::MACE_INTERNAL_ERROR, KindsOfParts<Parts...>(),
                   PassPart(parts)...);
}

// Holds either a T or the error that explains why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit by design
  // REQUIRES: !status.ok().
  Result(Status status)  // NOLINT: implicit by design
      : status_(WithoutValue(std::move(status))) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  // REQUIRES: ok().
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace mace

#define MACE_RETURN_IF_ERROR(expr)                       \
  do {                                                   \
    if (::mace::Status s_ = (expr); !s_.ok()) return s_; \
  } while (false)

#define MACE_ASSIGN_OR_RETURN(lhs, expr) \
  MACE_ASSIGN_OR_RETURN_(lhs, expr, __LINE__)
#define MACE_ASSIGN_OR_RETURN_(lhs, expr, line) \
  MACE_ASSIGN_OR_RETURN__(lhs, expr, line)
#define MACE_ASSIGN_OR_RETURN__(lhs, expr, line)                     \
  auto result_##line = (expr);                                       \
  if (!result_##line.ok()) return std::move(result_##line).status(); \
  lhs = std::move(*result_##line)

// Checks an invariant of this library. If it is broken, a debug build stops and
// a release build returns MACE_INTERNAL_ERROR.
#ifdef NDEBUG
#define MACE_ENSURE(cond)                                               \
  do {                                                                  \
    if (!(cond))                                                        \
      return ::mace::InternalError(__FILE__ ":", __LINE__, ": " #cond); \
  } while (false)
#else
#define MACE_ENSURE(cond)                                   \
  do {                                                      \
    if (!(cond)) std::abort(); /* lint: MACE_ENSURE only */ \
  } while (false)
#endif

#endif  // MACE_BASE_STATUS_H_
