// Recursive descent, with the precedence of Jinja's expressions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/jinja_parser.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "mace/generation/jinja_token_reader.h"

namespace mace::generation::jinja {
namespace {

constexpr int kMaxParseDepth = 200;
constexpr const char* kTests[] = {
    "defined",  "undefined", "none",    "string", "mapping",
    "iterable", "sequence",  "boolean", "true",   "false",
    "number",   "integer",   "float",   "odd",    "even",
    "equalto",  "eq",        "ne",      "in",     "callable"};

class Parser : private TokenReader {
 public:
  explicit Parser(std::vector<Token> tokens) : TokenReader(std::move(tokens)) {}

  Result<NodePtr> Run() {
    NodePtr block = ParseBlock({});
    if (status_.ok() && Peek().kind != Token::kEnd) Fail("unexpected tag");
    if (!status_.ok()) return status_;
    return block;
  }

 private:
  // --- statements ---
  // Until a tag with one of these names, which stays.
  NodePtr ParseBlock(std::initializer_list<std::string_view> ends) {
    NodePtr block = Make(Node::kBlock);
    const Depth depth(this);
    while (status_.ok() && Peek().kind != Token::kEnd) {
      const Token& token = Peek();
      if (token.kind == Token::kText) {
        Add(block, Make(Node::kText, token.text));
        ++at_;
      } else if (token.kind == Token::kOutputBegin) {
        ++at_;
        NodePtr output = Make(Node::kOutput);
        Add(output, ParseExpression());
        if (Peek().kind != Token::kOutputEnd) Fail("expected '}}'");
        ++at_;
        Add(block, std::move(output));
      } else {
        for (const std::string_view end : ends) {
          if (Peek(1).kind == Token::kName && Peek(1).text == end) return block;
        }
        ++at_;
        if (NodePtr statement = ParseStatement()) {
          Add(block, std::move(statement));
        }
      }
    }
    if (status_.ok() && ends.size() > 0) Fail("a block is not closed");
    return block;
  }

  // A block whose text is a value: it leaves no loop around it.
  NodePtr ParseCaptured(std::initializer_list<std::string_view> ends) {
    const int loops = std::exchange(loops_, 0);
    NodePtr block = ParseBlock(ends);
    loops_ = loops;
    return block;
  }

  // Behind "{%".
  NodePtr ParseStatement() {
    const int line = Peek().line;
    const std::string name = Name();
    if (name == "if") return ParseIf();
    if (name == "for") return ParseFor();
    if (name == "set") return ParseSet();
    if (name == "macro") return ParseMacro();
    if (name == "filter") return ParseFilterBlock();
    if (name == "break" || name == "continue") {
      NodePtr node = Make(name == "break" ? Node::kBreak : Node::kContinue);
      if (loops_ == 0) Fail(StrCat("'", name, "' outside of a loop"));
      EndTag();
      return node;
    }
    if (name == "generation") {  // marks what a training computes a loss of
      EndTag();
      NodePtr body = ParseBlock({"endgeneration"});
      TakeTag("endgeneration");
      return body;
    }
    if (status_.ok()) Refuse(StrCat("the tag '", name, "'"), line);
    return nullptr;
  }

  // "{% name %}", of which "{%" is next.
  void TakeTag(std::string_view name) {
    ++at_;
    if (!Word(name)) Fail(StrCat("expected '", name, "'"));
    EndTag();
  }

  NodePtr ParseIf() {
    NodePtr node = Make(Node::kIf);
    Add(node, ParseExpression());
    EndTag();
    Add(node, ParseBlock({"elif", "else", "endif"}));
    if (!status_.ok()) return node;
    ++at_;
    if (Word("elif")) {
      const Depth depth(this);
      Add(node, ParseIf());  // which takes endif
      return node;
    }
    if (Word("else")) {
      EndTag();
      Add(node, ParseBlock({"endif"}));
      if (status_.ok()) ++at_;
    }
    if (!Word("endif")) Fail("expected 'endif'");
    EndTag();
    return node;
  }

