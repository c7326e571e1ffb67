// Tables for people that fit the terminal.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_CLI_TEXT_TABLE_H_
#define TOOLS_CLI_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace mace::tools {

// The columns that stdout has: $COLUMNS if set, else those of the terminal; 120
// where stdout is no terminal, so that a log does not depend on who wrote it.
int OutputWidth();

// Returns `value` with `digits` digits after the decimal point.
std::string Fixed(double value, int digits = 3);

// The characters of UTF-8 text.
size_t NumCharacters(const std::string& text);

// Returns at most `most` characters of the text: two thirds of them are its
// beginning and the rest its end, with an ellipsis between, as the ends of a
// name tell most.
std::string Shortened(const std::string& text, size_t most);

// Returns each line shortened to `width` characters, and, if any was, a hint at
// --wide after them; if `width` is 0, the lines as they are.
std::string Fitted(const std::string& lines, int width);

struct Column {
  std::string title;
  // Left out where the table is too wide, those of the highest rank first; 0:
  // never left out.
  int rank = 0;
  // Where the table is too wide, cells may be shortened, but not below `least`
  // characters or those of the title; 0: they are never shortened.
  size_t least = 0;
};

// Writes tables no wider than `width` if they can be, and remembers what it
// left out.
class TableWriter {
 public:
  explicit TableWriter(int width) : width_(width) {}  // 0: any width

  // A title between two rules, a header, right-aligned cells.
  std::string Table(const std::string& title,
                    const std::vector<Column>& columns,
                    std::vector<std::vector<std::string>> rows);

  // A line that says what is missing and how to see it; empty if nothing is.
  std::string Note() const;

 private:
  int width_;
  bool shortened_ = false;
  std::vector<std::string> left_out_;  // titles, each once
};

}  // namespace mace::tools

#endif  // TOOLS_CLI_TEXT_TABLE_H_
