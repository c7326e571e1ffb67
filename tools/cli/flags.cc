// Parsing flags with CLI11, and messages that name the cure.
// SPDX-License-Identifier: Apache-2.0

#include "tools/cli/flags.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace mace::tools {
namespace {

constexpr int kWrongFlags = 2;

std::string Shown(double value) {
  std::ostringstream out;
  out << value;  // short, and without an exponent up to a million
  return out.str();
}

// As flags are compared: lower case, without leading dashes, one kind of them.
std::string Plain(const std::string& flag) {
  std::string s =
      flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  for (char& c : s) {
    c = c == '-'
            ? '_'
            : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return s;
}

// Optimal string alignment: no part is changed twice.
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        d[i][k] = i + k;
        continue;
      }
      d[i][k] = std::min({d[i - 1][k] + 1, d[i][k - 1] + 1,
                          d[i - 1][k - 1] + (a[i - 1] != b[k - 1])});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        d[i][k] = std::min(d[i][k], d[i - 2][k - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::vector<std::string> NamesOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string Unknown(const CLI::App& app, const std::string& argument,
                    const std::vector<ForeignFlag>& foreign) {
  if (argument.empty() || argument[0] != '-') {
    return "'" + argument + "' is no flag, and " + app.get_name() +
           " takes only those; write it as --flag=" + argument;
  }
  const std::string flag = argument.substr(0, argument.find('='));
  const std::string message = "'" + flag + "' is no flag of " + app.get_name();
  std::vector<std::string> names = NamesOf(app);
  for (const ForeignFlag& f : foreign) names.push_back(f.name);
  const std::string nearest = Nearest(flag, names);
  for (const ForeignFlag& f : foreign) {
    if (f.name == nearest) return message + "; " + f.cure;
  }
  return message + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

int Fail(const std::string& message) {
  std::fprintf(stderr, "ERROR: %s\nRun with --help for all flags.\n",
               message.c_str());
  return kWrongFlags;
}

// CLI11 would take the next argument for the value.
std::string FirstWithoutValue(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.size() > 3 && argument.compare(0, 2, "--") == 0 &&
        argument.find('=') == argument.size() - 1) {
      return argument;
    }
  }
  return "";
}

}  // namespace

std::string Nearest(const std::string& word,
                    const std::vector<std::string>& candidates) {
  const std::string plain = Plain(word);
  std::string best;
  size_t least = plain.size() / 3 + 1;  // the first that is too far
  for (const std::string& candidate : candidates) {
    const std::string other = Plain(candidate);
    const bool begins =
        plain.size() >= 3 && other.compare(0, plain.size(), plain) == 0;
    const size_t distance =
        begins ? std::min<size_t>(1, other.size() - plain.size())
               : Distance(plain, other);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

int ParseFlags(CLI::App& app, int argc, const char* const* argv,
               const std::function<void()>& check,
               const std::vector<ForeignFlag>& foreign) {
  const std::string empty = FirstWithoutValue(argc, argv);
  if (!empty.empty()) {
    return Fail(empty + " has no value; leave the flag out or give it one");
  }
  try {
    app.parse(argc, argv);
    if (check) check();
    return -1;
  } catch (const CLI::ParseError& e) {
    // Those first: a misspelled flag is also missing where it is required.
    std::string message;
    for (const std::string& argument : app.remaining()) {
      message += (message.empty() ? "" : "\nERROR: ") +
                 Unknown(app, argument, foreign);
    }
    if (!message.empty()) return Fail(message);
    if (e.get_exit_code() == 0) return app.exit(e);
    return Fail(e.what());
  }
}

CLI::Validator WholeNumber(int64_t least, int64_t most) {
  const std::string range =
      std::to_string(least) + " to " + std::to_string(most);
  const auto check = [=](const std::string& text) -> std::string {
    char* end = nullptr;
    errno = 0;
    const long long number = std::strtoll(text.c_str(), &end, 10);
    const bool is_number = !text.empty() &&
                           !std::isspace(static_cast<unsigned char>(text[0])) &&
                           *end == '\0' && errno == 0;
    return is_number && number >= least && number <= most
               ? ""
               : "'" + text + "' is not a whole number from " + range;
  };
  return CLI::Validator(check, range);
}

CLI::Validator Number(double least, double most, bool above) {
  const std::string range =
      (above ? "above " : "from ") + Shown(least) + " to " + Shown(most);
  const auto check = [=](const std::string& text) -> std::string {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const bool is_number = !text.empty() &&
                           !std::isspace(static_cast<unsigned char>(text[0])) &&
                           *end == '\0' && std::isfinite(number);
    return is_number && number <= most &&
                   (above ? number > least : number >= least)
               ? ""
               : "'" + text + "' is not a number " + range;
  };
  return CLI::Validator(check, range);
}

CLI::Validator NewFile() {
  const auto check = [](const std::string& text) -> std::string {
    const std::filesystem::path path = text;
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      return "'" + text + "' is a folder; name a file in it";
    }
    const std::filesystem::path folder = path.parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
      return "'" + text + "': there is no folder '" + folder.string() + "'";
    }
    return "";
  };
  return CLI::Validator(check, "FILE");
}

}  // namespace mace::tools