  NodePtr ParseFor() {
    NodePtr node = Make(Node::kFor);
    do {
      node->names.push_back(Name());
    } while (Op(","));
    if (!Word("in")) Fail("expected 'in'");
    Add(node, ParseOr());
    Add(node, Word("if") ? ParseExpression() : nullptr);
    if (Is(Token::kName, "recursive")) Refuse("a recursive loop", Peek().line);
    EndTag();
    ++loops_;
    Add(node, ParseBlock({"else", "endfor"}));
    --loops_;
    if (!status_.ok()) return node;
    ++at_;
    if (Word("else")) {
      EndTag();
      Add(node, ParseBlock({"endfor"}));
      if (status_.ok()) ++at_;
    }
    if (!Word("endfor")) Fail("expected 'endfor'");
    EndTag();
    return node;
  }

  NodePtr ParseSet() {
    NodePtr target = Make(Node::kName, Name());
    while (Op(".")) {
      NodePtr attribute = Make(Node::kAttribute, Name());
      Add(attribute, std::move(target));
      target = std::move(attribute);
    }
    if (Is(Token::kOperator, ","))
      Refuse("a set of several names", Peek().line);
    NodePtr node = Make(Node::kSet);
    if (Op("=")) {
      Add(node, std::move(target));
      Add(node, ParseExpression());
      EndTag();
      return node;
    }
    node->kind = Node::kSetBlock;
    Add(node, std::move(target));
    EndTag();
    Add(node, ParseCaptured({"endset"}));
    if (status_.ok()) TakeTag("endset");
    return node;
  }

  NodePtr ParseMacro() {
    NodePtr node = Make(Node::kMacro, Name());
    std::vector<NodePtr> defaults;
    ExpectOp("(");
    while (status_.ok() && !Op(")")) {
      node->names.push_back(Name());
      defaults.push_back(Op("=") ? ParseExpression() : nullptr);
      if (!Is(Token::kOperator, ")")) ExpectOp(",");
    }
    EndTag();
    Add(node, ParseCaptured({"endmacro"}));
    for (NodePtr& value : defaults) Add(node, std::move(value));
    if (status_.ok()) TakeTag("endmacro");
    return node;
  }

  NodePtr ParseFilterBlock() {
    NodePtr node = Make(Node::kFilterBlock);
    --at_;  // "filter" stands where '|' does
    NodePtr filter = Make(Node::kName);
    do {
      ++at_;
      filter = ParseFilter(std::move(filter));
    } while (status_.ok() && Is(Token::kOperator, "|"));
    EndTag();
    Add(node, ParseCaptured({"endfilter"}));
    Add(node, std::move(filter));
    if (status_.ok()) TakeTag("endfilter");
    return node;
  }

  // --- expressions ---
  NodePtr ParseExpression() {
    const Depth depth(this);
    NodePtr value = ParseOr();
    while (Word("if")) {
      NodePtr node = Make(Node::kCondition);
      Add(node, std::move(value));
      Add(node, ParseOr());
      Add(node, Word("else") ? ParseExpression() : nullptr);
      value = std::move(node);
    }
    return value;
  }

  NodePtr Binary(std::string op, NodePtr left, NodePtr right) {
    NodePtr node = Make(Node::kBinary, std::move(op));
    Add(node, std::move(left));
    Add(node, std::move(right));
    return node;
  }

  NodePtr ParseOr() {
    NodePtr left = ParseAnd();
    while (Word("or")) left = Binary("or", std::move(left), ParseAnd());
    return left;
  }
  NodePtr ParseAnd() {
    NodePtr left = ParseNot();
    while (Word("and")) left = Binary("and", std::move(left), ParseNot());
    return left;
  }
  NodePtr ParseNot() {
    const Depth depth(this);
    if (!status_.ok() || !Word("not")) return ParseCompare();
    NodePtr node = Make(Node::kUnary, "not");
    Add(node, ParseNot());
    return node;
  }

