// LargeArray: an array whose size depends on a model or on the caller.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_LARGE_ARRAY_H_
#define MACE_BASE_LARGE_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "mace/base/aligned_buffer.h"

namespace mace {

// Used in place of a std::vector, which would end the process when there is no
// memory left. Movable.
template <typename T>
class LargeArray {
  static_assert(std::is_trivially_copyable<T>::value,
                "elements are bytes that may be 0");

 public:
  LargeArray() = default;
  // Allocates `size` elements whose bytes are 0; data() is null if `size` is 0.
  // `what` names their purpose in messages. Errors: MACE_OUT_OF_RESOURCES, also
  // for a negative `size`.
  static Result<LargeArray> Create(int64_t size, const char* what) {
    // The largest size that a pointer can address; it matters on 32-bit CPUs.
    constexpr int64_t kMax = std::numeric_limits<ptrdiff_t>::max() /
                             static_cast<ptrdiff_t>(sizeof(T));
    LargeArray array;
    if (size == 0) return array;
    MACE_ASSIGN_OR_RETURN(
        array.buffer_,
        AlignedBuffer::Create(size < 0 || size > kMax
                                  ? std::numeric_limits<size_t>::max()
                                  : static_cast<size_t>(size) * sizeof(T),
                              what));
    array.size_ = static_cast<size_t>(size);
    std::memset(array.data(), 0, array.size_ * sizeof(T));
    return array;
  }

  // The array owns its elements, but is as const as a pointer: elements of a
  // const array may be written.
  T* data() const { return static_cast<T*>(buffer_.data()); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  T& operator[](size_t i) const { return data()[i]; }

 private:
  AlignedBuffer buffer_;
  size_t size_ = 0;
};

}  // namespace mace

#endif  // MACE_BASE_LARGE_ARRAY_H_
