// MakeShared: std::make_shared in a third of the code.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_MAKE_SHARED_H_
#define MACE_BASE_MAKE_SHARED_H_

#include <memory>
#include <utility>

namespace mace {

// Owns `object`, which `destroy` destroys.
std::shared_ptr<void> Own(void* object, void (*destroy)(void*));

// For objects that are created seldom: takes one allocation more than
// std::make_shared. All types share one control block class, where
// std::make_shared compiles a class with virtual functions for each type.
template <typename T, typename... Arguments>
std::shared_ptr<T> MakeShared(Arguments&&... arguments) {
  T* const object = new T(std::forward<Arguments>(arguments)...);
  const auto destroy = [](void* it) { delete static_cast<T*>(it); };
  return std::shared_ptr<T>(Own(object, destroy), object);
}

}  // namespace mace

#endif  // MACE_BASE_MAKE_SHARED_H_
