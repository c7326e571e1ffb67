// Result<T>, functions that make errors, and three macros that return them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_STATUS_H_
#define MACE_BASE_STATUS_H_

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "mace/base/str_cat.h"
#include "mace/public/status.h"

namespace mace {

using Status = MaceStatus;

// Returns an error whose message joins the parts as JoinParts does (str_cat.h).
Status MakeError(Status::Code code, PartKinds kinds, ...);

// Returns `status`, or an internal error in place of success.
Status WithoutValue(Status status);

// Each returns an error of its code, whose message is the parts as StrCat joins
// them. Of messages above 8 KiB, the middle is cut out. public/status.h
// describes what each code means.
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

// For the constructor of Result that makes the value where it stays.
struct InPlace {};

// Holds either a T or the error that explains why there is none. A Result that
// was moved from keeps its status: ok() stays as it was, and the value is as
// T's move leaves it.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Holds T().
  explicit Result(InPlace) : value_() {}
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit by design
  // REQUIRES: !status.ok(); success becomes MACE_INTERNAL_ERROR.
  Result(Status status)  // NOLINT: implicit by design
      : status_(WithoutValue(std::move(status))), none_() {}
  // Copies the status: that of `other` decides whether it destroys a value.
  Result(Result&& other) noexcept : status_(other.status_), none_() {
    if (ok()) new (&value_) T(std::move(other.value_));
  }
  Result& operator=(const Result&) = delete;
  ~Result() {
    if (ok()) value_.~T();
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }

  // For MACE_ASSIGN_OR_RETURN, which calls TakeStatus if !ok() and DestroyValue
  // if ok(), and does not destroy the object afterwards.
  Status TakeStatus() { return std::move(status_); }
  void DestroyValue() { value_.~T(); }

  // Gives up the value for an error. REQUIRES: ok(), and !status.ok().
  void Fail(Status status) {
    value_.~T();
    status_ = std::move(status);
  }

  // REQUIRES: ok().
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  Status status_;
  union {
    T value_;  // if status_ is ok
    char none_;
  };
};

// An object that is never destroyed. The macros below know when it has nothing
// left to destroy, which the compiler cannot see: each saves a call.
template <typename T>
union LeftAlone {
  T object;
  ~LeftAlone() {}
};
template <typename T>
LeftAlone(T) -> LeftAlone<T>;

}  // namespace mace

// Evaluates `expr`, a Status, and returns it from the function if it is an
// error.
#define MACE_RETURN_IF_ERROR(expr)                                     \
  do {                                                                 \
    if (::mace::LeftAlone<::mace::Status> s_{(expr)}; !s_.object.ok()) \
      return std::move(s_.object);                                     \
  } while (false)

// Evaluates `expr`, a Result, and returns its error from the function;
// otherwise moves its value to `lhs`, which may be a declaration:
//
//   MACE_ASSIGN_OR_RETURN(const AlignedBuffer buffer,
//                         AlignedBuffer::Create(bytes, "a copy"));
//
// It is several statements, so not the body of an if or a loop without braces,
// and at most one of them fits a line.
#define MACE_ASSIGN_OR_RETURN(lhs, expr) \
  MACE_ASSIGN_OR_RETURN_(lhs, expr, __LINE__)
#define MACE_ASSIGN_OR_RETURN_(lhs, expr, line) \
  MACE_ASSIGN_OR_RETURN__(lhs, expr, line)
#define MACE_ASSIGN_OR_RETURN__(lhs, expr, line)                            \
  ::mace::LeftAlone result_##line{(expr)};                                  \
  if (!result_##line.object.ok()) return result_##line.object.TakeStatus(); \
  lhs = std::move(*result_##line.object);                                   \
  result_##line.object.DestroyValue()

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
