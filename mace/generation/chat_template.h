// Chat templates: messages to a prompt, by the Jinja that templates use.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_CHAT_TEMPLATE_H_
#define MACE_GENERATION_CHAT_TEMPLATE_H_

#include <string>
#include <utility>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace_generator.h"

namespace mace::generation {

// Renders `source` with the variables messages, add_generation_prompt (true)
// and `strings`, such as bos_token. Errors: MACE_UNSUPPORTED for a construct
// that is not supported, by its name and line; MACE_INVALID_ARGS where the
// template raises an exception, or exceeds its limits of steps, depth and
// output.
Result<std::string> RenderChatTemplate(
    const std::string& source, const std::vector<MaceChatMessage>& messages,
    const std::vector<std::pair<std::string, std::string>>& strings);

}  // namespace mace::generation

#endif  // MACE_GENERATION_CHAT_TEMPLATE_H_
