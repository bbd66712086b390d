// Parses the command lines of all commands: --help on standard output, wrong usage as one line on standard
// error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // its header takes ten seconds to parse
class App;
class Option;
}  // namespace CLI

namespace rocktable {

inline constexpr int kExitSuccess = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBudget = 3;  // of exec and report: requests exceed the budget

// The column of the texts in the help pages of commands.
inline constexpr std::size_t kHelpColumn = 36;

// The outcome of a command line that starts no work, such as --help or wrong usage: text and exit code.
struct CommandResult {
  std::string text;
  int exit_code;

  // Prints the text to standard output if the exit code is 0, else to standard error. Returns the exit code.
  int print() const;
};

// argv[0] of a request for a help page: `rocktable help COMMAND WORD...`. Such a request fails if a word is
// unknown; elsewhere --help shows a page even if the rest of the command line is wrong.
inline constexpr std::string_view kHelpWord = "help";

// Returns nullopt if the command line is valid and starts work, and the description of `app` if argv is
// {kDescribeWord}. For unknown options and commands the message suggests the nearest known one.
std::optional<CommandResult> parse(CLI::App& app, int argc, const char* const* argv);

// Returns `there is no WHAT WORD`, and `: did you mean ...?` if a word of `known` is near.
std::string unknown_word_message(const std::string& what, const std::string& word, std::span<const std::string> known);

// The names of an app's options, as they are typed: `--location`, `-l`.
std::vector<std::string> option_names(const CLI::App& app);

// Adds an option that takes a number from `min` to `max`. Other values are rejected with out_of_range().
CLI::Option* add_number(CLI::App& app, const std::string& name, const std::function<void(std::int64_t)>& set,
                        std::int64_t min, std::int64_t max, const std::string& text);

template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& number, std::int64_t min, std::int64_t max,
                        const std::string& text) {
  return add_number(app, name, [&number](std::int64_t value) { number = static_cast<Number>(value); }, min, max, text);
}

// Parses the value of a flag from a variable or a file: true, yes, on, 1; false, no, off, 0. Ignores case.
std::optional<bool> parse_flag(std::string_view text);

// The error messages for a number out of range, and for an invalid value of a flag.
std::string out_of_range(const std::string& name, const std::string& value, std::int64_t min, std::int64_t max);
std::string no_flag_value(const std::string& name, const std::string& value);

// Lists the options of `app` in the help pages of its subcommands, which accept them too
// (CLI::App::fallthrough). Applies to subcommands that are added later.
void list_inherited_options(CLI::App& app);

// Prints a line to standard output. Escapes control characters, because text may come from a server or a file
// (base/printable.h).
void print_line(const std::string& line);

// The outcome of a command line that is well-formed but invalid. Refers to the help page of the selected
// subcommand.
CommandResult usage_error(const CLI::App& app, const std::string& sentence);

}  // namespace rocktable
