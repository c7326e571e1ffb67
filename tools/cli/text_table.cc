// Choosing columns and their widths.
// SPDX-License-Identifier: Apache-2.0

#include "tools/cli/text_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>

namespace mace::tools {
namespace {

constexpr int kNoTerminal = 120;
constexpr char kEllipsis[] = "\u2026";

bool Begins(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The byte at which character `n` begins.
size_t ByteOf(const std::string& text, size_t n) {
  size_t seen = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (Begins(text[i]) && seen++ == n) return i;
  }
  return text.size();
}

// "| a | b |"
size_t WidthOf(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), size_t{1}) +
         3 * widths.size();
}

std::vector<size_t> NaturalWidths(
    const std::vector<Column>& columns,
    const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (size_t k = 0; k < columns.size(); ++k) {
    widths.push_back(NumCharacters(columns[k].title));
    for (const auto& row : rows) {
      widths[k] = std::max(widths[k], NumCharacters(row[k]));
    }
  }
  return widths;
}

size_t LeastWidth(const Column& column, size_t natural) {
  const size_t title = NumCharacters(column.title);
  return column.least == 0 ? natural
                           : std::min(natural, std::max(column.least, title));
}

bool IsEmpty(const std::vector<std::vector<std::string>>& rows, size_t column) {
  return std::all_of(rows.begin(), rows.end(),
                     [=](const auto& row) { return row[column].empty(); });
}

// The column to leave out next, or -1. One without content is the first.
int LastInRank(const std::vector<Column>& columns,
               const std::vector<std::vector<std::string>>& rows) {
  int last = -1;
  for (size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].rank == 0) continue;
    if (IsEmpty(rows, k)) return static_cast<int>(k);
    if (last < 0 || columns[k].rank > columns[last].rank) {
      last = static_cast<int>(k);
    }
  }
  return last;
}

// Takes from the widest of those that can give until all of them fit.
void Shrink(const std::vector<Column>& columns, size_t most,
            std::vector<size_t>* widths) {
  const std::vector<size_t> natural = *widths;
  while (WidthOf(*widths) > most) {
    int widest = -1;
    for (size_t k = 0; k < columns.size(); ++k) {
      if ((*widths)[k] > LeastWidth(columns[k], natural[k]) &&
          (widest < 0 || (*widths)[k] > (*widths)[widest])) {
        widest = static_cast<int>(k);
      }
    }
    if (widest < 0) return;
    --(*widths)[widest];
  }
}

// Names come from models and may hold anything: a line break, a bell.
std::string Printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return text;
}

// In lines of at most so many characters, where words allow it.
std::string Wrapped(const std::string& text, int most) {
  std::istringstream words(text);
  std::string word, line, all;
  while (words >> word) {
    if (!line.empty() &&
        line.size() + 1 + word.size() > static_cast<size_t>(most)) {
      all += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return all + line + '\n';
}

}  // namespace

int OutputWidth() {
  const char* columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  if (given > 0) return given;
  winsize size = {};
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    return size.ws_col;
  }
  return kNoTerminal;
}

std::string Fixed(double value, int digits) {
  char buffer[400];  // the largest double has 309 digits before the point
  std::snprintf(buffer, sizeof(buffer), "%.*f", digits, value);
  return buffer;
}

size_t NumCharacters(const std::string& text) {
  return std::count_if(text.begin(), text.end(), Begins);
}

std::string Shortened(const std::string& text, size_t most) {
  const size_t length = NumCharacters(text);
  if (length <= most) return text;
  if (most == 0) return "";
  const size_t tail = (most - 1) / 3;
  return text.substr(0, ByteOf(text, most - 1 - tail)) + kEllipsis +
         text.substr(ByteOf(text, length - tail));
}

std::string Fitted(const std::string& lines, int width) {
  if (width <= 0) return lines;
  std::istringstream in(lines);
  std::string fitted;
  bool is_whole = true;
  for (std::string line; std::getline(in, line);) {
    const std::string part = Shortened(line, static_cast<size_t>(width));
    is_whole = is_whole && part == line;
    fitted += part + '\n';
  }
  if (is_whole) return fitted;
  return fitted + Wrapped("To fit " + std::to_string(width) +
                              " columns, lines were shortened; --wide shows "
                              "all of them.",
                          width);
}

std::string TableWriter::Table(const std::string& title,
                               const std::vector<Column>& columns,
                               std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = Printable(cell);
  }
  std::vector<Column> shown = columns;
  std::vector<size_t> widths = NaturalWidths(shown, rows);
  if (width_ > 0) {
    const auto most = static_cast<size_t>(width_);
    for (;;) {
      std::vector<size_t> least;
      for (size_t k = 0; k < shown.size(); ++k) {
        least.push_back(LeastWidth(shown[k], widths[k]));
      }
      const int last = LastInRank(shown, rows);
      if (last < 0) break;
      // Empty ones are left out before anything is shortened.
      const std::vector<size_t>& needed = IsEmpty(rows, last) ? widths : least;
      if (WidthOf(needed) <= most) break;
      if (!IsEmpty(rows, last) &&
          std::find(left_out_.begin(), left_out_.end(), shown[last].title) ==
              left_out_.end()) {
        left_out_.push_back(shown[last].title);
      }
      shown.erase(shown.begin() + last);
      widths.erase(widths.begin() + last);
      for (auto& row : rows) row.erase(row.begin() + last);
    }
    Shrink(shown, most, &widths);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string s = "|";
    for (size_t k = 0; k < cells.size(); ++k) {
      const std::string cell = Shortened(cells[k], widths[k]);
      shortened_ = shortened_ || cell != cells[k];
      s +=
          ' ' + std::string(widths[k] - NumCharacters(cell), ' ') + cell + " |";
    }
    return s + '\n';
  };
  std::vector<std::string> header;
  for (const Column& column : shown) header.push_back(column.title);
  const size_t width = WidthOf(widths);
  const std::string rule(width, '-');
  const size_t left = title.size() < width ? (width - title.size()) / 2 : 0;
  std::string s = rule + '\n' + std::string(left, ' ') + title + '\n' + rule +
                  '\n' + line(header) + rule + '\n';
  for (const auto& row : rows) s += line(row);
  return s + rule + "\n\n";
}

std::string TableWriter::Note() const {
  std::string what = shortened_ ? "cells were shortened" : "";
  for (size_t k = 0; k < left_out_.size(); ++k) {
    if (k == 0) what += shortened_ ? " and columns left out: " : "left out: ";
    what += (k > 0 ? ", " : "") + left_out_[k];
  }
  if (what.empty()) return "";
  return Wrapped("To fit " + std::to_string(width_) + " columns, " + what +
                     ". --wide shows everything, --json=FILE has it for "
                     "programs.",
                 width_);
}

}  // namespace mace::tools
