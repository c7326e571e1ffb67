// Whether what a program printed has arrived.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_CLI_OUTPUT_H_
#define TOOLS_CLI_OUTPUT_H_

namespace mace::tools {

// Writes out what stdout still holds. Returns the exit code of the program:
// `code`, but 1 instead of 0 if something of stdout could not be written; then
// there is a message.
int FinishOutput(int code);

}  // namespace mace::tools

#endif  // TOOLS_CLI_OUTPUT_H_
