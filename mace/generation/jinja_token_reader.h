// TokenReader: the tokens of a template in order, and the first error.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_JINJA_TOKEN_READER_H_
#define MACE_GENERATION_JINJA_TOKEN_READER_H_

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mace/generation/jinja_lexer.h"
#include "mace/generation/jinja_parser.h"

namespace mace::generation::jinja {

using NodePtr = std::unique_ptr<Node>;

class TokenReader {
 protected:
  explicit TokenReader(std::vector<Token> tokens)
      : tokens_(std::move(tokens)) {}

  const Token& Peek(size_t more = 0) const {
    return tokens_[std::min(at_ + more, tokens_.size() - 1)];
  }
  bool Is(Token::Kind kind, std::string_view text) const {
    return Peek().kind == kind && Peek().text == text;
  }
  bool Accept(Token::Kind kind, std::string_view text) {
    if (!status_.ok() || !Is(kind, text)) return false;
    ++at_;
    return true;
  }
  bool Op(std::string_view text) { return Accept(Token::kOperator, text); }
  bool Word(std::string_view text) { return Accept(Token::kName, text); }
  void ExpectOp(std::string_view text) {
    if (!Op(text)) Fail(StrCat("expected '", text, "'"));
  }
  std::string Name() {
    if (Peek().kind != Token::kName) {
      Fail("expected a name");
      return std::string();
    }
    return tokens_[at_++].text;
  }
  void EndTag() {
    if (Peek().kind == Token::kTagEnd) {
      ++at_;
    } else {
      Fail("expected the end of a tag");
    }
  }
  void Fail(const std::string& what) {
    if (!status_.ok()) return;
    const Token& token = Peek();
    status_ = InvalidArgument("chat template, line ", token.line, ": ", what,
                              token.text.empty()
                                  ? std::string()
                                  : StrCat(", found '", token.text, "'"));
  }
  void Refuse(const std::string& what, int line) {
    if (!status_.ok()) return;
    status_ = Unsupported("chat template, line ", line, ": ", what,
                          " is not supported; change the template, or write "
                          "the prompt yourself");
  }
  NodePtr Make(Node::Kind kind, std::string name = std::string()) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->line = Peek().line;
    node->name = std::move(name);
    return node;
  }

  const std::vector<Token> tokens_;
  size_t at_ = 0;
  Status status_;
};

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_TOKEN_READER_H_
