// Tags and white space around them as Jinja's trim_blocks and lstrip_blocks
// treat them: a newline after a block or comment goes, and so do spaces before
// one at the start of a line.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/jinja_lexer.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace mace::generation::jinja {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Result<std::vector<Token>> Run() {
    // As Jinja does with the last newline of a template.
    if (!source_.empty() && source_.back() == '\n') source_.remove_suffix(1);
    while (at_ < source_.size()) {
      const size_t tag = NextTag();
      AddText(tag);
      if (tag == source_.size()) break;
      at_ = tag;
      MACE_RETURN_IF_ERROR(ReadTag());
    }
    tokens_.push_back({Token::kEnd, "", line_});
    return std::move(tokens_);
  }

 private:
  size_t NextTag() const {
    size_t tag = source_.find('{', at_);
    while (tag != source_.npos &&
           (tag + 1 == source_.size() ||
            std::string_view("{%#").find(source_[tag + 1]) == source_.npos)) {
      tag = source_.find('{', tag + 1);
    }
    return std::min(tag, source_.size());
  }

  // The text from at_ to a tag, without what the tags around it take away.
  void AddText(size_t tag) {
    std::string_view text = source_.substr(at_, tag - at_);
    const int line = line_;
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    if (strip_next_) {
      text.remove_prefix(
          std::min(text.find_first_not_of(kSpaces), text.size()));
    } else if (trim_next_) {
      if (text.substr(0, 2) == "\r\n") text.remove_prefix(1);
      if (text.substr(0, 1) == "\n") text.remove_prefix(1);
    }
    strip_next_ = trim_next_ = false;
    if (tag < source_.size()) {
      const char kind = source_[tag + 1];
      const char sign = tag + 2 < source_.size() ? source_[tag + 2] : ' ';
      if (sign == '-') {
        const size_t last = text.find_last_not_of(kSpaces);
        text = text.substr(0, last == text.npos ? 0 : last + 1);
      } else if (kind != '{' && sign != '+') {
        const size_t last = text.find_last_not_of(" \t");
        const size_t kept = last == text.npos ? 0 : last + 1;
        // Spaces at the start of a line, or of the template.
        const bool at_line = kept == 0
                                 ? tag - text.size() == 0 ||
                                       source_[tag - text.size() - 1] == '\n'
                                 : text[kept - 1] == '\n';
        if (at_line) text = text.substr(0, kept);
      }
    }
    if (!text.empty()) {
      tokens_.push_back({Token::kText, std::string(text), line});
    }
  }

  Status ReadTag() {
    const char kind = source_[at_ + 1];
    at_ += 2;
    if (kind == '#') return SkipComment();
    if (at_ < source_.size() && (source_[at_] == '-' || source_[at_] == '+'))
      ++at_;
    const bool output = kind == '{';
    tokens_.push_back(
        {output ? Token::kOutputBegin : Token::kTagBegin, "", line_});
    const size_t first = tokens_.size();
    const std::string_view end = output ? "}}" : "%}";
    int braces = 0;
    while (true) {
      SkipSpaces();
      if (at_ >= source_.size()) return Error("a tag is not closed");
      const std::string_view rest = source_.substr(at_);
      const bool strips = rest[0] == '-' && rest.substr(1, 2) == end;
      const bool keeps = rest[0] == '+' && rest.substr(1, 2) == end;
      if (braces == 0 && (strips || keeps || rest.substr(0, 2) == end)) {
        strip_next_ = strips;
        trim_next_ = !output && !keeps;
        at_ += strips || keeps ? 3 : 2;
        break;
      }
      MACE_RETURN_IF_ERROR(ReadToken());
      const Token& token = tokens_.back();
      if (token.kind != Token::kOperator) continue;
      if (token.text == "{") ++braces;
      if (token.text == "}") --braces;
    }
    tokens_.push_back({output ? Token::kOutputEnd : Token::kTagEnd, "", line_});
    const bool raw =
        !output && tokens_.size() == first + 2 && tokens_[first].text == "raw";
    return raw ? ReadRaw(first - 1) : Status();
  }

  Status SkipComment() {
    const size_t end = source_.find("#}", at_);
    if (end == source_.npos) return Error("a comment is not closed");
    const std::string_view comment = source_.substr(at_, end - at_);
    strip_next_ = !comment.empty() && comment.back() == '-';
    trim_next_ = true;
    line_ += static_cast<int>(std::count(comment.begin(), comment.end(), '\n'));
    at_ = end + 2;
    return Status();
  }

  // Replaces the tag {% raw %}, whose tokens begin at `first`, by its text.
  Status ReadRaw(size_t first) {
    tokens_.resize(first);
    const size_t end = source_.find("{%", at_);
    const size_t close = end == source_.npos ? end : source_.find("%}", end);
    if (close == source_.npos ||
        source_.substr(end, close - end).find("endraw") == source_.npos) {
      return Error("{% raw %} is not closed");
    }
    tokens_.push_back(
        {Token::kText, std::string(source_.substr(at_, end - at_)), line_});
    at_ = close + 2;
    trim_next_ = true;
    strip_next_ = false;
    return Status();
  }

  void SkipSpaces() {
    while (at_ < source_.size() && kSpaces.find(source_[at_]) != source_.npos) {
      line_ += source_[at_++] == '\n';
    }
  }

  Status ReadToken() {
    const char c = source_[at_];
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      return Take(Token::kName, [](char x) {
        return std::isalnum(static_cast<unsigned char>(x)) || x == '_';
      });
    }
    if (std::isdigit(static_cast<unsigned char>(c))) return ReadNumber();
    if (c == '"' || c == '\'') return ReadString(c);
    for (const std::string_view word : {"==", "!=", "<=", ">=", "//", "**"}) {
      if (source_.substr(at_, 2) == word) return AddOperator(word);
    }
    if (std::string_view("+-*/%~<>=()[]{},.:|").find(c) != source_.npos) {
      return AddOperator(source_.substr(at_, 1));
    }
    return Error(StrCat("unexpected '", c, "'"));
  }

  Status AddOperator(std::string_view word) {
    tokens_.push_back({Token::kOperator, std::string(word), line_});
    at_ += word.size();
    return Status();
  }

  template <typename F>
  Status Take(Token::Kind kind, const F& belongs) {
    const size_t begin = at_;
    while (at_ < source_.size() && belongs(source_[at_])) ++at_;
    tokens_.push_back(
        {kind, std::string(source_.substr(begin, at_ - begin)), line_});
    return Status();
  }

  Status ReadNumber() {
    const auto digit = [](char x) {
      return std::isdigit(static_cast<unsigned char>(x)) != 0;
    };
    MACE_RETURN_IF_ERROR(Take(Token::kInt, digit));
    if (at_ + 1 < source_.size() && source_[at_] == '.' &&
        digit(source_[at_ + 1])) {
      const std::string whole = tokens_.back().text;
      tokens_.pop_back();
      ++at_;
      MACE_RETURN_IF_ERROR(Take(Token::kFloat, digit));
      tokens_.back().text = whole + "." + tokens_.back().text;
    }
    errno = 0;
    (void)std::strtoll(tokens_.back().text.c_str(), nullptr, 10);
    if (errno == 0 || tokens_.back().kind == Token::kFloat) return Status();
    return Error(StrCat("the number ", tokens_.back().text, " is too large"));
  }

  Status ReadString(char quote) {
    std::string text;
    for (++at_; at_ < source_.size() && source_[at_] != quote; ++at_) {
      char c = source_[at_];
      line_ += c == '\n';
      if (c == '\\' && at_ + 1 < source_.size()) {
        c = source_[++at_];
        static constexpr std::string_view kFrom = "nrt", kTo = "\n\r\t";
        const size_t found = kFrom.find(c);
        if (found != kFrom.npos) {
          c = kTo[found];
        } else if (std::string_view("\\'\"").find(c) == kFrom.npos) {
          if (std::isalnum(static_cast<unsigned char>(c))) {
            return Error(StrCat("the escape \\", c, " in a string"));
          }
          text.push_back('\\');
        }
      }
      text.push_back(c);
    }
    if (at_ >= source_.size()) return Error("a string is not closed");
    ++at_;
    tokens_.push_back({Token::kString, std::move(text), line_});
    return Status();
  }

  Status Error(const std::string& what) const {
    return InvalidArgument("chat template, line ", line_, ": ", what);
  }

  std::string_view source_;
  size_t at_ = 0;
  int line_ = 1;
  bool strip_next_ = false, trim_next_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> Lex(std::string_view source) {
  return Lexer(source).Run();
}

}  // namespace mace::generation::jinja
