// MakeShared: std::make_shared in a third of the code.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_MAKE_SHARED_H_
#define MACE_BASE_MAKE_SHARED_H_

#include <memory>
#include <utility>

namespace mace {

// Owns `object`, which `destroy` destroys.
std::shared_ptr<void> Own(void* object, void (*destroy)(void*));

// For what is created seldom: it takes an allocation more. All types share what
// counts their owners, where std::make_shared makes a class with virtual
// functions for each.
template <typename T, typename... Arguments>
std::shared_ptr<T> MakeShared(Arguments&&... arguments) {
  T* const object = new T(std::forward<Arguments>(arguments)...);
  const auto destroy = [](void* it) { delete static_cast<T*>(it); };
  return std::shared_ptr<T>(Own(object, destroy), object);
}

}  // namespace mace

#endif  // MACE_BASE_MAKE_SHARED_H_
