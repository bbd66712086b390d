#include "server/program/options/configuration.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/platform/own_process.h"
#include "base/text.h"
#include "client/command_line/suggestion.h"

namespace rocktable {
namespace {

constexpr std::string_view kPrefix = "ROCKTABLE_";
constexpr const char* kControlToken = "ROCKTABLE_CONTROL_TOKEN";

const char* variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// True if `rocktable exec` has set these variables. Then ROCKTABLE_CONTROL_TOKEN is the token of the instance
// at that URL. A server that is started inside must not require it of its own clients.
bool is_inside_exec() {
  return variable("ROCKTABLE_URL") != nullptr && variable("ROCKTABLE_ENDPOINT") != nullptr &&
         variable("ROCKTABLE_PORT") != nullptr;
}

bool counts(const std::string& name) { return name != kControlToken || !is_inside_exec(); }

// The options that a variable or the file may set. name_of() is their name there.
std::vector<CLI::Option*> configurable_options(CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->get_configurable() && !option->get_lnames().empty(); });
}

const std::string& name_of(const CLI::Option& option) { return option.get_lnames().front(); }

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }
bool is_list(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

// Returns whether `sentence` contains `word` between characters that are neither letters nor digits.
bool has_word(std::string_view sentence, std::string_view word) {
  constexpr std::size_t kShortest = 3;  // shorter values, as 0 or ".", match by accident
  if (word.size() < kShortest) return false;
  const auto is_of_word = [&](std::size_t at) {
    return at < sentence.size() && std::isalnum(static_cast<unsigned char>(sentence[at])) != 0;
  };
  for (auto at = sentence.find(word); at != sentence.npos; at = sentence.find(word, at + 1))
    if (!is_of_word(at + word.size()) && (at == 0 || !is_of_word(at - 1))) return true;
  return false;
}

// Returns the text to append: ` (PLACE)` if the message starts with the option, otherwise ` (OPTION: PLACE)`.
std::string source_suffix(const std::string& sentence, const std::string& option, const std::string& place) {
  const bool is_named = has_word(sentence.substr(0, option.size() + 1), option);
  return " (" + (is_named ? "" : option + ": ") + place + ")";
}

// Sets the option. `values` has one element, or more for a list.
void set_option(CLI::Option& option, std::vector<std::string> values, const std::string& source,
                ValueSources& sources) {
  const std::string flag = "--" + name_of(option);
  const std::string shown = is_flag(option) || is_list(option) ? "" : values.front();
  try {
    if (is_flag(option)) {
      const auto on = parse_flag(values.front());
      if (!on) throw CLI::ConversionError(no_flag_value(flag, values.front()));
      values.front() = *on ? "true" : "false";
    }
    option.add_result(std::move(values));
    option.run_callback();
  } catch (const CLI::ParseError& error) {
    throw ConfigurationError(error.what() + source_suffix(error.what(), flag, source));
  }
  sources[flag] = {source, shown};
}

// --- The file ----------------------------------------------------------------------------------------------

// Returns the line without its comment. `#` inside quotes does not start a comment. Returns nullopt if quotes
// are not closed.
std::optional<std::string> without_comment(const std::string& line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return line.substr(0, i);
    }
  }
  return quote == '\0' ? std::optional(line) : std::nullopt;
}

struct Setting {
  std::string name;
  std::vector<std::string> values;
};

// Parses a single line, so that an error can name it. Returns nullopt for an empty line.
std::optional<Setting> parse_line(const std::string& line, const std::string& where) {
  const auto refuse = [&](const std::string& what) { throw ConfigurationError(where + ": " + what); };
  const auto code = without_comment(line);
  if (!code) refuse("the quotes are not closed");
  const std::string text = CLI::detail::trim_copy(*code);
  if (text.empty() || text.front() == ';') return std::nullopt;
  if (text.front() == '[') refuse("sections are not supported; write lines like tablePort = 10002");
  std::istringstream in(text);
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigBase().comment('\0')->from_config(in);
  } catch (const CLI::Error& error) {
    refuse(error.what());
  }
  if (items.size() != 1 || !items.front().parents.empty())
    refuse("this is not an option; write lines like tablePort = 10002");
  return Setting{std::move(items.front().name), std::move(items.front().inputs)};
}

}  // namespace

std::string variable_of(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  std::string out(kPrefix);
  for (const char c : option) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isupper(letter) != 0) out += '_';
    out += static_cast<char>(std::toupper(letter));
  }
  return out;
}

std::string with_sources(const std::string& sentence, const ValueSources& sources) {
  std::string out = sentence;
  for (const auto& [option, source] : sources) {
    if (has_word(sentence, option) || has_word(sentence, source.value))
      out += source_suffix(sentence, option, source.place);
  }
  return out;
}

void read_variables(CLI::App& app, ValueSources& sources) {
  for (auto* option : configurable_options(app)) {
    const std::string name = variable_of(name_of(*option));
    const char* const value = variable(name);
    if (value == nullptr || option->count() > 0 || !counts(name)) continue;
    set_option(*option, is_list(*option) ? CLI::detail::split(value, ',') : std::vector<std::string>{value}, name,
               sources);
  }
}

void read_config_file(CLI::App& app, const std::string& path, ValueSources& sources) {
  errno = 0;
  std::ifstream in(path);
  std::map<CLI::Option*, std::pair<std::vector<std::string>, std::string>>
      found;  // values and place of the last line for each option
  std::vector<std::string> known;
  const auto options = configurable_options(app);
  known.reserve(options.size());
  for (const auto* option : options) known.push_back(name_of(*option));
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string where = path + ":" + std::to_string(number);
    auto setting = parse_line(line, where);
    if (!setting) continue;
    const auto place = std::find(known.begin(), known.end(), setting->name);
    if (place == known.end())
      throw ConfigurationError(where + ": " + unknown_word_message("option", setting->name, known));
    auto* const option = options[static_cast<std::size_t>(place - known.begin())];
    if (setting->values.empty() || (setting->values.size() > 1 && !is_list(*option)))
      throw ConfigurationError(where + ": " + setting->name +
                               " takes one value; put text with blanks or commas in quotes");
    found[option] = {std::move(setting->values), where};
  }
  if (!in.eof() || in.bad())
    throw std::runtime_error("--config: " + path + " cannot be read: " + std::strerror(errno != 0 ? errno : EIO));
  for (auto& [option, setting] : found)
    if (option->count() == 0) set_option(*option, setting.first, setting.second, sources);
}

std::vector<std::string> variable_warnings(const CLI::App& app) {
  std::vector<std::string> out, known;
  for (const auto* option : app.get_options())
    if (!option->get_lnames().empty()) known.push_back(variable_of(name_of(*option)));
  // Variables that `rocktable exec` sets and commands read.
  for (const char* name : {"URL", "ENDPOINT", "PORT", "CA_FILE", "YES"}) known.push_back(std::string(kPrefix) + name);
  for (const std::string& name : environment_names()) {
    if (!name.starts_with(kPrefix) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    constexpr std::size_t kMaxEdits = 2;
    const auto nearest = nearest_word(name, known);
    if (nearest && edit_distance(name, *nearest) <= kMaxEdits)
      out.push_back("the variable " + name + " is unknown: did you mean " + *nearest + "?");
  }
  if (variable(kControlToken) != nullptr && !counts(kControlToken))
    out.push_back(std::string(kControlToken) + " belongs to the instance that `rocktable exec` started at " +
                  variable("ROCKTABLE_URL") + "; this server requires no token without --controlToken");
  return out;
}

}  // namespace rocktable
