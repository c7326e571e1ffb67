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

// As many levels as the interpreter evaluates.
constexpr int kMaxHeight = 400;

// What the parser (jinja_parser.cc) inherits. Its functions never read beyond
// the last token, which is kEnd, and the first error stays in status_. After an
// error Accept and those based on it take nothing, so that loops which wait for
// a token must check status_.
class TokenReader {
 protected:
  explicit TokenReader(std::vector<Token> tokens)
      : tokens_(std::move(tokens)) {}

  // Returns the next token, or the one `more` behind it; kEnd beyond the end.
  const Token& Peek(size_t more = 0) const {
    return tokens_[std::min(at_ + more, tokens_.size() - 1)];
  }
  bool Is(Token::Kind kind, std::string_view text) const {
    return Peek().kind == kind && Peek().text == text;
  }
  // Takes the next token if it is this one. Returns whether it was.
  bool Accept(Token::Kind kind, std::string_view text) {
    if (!status_.ok() || !Is(kind, text)) return false;
    ++at_;
    return true;
  }
  bool Op(std::string_view text) { return Accept(Token::kOperator, text); }
  bool Word(std::string_view text) { return Accept(Token::kName, text); }
  // Takes this operator, or fails.
  void ExpectOp(std::string_view text) {
    if (!Op(text)) Fail(StrCat("expected '", text, "'"));
  }
  // Takes a name and returns it, or fails and returns an empty string.
  std::string Name() {
    if (Peek().kind != Token::kName) {
      Fail("expected a name");
      return std::string();
    }
    return tokens_[at_++].text;
  }
  // Takes "%}", or fails.
  void EndTag() {
    if (Peek().kind == Token::kTagEnd) {
      ++at_;
    } else {
      Fail("expected the end of a tag");
    }
  }
  // Set the error, unless there is one: Fail a syntax error at the next token,
  // Refuse a construct that is not supported.
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
  // Makes `child`, which may be null, the next child of `node`; fails if the
  // tree below `node` is too high then.
  void Add(const NodePtr& node, NodePtr child) {
    if (child != nullptr)
      node->height = std::max(node->height, child->height + 1);
    if (node->height > kMaxHeight) {
      Fail(StrCat("more than ", kMaxHeight,
                  " blocks and operators within each other or in a row"));
    }
    node->children.push_back(std::move(child));
  }
  // Returns a node at the line of the next token.
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
