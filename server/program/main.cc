// The program: a command in place of a start, or the server; what goes wrong is told in one line.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include "client/command_line.h"
#include "odata/printable.h"
#include "server/program/commands.h"
#include "server/program/serve.h"

namespace rocktable {
namespace {

void (*announcer_of(Compatibility compatibility))(const Announcement&) {
  switch (compatibility) {
    case Compatibility::Azurite:
      return announce_as_azurite;
    case Compatibility::AzuriteTable:
      return announce_as_azurite_table;
    case Compatibility::None:
      break;
  }
  return announce;
}

int run_server(int argc, const char* const* argv) {
  const Invocation invocation = parse_command_line(argc, argv);
  if (invocation.ending) return invocation.ending->tell();
  if (invocation.options.warning) spdlog::warn("{}", *invocation.options.warning);
  serve(invocation.options, announcer_of(invocation.options.compatibility));
  return kDone;
}

// Throws std::exception, with a sentence for the user.
int run(int argc, const char* const* argv) {
  if (argc > 1) {
    const auto known = commands();
    const auto command = std::find_if(known.begin(), known.end(), [&](const Command& one) {
      return std::string_view(argv[1]) == one.name;
    });
    if (command != known.end()) return command->run(argc - 1, argv + 1);
  }
  return run_server(argc, argv);
}

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // who reads standard output may go: the emulator stays
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("rocktable", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_pattern("rocktable: %v");
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "rocktable: " << printable(error.what()) << '\n';
    return kFailed;
  }
}

}  // namespace
}  // namespace rocktable

int main(int argc, char** argv) { return rocktable::main(argc, argv); }
