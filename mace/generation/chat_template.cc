// Rendering chat templates.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/chat_template.h"

#include <map>
#include <memory>

#include "mace/base/c_locale.h"
#include "mace/generation/jinja_interpreter.h"

namespace mace::generation {

using jinja::Value;

namespace {

constexpr size_t kMaxTemplate = size_t{1} << 20;

}  // namespace

Result<std::string> RenderChatTemplate(
    const std::string& source, const std::vector<MaceChatMessage>& messages,
    const std::vector<std::pair<std::string, std::string>>& strings) {
  if (source.size() > kMaxTemplate) {
    return InvalidArgument("the chat template has ", source.size(),
                           " bytes, more than ", kMaxTemplate);
  }
  const CLocale c_locale;
  const jinja::ValueScope values;
  MACE_ASSIGN_OR_RETURN(const std::unique_ptr<jinja::Node> root,
                        jinja::Parse(source));
  jinja::List list;
  for (const MaceChatMessage& message : messages) {
    list.push_back(
        Value::DictOf({{"role", Value::String(message.role)},
                       {"content", Value::String(message.content)}}));
  }
  std::map<std::string, Value> variables;
  variables["messages"] = Value::ListOf(std::move(list));
  variables["add_generation_prompt"] = Value::Bool(true);
  for (const auto& [name, text] : strings) {
    variables[name] = Value::String(text);
  }
  return jinja::Interpreter(std::move(variables)).Render(*root);
}

}  // namespace mace::generation
