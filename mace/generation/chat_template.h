// Chat templates: messages to a prompt, by the Jinja that templates use.
// SPDX-License-Identifier: Apache-2.0
//
// Templates are the `chat_template` of a tokenizer, as Hugging Face publishes
// them. Rendering is Lex (jinja_lexer.h), Parse (jinja_parser.h) and
// Interpreter (jinja_interpreter.h). A template comes with a model and is not
// trusted: every loop, recursion, list and text has a limit.
#ifndef MACE_GENERATION_CHAT_TEMPLATE_H_
#define MACE_GENERATION_CHAT_TEMPLATE_H_

#include <string>
#include <utility>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace_generator.h"

namespace mace::generation {

// Renders `source` to the prompt. The template sees `messages` (a list of dicts
// with the keys role and content), `add_generation_prompt` (true) and
// `strings`, pairs of a name and its text such as bos_token. All texts are
// UTF-8. Thread-safe: keeps nothing between calls.
// Errors: MACE_UNSUPPORTED for a construct that is not supported, by its name
// and line; MACE_INVALID_ARGS for a syntax error, an operation on values of the
// wrong kind, a template that raises an exception, or one that exceeds the
// limits of steps, depth, lists or output.
Result<std::string> RenderChatTemplate(
    const std::string& source, const std::vector<MaceChatMessage>& messages,
    const std::vector<std::pair<std::string, std::string>>& strings);

}  // namespace mace::generation

#endif  // MACE_GENERATION_CHAT_TEMPLATE_H_
