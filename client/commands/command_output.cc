#include "client/commands/command_output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "client/commands/command_line.h"
#include "client/wrong_usage.h"

namespace rocktable {
namespace {

constexpr const char* kFlag = "--json";

// In ASCII: nothing that a terminal obeys is left. What came from a server need not be UTF-8.
void print(const nlohmann::json& document) {
  std::cout << document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << '\n' << std::flush;
}

void print_error(const std::string& sentence) { print({{"error", sentence}}); }

// Also of a command line that cannot be read.
bool asks_for_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == kFlag; });
}

// An ending that is no line of its own any more: `rocktable: sentence`.
std::string sentence_of(const Ending& ending) {
  constexpr std::string_view kName = "rocktable: ";
  std::string text = ending.text;
  if (text.starts_with(kName)) text.erase(0, kName.size());
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

void CommandOutput::add_flag(CLI::App& app) {
  app.add_flag(kFlag, json_, "Tell it as one JSON document, errors too");
}

void CommandOutput::say(const std::string& line) const {
  if (!json_) rocktable::say(line);
}

void CommandOutput::give(const nlohmann::json& document) const {
  if (json_) print(document);
}

int run_command(CLI::App& app, int argc, const char* const* argv, CommandOutput& output,
                const std::function<int()>& work) {
  const auto refuse = [&](const Ending& ending) {
    if (!asks_for_json(argc, argv)) return ending.print();
    print_error(sentence_of(ending));
    return ending.exit_code;
  };
  if (const auto ending = parse(app, argc, argv))
    return ending->exit_code == kDone ? ending->print() : refuse(*ending);
  try {
    return work();
  } catch (const WrongUsage& usage) {
    return refuse(wrong_usage(app, usage.what()));
  } catch (const std::exception& error) {
    if (!output.is_json()) throw;
    print_error(error.what());
    return kFailed;
  }
}

}  // namespace rocktable
