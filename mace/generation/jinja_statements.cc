// Statements of chat templates.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/generation/jinja_interpreter.h"
#include "mace/text/utf8_text.h"

namespace mace::generation::jinja {

Interpreter::Flow Interpreter::Execute(const Node& node, std::string* out) {
  if (!ok() || !Step(node)) return Flow::kNext;
  if (++depth_ > kMaxDepth) Fail(node, "blocks and calls are too deep");
  const Flow flow = ok() ? ExecuteOne(node, out) : Flow::kNext;
  --depth_;
  return flow;
}

Interpreter::Flow Interpreter::ExecuteOne(const Node& node, std::string* out) {
  switch (node.kind) {
    case Node::kText:
      out->append(node.name);
      break;
    case Node::kOutput:
      out->append(Text(node, Evaluate(*node.child(0))));
      break;
    case Node::kBlock:
      return ExecuteBlock(node, out);
    case Node::kIf: {
      const bool holds = Evaluate(*node.child(0)).IsTrue();
      const Node* branch = node.child(holds ? 1 : 2);
      return branch != nullptr ? Execute(*branch, out) : Flow::kNext;
    }
    case Node::kFor:
      return ExecuteFor(node, out);
    case Node::kSet:
      Assign(*node.child(0), Evaluate(*node.child(1)));
      break;
    case Node::kSetBlock:
    case Node::kFilterBlock:
      ExecuteCapture(node, out);
      break;
    case Node::kMacro: {
      Value macro;
      macro.kind = Value::kMacro;
      macro.macro = &node;
      scopes_.back()[node.name] = macro;
      break;
    }
    case Node::kBreak:
      return Flow::kBreak;
    case Node::kContinue:
      return Flow::kContinue;
    default:
      break;
  }
  if (out->size() > kMaxOutput) {
    Fail(node, StrCat("the prompt has more than ", kMaxOutput, " bytes"));
  }
  return Flow::kNext;
}

// {% set x %}...{% endset %} and {% filter f %}...{% endfilter %}.
void Interpreter::ExecuteCapture(const Node& node, std::string* out) {
  std::string text;
  const bool sets = node.kind == Node::kSetBlock;
  Execute(*node.child(sets ? 1 : 0), &text);
  Value result = Checked(node, std::move(text));
  if (sets) return Assign(*node.child(0), std::move(result));
  // Filters over the text, the innermost first.
  std::vector<const Node*> filters;
  for (const Node* f = node.child(1); f->kind == Node::kFilter;
       f = f->child(0)) {
    filters.push_back(f);
  }
  for (size_t i = filters.size(); i-- > 0 && ok();) {
    result = Filter(*filters[i], filters[i]->name, result,
                    EvaluateArguments(*filters[i], 1));
  }
  out->append(Text(node, result));
}

Interpreter::Flow Interpreter::ExecuteBlock(const Node& node,
                                            std::string* out) {
  Flow flow = Flow::kNext;
  for (const auto& child : node.children) {
    if (!ok() || flow != Flow::kNext) break;
    flow = Execute(*child, out);
  }
  return flow;
}

List Interpreter::Elements(const Node& node, const Value& value) {
  List list;
  switch (value.kind) {
    case Value::kList:
      return *value.list;
    case Value::kDict:
      for (const auto& entry : *value.dict) {
        list.push_back(Value::String(entry.first));
      }
      break;
    case Value::kString:
      for (size_t at = 0; at < value.str().size();) {
        if (list.size() == kMaxElements) {
          Fail(node, StrCat("a text has more than ", kMaxElements,
                            " characters to go through"));
          break;
        }
        const size_t begin = at;
        text::NextCharacter(value.str(), &at);
        list.push_back(Value::String(value.str().substr(begin, at - begin)));
      }
      break;
    case Value::kUndefined:
      break;
    default:
      Fail(node, StrCat(NameOf(value.kind), " has no elements"));
  }
  return list;
}

Interpreter::Flow Interpreter::ExecuteFor(const Node& node, std::string* out) {
  const List all = Elements(node, Evaluate(*node.child(0)));
  if (!Step(node, static_cast<int64_t>(all.size()))) return Flow::kNext;
  scopes_.emplace_back();
  const auto bind = [&](const Value& element) {
    if (node.names.size() == 1) {
      scopes_.back()[node.names[0]] = element;
      return;
    }
    if (element.kind != Value::kList ||
        element.list->size() != node.names.size()) {
      Fail(node, StrCat("an element is not ", node.names.size(), " values"));
      return;
    }
    for (size_t i = 0; i < node.names.size(); ++i) {
      scopes_.back()[node.names[i]] = (*element.list)[i];
    }
  };
  List chosen;
  for (const Value& element : all) {
    if (!ok()) break;
    bind(element);
    const Node* condition = node.child(1);
    if (condition == nullptr || Evaluate(*condition).IsTrue()) {
      chosen.push_back(element);
    }
  }
  const int64_t n = static_cast<int64_t>(chosen.size());
  for (int64_t i = 0; i < n && ok(); ++i) {
    const size_t at = static_cast<size_t>(i);
    scopes_.back().clear();
    bind(chosen[at]);
    scopes_.back()["loop"] =
        Value::DictOf({{"index", Value::Int(i + 1)},
                       {"index0", Value::Int(i)},
                       {"revindex", Value::Int(n - i)},
                       {"revindex0", Value::Int(n - i - 1)},
                       {"first", Value::Bool(i == 0)},
                       {"last", Value::Bool(i + 1 == n)},
                       {"length", Value::Int(n)},
                       {"previtem", i > 0 ? chosen[at - 1] : Value()},
                       {"nextitem", i + 1 < n ? chosen[at + 1] : Value()}});
    // The variables of a loop are as much work as some steps.
    if (!Step(node, 10)) break;
    if (Execute(*node.child(2), out) == Flow::kBreak) break;
  }
  scopes_.pop_back();
  if (n == 0 && node.child(3) != nullptr) return Execute(*node.child(3), out);
  return Flow::kNext;
}

void Interpreter::Assign(const Node& target, Value value) {
  if (!ok()) return;
  if (target.kind == Node::kName) {
    scopes_.back()[target.name] = std::move(value);
    return;
  }
  Value object = Evaluate(*target.child(0));
  if (object.kind != Value::kDict) {
    Fail(target, StrCat("'", target.name, "' can only be set in a namespace"));
    return;
  }
  SetKey(target, object, target.name, std::move(value));
}

}  // namespace mace::generation::jinja
