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
// Returns -1 if all is well, 0 after --help, or 2 after a message on stderr:
// also for a flag with an empty value. Of an unknown flag the message names the
// nearest of the app's flags, or the cure of the nearest of `foreign`.
int ParseFlags(CLI::App& app, int argc, const char* const* argv,
               const std::function<void()>& check = {},
               const std::vector<ForeignFlag>& foreign = {});

// Accepts whole numbers in [least, most].
CLI::Validator WholeNumber(int64_t least, int64_t most);

// Accepts finite numbers in [least, most]; with `above`, not `least` itself.
CLI::Validator Number(double least, double most, bool above = false);

// Accepts paths of files that can be made: the folder exists, and the path is
// none itself.
CLI::Validator NewFile();

// The candidate nearest to `word`, by insertions, deletions, replacements and
// swaps of neighbouring letters, or that `word` begins; empty if none is near.
// Case, leading dashes, and dashes for underscores do not count.
std::string Nearest(const std::string& word,
                    const std::vector<std::string>& candidates);

}  // namespace mace::tools

#endif  // TOOLS_CLI_FLAGS_H_
