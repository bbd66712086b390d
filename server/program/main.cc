// The program: runs a command or the server. Prints errors as one line.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/own_process.h"
#include "base/platform/terminal.h"
#include "base/printable.h"
#include "client/command_line/command_line.h"
#include "client/command_line/description.h"
#include "server/program/commands.h"
#include "server/program/server_command_line.h"
#include "server/program/start/serve.h"

namespace rocktable {
namespace {

// Whether standard output is for the program that started the server.
bool reports_as_json(const Options& options) { return options.ready_file == kStandardOutput; }

void (*startup_printer_of(const Options& options))(const StartupReport&) {
  if (reports_as_json(options)) return print_ready_line;
  switch (options.compatibility) {
    case Compatibility::Azurite:
      return print_startup_as_azurite;
    case Compatibility::AzuriteTable:
      return print_startup_as_azurite_table;
    case Compatibility::None:
      break;
  }
  return print_startup;
}

const Command* find_command(std::string_view name) {
  for (const auto& command : commands())
    if (name == command.name) return &command;
  return nullptr;
}

// `rocktable help snapshot take` is `rocktable snapshot take --help`, and `rocktable help` is `rocktable
// --help`.
int show_help(const std::vector<std::string>& words) {
  std::vector<const char*> argv;
  if (const Command* const command = words.empty() ? nullptr : find_command(words.front())) {
    argv.push_back(kHelpWord.data());
    for (const auto& word : std::span(words).subspan(1)) argv.push_back(word.c_str());
    argv.push_back("--help");
    return command->run(static_cast<int>(argv.size()), argv.data());
  }
  argv.push_back("rocktable");
  for (const auto& word : words) argv.push_back(word.c_str());
  const Invocation named = parse_command_line(static_cast<int>(argv.size()), argv.data());
  if (named.ending) return named.ending->print();  // no such command
  const char* const page[] = {"rocktable", "--help"};
  return parse_command_line(2, page).ending->print();
}

// `rocktable help --json`: the options of the server and of all commands, as a JSON array.
int print_descriptions() {
  const char* const argv[] = {kDescribeWord};
  std::cout << '[';
  parse_command_line(1, argv).ending->print();
  for (const auto& command : commands()) {
    std::cout << ",\n";
    command.run(1, argv);
  }
  std::cout << "]\n";
  return kExitSuccess;
}

int run_server(int argc, const char* const* argv) {
  const Invocation invocation = parse_command_line(argc, argv);
  if (invocation.help) return show_help(*invocation.help);
  if (invocation.ending) return invocation.ending->print();
  for (const auto& warning : invocation.options.warnings) spdlog::warn("{}", printable(warning));
  int code = kExitSuccess;
  try {
    serve(invocation.options, startup_printer_of(invocation.options), [&](const ShutdownReport& report) {
      code = report_unused_faults(report, invocation.options.strict_faults);
      if (reports_as_json(invocation.options)) return;
      const bool on_output = invocation.options.compatibility == Compatibility::None;
      std::ostream& out = on_output ? std::cout : std::cerr;
      if (is_terminal(on_output ? StandardStream::Output : StandardStream::Error))
        out << '\r';  // overwrites the terminal's ^C
      print_shutdown(out, report);
    });
  } catch (const std::exception& error) {
    throw std::runtime_error(with_sources(error.what(), invocation.options.value_sources));
  }
  return code;
}

// Throws std::exception, with a sentence for the user.
int run(int argc, const char* const* argv) {
  if (argc == 3 && argv[1] == kHelpWord && std::string_view(argv[2]) == "--json") return print_descriptions();
  if (argc > 1)
    if (const Command* const command = find_command(argv[1])) return command->run(argc - 1, argv + 1);
  return run_server(argc, argv);
}

int main(int argc, char** argv) {
  prepare_process(argc, argv);
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("rocktable", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_pattern("rocktable: %v");
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "rocktable: " << printable(error.what()) << '\n';
    return kExitFailure;
  }
}

}  // namespace
}  // namespace rocktable

int main(int argc, char** argv) { return rocktable::main(argc, argv); }
