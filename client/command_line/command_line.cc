#include "client/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <sstream>

#include "base/printable.h"
#include "base/text.h"
#include "client/command_line/description.h"
#include "client/command_line/help_text.h"
#include "client/command_line/suggestion.h"
#include "client/terminal/terminal.h"

namespace rocktable {
namespace {

std::vector<std::string> names_of(const std::vector<const CLI::App*>& apps) {
  std::vector<std::string> out;
  out.reserve(apps.size());
  for (const auto* app : apps) out.push_back(app->get_name());
  return out;
}

// `a, b or c`.
std::string choice(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return out;
}

// The app with its selected subcommand, as typed: `rocktable snapshot take`.
std::string full_name(const CLI::App& app) {
  std::string out = app.get_name();
  for (const auto* selected : app.get_subcommands()) out += " " + full_name(*selected);
  return out;
}

// The first unknown word of the command line that is not an option; nullopt if there is none.
std::optional<std::string> surplus_word(const CLI::App& app) {
  constexpr bool kAlsoOfSubcommands = true;
  for (auto& word : app.remaining(kAlsoOfSubcommands))
    if (!word.starts_with('-')) return std::move(word);
  return std::nullopt;
}

// The message for the first unknown word. It omits a value after `=`, which may be a secret.
std::string about_surplus(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-') && word.size() > 1) {
    std::vector<std::string> known = option_names(app);
    for (const auto* selected : app.get_subcommands())
      for (auto& name : option_names(*selected)) known.push_back(std::move(name));
    return unknown_word_message("option", word.substr(0, word.find('=')), known);
  }
  const auto commands = names_of(app.get_subcommands({}));
  if (!commands.empty() && app.get_subcommands().empty()) return unknown_word_message("command", word, commands);
  return "unexpected argument " + word;
}

bool lacks_command(const CLI::App& app) {
  return app.get_require_subcommand_min() > 0 && app.get_subcommands().empty();
}

// `rocktable help snapshot tkae` must fail instead of showing another page.
std::optional<std::string> about_page(const CLI::App& app) {
  const auto word = surplus_word(app);
  if (!word) return std::nullopt;
  const bool is_action = app.get_subcommands().empty();
  return unknown_word_message("command", *word,
                              is_action ? names_of(app.get_subcommands({})) : std::vector<std::string>());
}

// Rewrites CLI11's `--tablePort: 1 required PORT missing` as `--tablePort needs a value: PORT`.
std::string about_missing_value(const std::string& text) {
  const std::string before = ": 1 required ", behind = " missing";
  const auto at = text.find(before);
  if (at == text.npos || !text.ends_with(behind)) return text;
  const auto type = text.substr(at + before.size());
  return text.substr(0, at) + " needs a value: " + type.substr(0, type.size() - behind.size());
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  constexpr bool kAlsoOfSubcommands = true;
  const bool lacks_something = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const auto surplus = app.remaining(kAlsoOfSubcommands);
  // Report unknown words first: the missing word may be one that was mistyped.
  if (!surplus.empty() && (lacks_something || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr))
    return about_surplus(app, surplus.front());
  if (lacks_something && lacks_command(app))
    return "a command is required: " + choice(names_of(app.get_subcommands({})));
  return about_missing_value(error.what());
}

// On Windows, CLI11 also accepts `/option`, and so takes a path such as `/data/rule.json` for one.
void refuse_options_with_slashes(CLI::App& app) {
  app.allow_windows_style_options(false);
  for (auto* const subcommand : app.get_subcommands({})) refuse_options_with_slashes(*subcommand);
}

}  // namespace

int CommandResult::print() const {
  (exit_code == kExitSuccess ? std::cout : std::cerr) << text;
  return exit_code;
}

std::optional<CommandResult> parse(CLI::App& app, int argc, const char* const* argv) {
  refuse_options_with_slashes(app);
  if (argc == 1 && std::string_view(argv[0]) == kDescribeWord) return CommandResult{describe(app), kExitSuccess};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& asked) {  // one line, also on a narrow terminal
    return CommandResult{std::string(asked.what()) + "\n", kExitSuccess};
  } catch (const CLI::Success& asked) {  // --help
    if (argc > 0 && std::string_view(argv[0]) == kHelpWord)
      if (const auto refusal = about_page(app)) return usage_error(app, *refusal);
    std::ostringstream out, unused;
    app.exit(asked, out, unused);
    return CommandResult{wrap_help(out.str(), output_columns()), kExitSuccess};
  } catch (const CLI::ParseError& error) {
    return usage_error(app, explain(app, error));
  }
  return std::nullopt;
}

std::string unknown_word_message(const std::string& what, const std::string& word, std::span<const std::string> known) {
  const auto near = nearest_word(word, known);
  return "there is no " + what + " " + word + (near ? ": did you mean " + *near + "?" : "");
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) out.push_back("--" + name);
    for (const auto& name : option->get_snames()) out.push_back("-" + name);
  }
  return out;
}

std::string out_of_range(const std::string& name, const std::string& value, std::int64_t min, std::int64_t max) {
  return name + " " + value + ": must be " + std::to_string(min) + " to " + std::to_string(max);
}

std::optional<bool> parse_flag(std::string_view text) {
  const auto is = [&](const char* word) { return equals_ignoring_case(text, word); };
  if (is("true") || is("yes") || is("on") || is("1")) return true;
  if (is("false") || is("no") || is("off") || is("0")) return false;
  return std::nullopt;
}

std::string no_flag_value(const std::string& name, const std::string& value) {
  return name + " " + value + ": must be true or false";
}

CLI::Option* add_number(CLI::App& app, const std::string& name, const std::function<void(std::int64_t)>& set,
                        std::int64_t min, std::int64_t max, const std::string& text) {
  const auto read = [=](const std::string& value) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < min || number > max)
      throw CLI::ValidationError(out_of_range(name, value, min, max));
    set(number);
  };
  return app.add_option_function<std::string>(name, read, text);
}

namespace {

class HelpWithInherited : public CLI::Formatter {
 public:
  // CLI11 calls this directly after it printed the app's own options.
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    std::string out;
    for (const auto* option : inherited_options(*app)) out += make_option(option, false);
    return out + Formatter::make_subcommands(app, mode);
  }
};

}  // namespace

void list_inherited_options(CLI::App& app) { app.formatter(std::make_shared<HelpWithInherited>()); }

void print_line(const std::string& line) { std::cout << printable(line) << '\n'; }

CommandResult usage_error(const CLI::App& app, const std::string& sentence) {
  return {"rocktable: " + printable(sentence) + " (see " + full_name(app) + " --help)\n", kExitUsage};
}

}  // namespace rocktable
