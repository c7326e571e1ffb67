// TextStream: text put together with <<, without the weight of <ostream>.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_TEXT_STREAM_H_
#define MACE_BASE_TEXT_STREAM_H_

#include <string>
#include <type_traits>

namespace mace {

// Writes numbers as std::ostringstream does by default: floating-point ones
// with six significant digits.
class TextStream {
 public:
  TextStream& operator<<(const char* text);
  TextStream& operator<<(const std::string& text);
  TextStream& operator<<(char c);
  TextStream& operator<<(double number);

  template <typename T>
  std::enable_if_t<std::is_integral_v<T>, TextStream&> operator<<(T number) {
    if constexpr (std::is_signed_v<T>) return AddSigned(number);
    return AddUnsigned(number);
  }

  const std::string& str() const { return text_; }

 private:
  TextStream& AddSigned(long long number);
  TextStream& AddUnsigned(unsigned long long number);

  std::string text_;
};

}  // namespace mace

#endif  // MACE_BASE_TEXT_STREAM_H_
