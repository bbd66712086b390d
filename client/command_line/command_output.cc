#include "client/command_line/command_output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "client/command_line/command_line.h"
#include "client/usage_error.h"

namespace rocktable {
namespace {

constexpr const char* kFlag = "--json";

// Prints ASCII only, so that no control characters reach the terminal. Text of a server need not be valid
// UTF-8.
void print(const nlohmann::json& document) {
  std::cout << document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << '\n' << std::flush;
}

void print_error(const std::string& sentence) { print({{"error", sentence}}); }

// Searches argv, because the command line may be invalid.
bool asks_for_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == kFlag; });
}

// Returns the message without the prefix `rocktable: ` and the line break.
std::string sentence_of(const CommandResult& result) {
  constexpr std::string_view kName = "rocktable: ";
  std::string text = result.text;
  if (text.starts_with(kName)) text.erase(0, kName.size());
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

void CommandOutput::add_flag(CLI::App& app) { app.add_flag(kFlag, json_, "Print one JSON document, also for errors"); }

void CommandOutput::print_line(const std::string& line) const {
  if (!json_) rocktable::print_line(line);
}

void CommandOutput::print_document(const nlohmann::json& document) const {
  if (json_) print(document);
}

int run_command(CLI::App& app, int argc, const char* const* argv, CommandOutput& output,
                const std::function<int()>& work) {
  const auto refuse = [&](const CommandResult& result) {
    if (!asks_for_json(argc, argv)) return result.print();
    print_error(sentence_of(result));
    return result.exit_code;
  };
  if (const auto result = parse(app, argc, argv))
    return result->exit_code == kExitSuccess ? result->print() : refuse(*result);
  try {
    return work();
  } catch (const UsageError& usage) {
    return refuse(usage_error(app, usage.what()));
  } catch (const std::exception& error) {
    if (!output.is_json()) throw;
    print_error(error.what());
    return kExitFailure;
  }
}

}  // namespace rocktable
