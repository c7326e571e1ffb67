// Questions about the elements of a list, in little code.
// SPDX-License-Identifier: Apache-2.0
//
// libstdc++ repeats the loops of std::find, std::any_of and their like four
// times, which is for long lists in hot code. These are for all others.
#ifndef MACE_BASE_SEARCH_H_
#define MACE_BASE_SEARCH_H_

namespace mace {

// Returns where the first element is for which `is_it` holds; else the end.
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