  NodePtr ParseCompare() {
    NodePtr left = ParseOperators(0);
    bool compared = false;
    while (status_.ok()) {
      std::string op;
      for (const char* known : {"==", "!=", "<=", ">=", "<", ">"}) {
        if (Op(known)) op = known;
        if (!op.empty()) break;
      }
      if (op.empty() && Is(Token::kName, "not") &&
          Peek(1).kind == Token::kName && Peek(1).text == "in") {
        at_ += 2;
        op = "not in";
      }
      if (op.empty() && Word("in")) op = "in";
      if (op.empty()) return left;
      if (compared) Refuse("a chain of comparisons", Peek().line);
      compared = true;
      left = Binary(std::move(op), std::move(left), ParseOperators(0));
    }
    return left;
  }

  // Operators from those that bind least.
  NodePtr ParseOperators(size_t level) {
    static const std::vector<const char*> kLevels[] = {
        {"+", "-"}, {"~"}, {"*", "//", "/", "%"}};
    if (level == std::size(kLevels)) return ParseUnary();
    NodePtr left = ParseOperators(level + 1);
    while (status_.ok()) {
      std::string op;
      for (const char* known : kLevels[level]) {
        if (op.empty() && Op(known)) op = known;
      }
      if (op.empty()) break;
      left = Binary(std::move(op), std::move(left), ParseOperators(level + 1));
    }
    if (Is(Token::kOperator, "**")) Refuse("'**'", Peek().line);
    return left;
  }

  // A sign binds tighter than filters and tests, which are not `allowed` then.
  NodePtr ParseUnary(bool allowed = true) {
    const Depth depth(this);
    for (const char* op : {"-", "+"}) {
      if (!status_.ok() || !Op(op)) continue;
      NodePtr node = Make(Node::kUnary, op);
      Add(node, ParseUnary(false));
      return allowed ? ParsePostfix(std::move(node), true) : std::move(node);
    }
    return ParsePostfix(ParsePrimary(), allowed);
  }

  NodePtr ParsePrimary() {
    NodePtr node = Make(Node::kConstant);
    if (!status_.ok()) return node;
    const Token token = Peek();
    ++at_;
    switch (token.kind) {
      case Token::kInt:
        node->value = Value::Int(std::strtoll(token.text.c_str(), nullptr, 10));
        return node;
      case Token::kFloat:
        node->value = Value::Float(std::strtod(token.text.c_str(), nullptr));
        return node;
      case Token::kString: {
        std::string text = token.text;
        while (Peek().kind == Token::kString) text += tokens_[at_++].text;
        node->value = Value::String(std::move(text));
        return node;
      }
      case Token::kName:
        return ParseWord(std::move(node), token.text);
      default:
        break;
    }
    if (token.text == "(") return ParseParentheses();
    if (token.text == "[") return ParseElements(Node::kList, "]");
    if (token.text == "{") return ParseElements(Node::kDict, "}");
    --at_;
    Fail("expected an expression");
    return node;
  }

  NodePtr ParseWord(NodePtr node, const std::string& word) {
    if (word == "true" || word == "True") {
      node->value = Value::Bool(true);
    } else if (word == "false" || word == "False") {
      node->value = Value::Bool(false);
    } else if (word == "none" || word == "None") {
      node->value = Value::None();
    } else {
      node->kind = Node::kName;
      node->name = word;
    }
    return node;
  }

  NodePtr ParseParentheses() {
    NodePtr inner = ParseExpression();
    if (!Is(Token::kOperator, ",")) {
      ExpectOp(")");
      return inner;
    }
    NodePtr tuple = Make(Node::kList);
    Add(tuple, std::move(inner));
    while (status_.ok() && Op(",")) {
      if (Is(Token::kOperator, ")")) break;
      Add(tuple, ParseExpression());
    }
    ExpectOp(")");
    return tuple;
  }

  NodePtr ParseElements(Node::Kind kind, std::string_view end) {
    NodePtr node = Make(kind);
    while (status_.ok() && !Op(end)) {
      Add(node, ParseExpression());
      if (kind == Node::kDict) {
        ExpectOp(":");
        Add(node, ParseExpression());
      }
      if (!Is(Token::kOperator, end)) ExpectOp(",");
    }
    return node;
  }

