// How every command of the program reads its command line: --help on standard output, wrong usage in one line.
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

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

// What is left to do with a command line that asks for no work, or for none that can be done.
struct Ending {
  std::string text;
  int exit_code;

  // On standard output where the code is 0, else on standard error; returns the code.
  int print() const;
};

// As argv[0]: `rocktable help COMMAND WORD...` asks for a page. Words that lead to none are refused then; behind a command line
// that went wrong, --help is answered whatever the line says.
inline constexpr std::string_view kHelpWord = "help";

// Nothing where the command line is right, and there is work to do. What is mistyped is named, with the option or the
// command that it is nearest to.
std::optional<Ending> parse(CLI::App& app, int argc, const char* const* argv);

// `there is no WHAT WORD: did you mean ...?`, the question where one of `known` is near.
std::string unknown_word(const std::string& what, const std::string& word,
                         std::span<const std::string> known);

// The names of an app's options, as they are typed: `--location`, `-l`.
std::vector<std::string> option_names(const CLI::App& app);

// An option that takes a number from `least` to `most`. Another value is refused with both.
CLI::Option* add_number(CLI::App& app, const std::string& name, const std::function<void(std::int64_t)>& set,
                        std::int64_t least, std::int64_t most, const std::string& text);

template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& number, std::int64_t least,
                        std::int64_t most, const std::string& text) {
  return add_number(
      app, name, [&number](std::int64_t value) { number = static_cast<Number>(value); }, least, most, text);
}

// The value of a flag, as a variable or a file gives it: true, yes, on, 1; false, no, off, 0; in any case.
std::optional<bool> parse_flag(std::string_view text);

// The sentences of such refusals.
std::string out_of_range(const std::string& name, const std::string& value, std::int64_t least,
                         std::int64_t most);
std::string no_flag_value(const std::string& name, const std::string& value);

// From now on pages of subcommands list the options of `app`, too, which they take as well (CLI::App::fallthrough). For subcommands
// that are added later.
void list_inherited_options(CLI::App& app);

// A line on standard output; what of it comes from a server or a file is harmless there (odata/printable.h).
void say(const std::string& line);

// A command line that `app` could read, and that makes no sense. The page of the subcommand that was found in it is named.
Ending wrong_usage(const CLI::App& app, const std::string& sentence);

}  // namespace rocktable
