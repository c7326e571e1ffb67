// Questions about the elements of a list, in little code.
// SPDX-License-Identifier: Apache-2.0
//
// libstdc++ unrolls the loops of std::find, std::any_of and their like four
// times, for long lists in hot code. These functions are for all other lists.
#ifndef MACE_BASE_SEARCH_H_
#define MACE_BASE_SEARCH_H_

namespace mace {

// Returns an iterator to the first element for which `is_it` holds, or
// list.end().
template <typename List, typename F>
auto FindIf(List& list, const F& is_it) -> decltype(list.begin()) {
  auto it = list.begin();
  while (it != list.end() && !is_it(*it)) ++it;
  return it;
}

template <typename List, typename F>
bool AnyOf(const List& list, const F& is_it) {
  return FindIf(list, is_it) != list.end();
}

template <typename List, typename F>
bool AllOf(const List& list, const F& is_it) {
  return !AnyOf(list, [&](const auto& element) { return !is_it(element); });
}

template <typename List, typename T>
bool Contains(const List& list, const T& value) {
  return AnyOf(list, [&](const auto& element) { return element == value; });
}

}  // namespace mace

#endif  // MACE_BASE_SEARCH_H_
