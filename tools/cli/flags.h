// What the command lines of our programs have in common: numbers with their
// limits, and one way to say what is wrong with a flag.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_CLI_FLAGS_H_
#define TOOLS_CLI_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mace::tools {

// A flag that another program has, and what to do instead.
struct ForeignFlag {
  std::string name;
  std::string cure;
};

// Parses, then calls `check`, which may throw a CLI::ParseError of its own.
// Returns -1 if all is well, 0 after --help, or 2 after a message on stderr. Of
// an unknown flag it names the nearest of the app's flags, or of `foreign`.
int ParseFlags(CLI::App& app, int argc, const char* const* argv,
               const std::function<void()>& check = {},
               const std::vector<ForeignFlag>& foreign = {});

// A whole number in [least, most].
CLI::Validator WholeNumber(int64_t least, int64_t most);

// A finite number in [least, most]; with `above`, not `least` itself.
CLI::Validator Number(double least, double most, bool above = false);

// A file that can be made: its folder exists, and it is no folder itself.
CLI::Validator NewFile();

// The candidate nearest to `word`, by insertions, deletions, replacements and
// swaps of neighbouring letters, or that `word` begins; empty if none is near.
// Case, leading dashes, and dashes for underscores do not count.
std::string Nearest(const std::string& word,
                    const std::vector<std::string>& candidates);

}  // namespace mace::tools

#endif  // TOOLS_CLI_FLAGS_H_