  // Behind a filter or a test stands no attribute or subscript.
  NodePtr ParsePostfix(NodePtr value, bool filters) {
    bool filtered = false;
    while (status_.ok()) {
      if (!filtered && Op(".")) {
        NodePtr node = Make(Node::kAttribute, Name());
        Add(node, std::move(value));
        value = std::move(node);
      } else if (!filtered && Op("[")) {
        value = ParseSubscript(std::move(value));
      } else if (Op("(")) {
        NodePtr node = Make(Node::kCall);
        Add(node, std::move(value));
        ParseArguments(node);
        value = std::move(node);
      } else if (filters && Op("|")) {
        value = ParseFilter(std::move(value));
        filtered = true;
      } else if (filters && Word("is")) {
        value = ParseTest(std::move(value));
        filtered = true;
      } else {
        break;
      }
    }
    return value;
  }

  NodePtr ParseSubscript(NodePtr object) {
    NodePtr node = Make(Node::kSubscript);
    Add(node, std::move(object));
    for (int part = 0; part < 3 && status_.ok(); ++part) {
      const bool empty = Is(Token::kOperator, ":") || Is(Token::kOperator, "]");
      Add(node, empty ? nullptr : ParseExpression());
      if (!Op(":")) break;
      node->kind = Node::kSlice;
    }
    ExpectOp("]");
    if (node->kind == Node::kSubscript && node->child(1) == nullptr) {
      Fail("an index is missing");
    }
    return node;
  }

  // Behind "(".
  void ParseArguments(const NodePtr& node) {
    while (status_.ok() && !Op(")")) {
      if (Is(Token::kOperator, "*") || Is(Token::kOperator, "**")) {
        Refuse("arguments of a list", Peek().line);
      }
      if (Peek().kind == Token::kName && Peek(1).kind == Token::kOperator &&
          Peek(1).text == "=") {
        node->names.push_back(Name());
        ++at_;
      } else if (!node->names.empty()) {
        Fail("an argument without a name follows one with a name");
      }
      Add(node, ParseExpression());
      if (!Is(Token::kOperator, ")")) ExpectOp(",");
    }
  }

  NodePtr ParseFilter(NodePtr value) {
    NodePtr node = Make(Node::kFilter, Name());
    if (status_.ok() && !IsFilter(node->name)) {
      Refuse(StrCat("the filter '", node->name, "'"), node->line);
    }
    Add(node, std::move(value));
    if (Op("(")) ParseArguments(node);
    return node;
  }

  NodePtr ParseTest(NodePtr value) {
    const bool negated = Word("not");
    NodePtr node = Make(Node::kTest, Name());
    if (node->name == "None") node->name = "none";
    if (status_.ok() && std::find(std::begin(kTests), std::end(kTests),
                                  node->name) == std::end(kTests)) {
      Refuse(StrCat("the test '", node->name, "'"), node->line);
    }
    Add(node, std::move(value));
    if (Op("(")) {
      ParseArguments(node);
    } else if (Peek().kind == Token::kString || Peek().kind == Token::kInt) {
      Add(node, ParsePrimary());
    }
    if (!negated) return node;
    NodePtr inverse = Make(Node::kUnary, "not");
    Add(inverse, std::move(node));
    return inverse;
  }

  // Bounds the recursion while it lives.
  class Depth {
   public:
    explicit Depth(Parser* parser) : parser_(parser) {
      if (++parser_->depth_ > kMaxParseDepth) {
        parser_->Fail(StrCat("more than ", kMaxParseDepth,
                             " levels of blocks and expressions"));
      }
    }
    ~Depth() { --parser_->depth_; }

   private:
    Parser* const parser_;
  };

  int depth_ = 0, loops_ = 0;
};

}  // namespace

Result<std::unique_ptr<Node>> Parse(const std::string& source) {
  MACE_ASSIGN_OR_RETURN(std::vector<Token> tokens, Lex(source));
  return Parser(std::move(tokens)).Run();
}

}  // namespace mace::generation::jinja
