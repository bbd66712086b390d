#include "server/program/open_command.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "base/platform/browser.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/command_line/control_flags.h"
#include "client/control/control_target.h"
#include "client/http_client.h"

namespace rocktable {
namespace {

constexpr std::chrono::seconds kTimeout{3};

// Throws std::runtime_error if the instance does not serve the page.
void check(const HttpUrl& origin, const std::string& ca_file) {
  HttpClient client(origin,
                    {.certificate_authority_file = ca_file, .connect_timeout = kTimeout, .answer_timeout = kTimeout});
  const HttpResponse page = client.send({"GET", "/_rocktable/", {}, {}});
  if (page.status == 200) return;
  const auto begin = page.body.find("<p>"), end = page.body.find("</p>");
  const bool says_why = begin != page.body.npos && end != page.body.npos && page.status != 404 &&
                        page.body.find("explorer") != page.body.npos;
  throw std::runtime_error(origin.origin() + " has no explorer: " +
                           (says_why ? page.body.substr(begin + 3, end - begin - 3)
                                     : "it is no rocktable, an older one, or runs with --noExplorer"));
}

// NOLINTNEXTLINE(concurrency-mt-unsafe): this program does not change its environment here
std::string chosen_browser() {
  const char* const chosen = std::getenv("BROWSER");
  return chosen != nullptr ? chosen : "";
}

}  // namespace

int run_open(int argc, const char* const* argv) {
  CLI::App app("Shows tables, requests and their costs in the browser.", "rocktable open");
  ControlTargetOptions options;
  add_target_options(app, options);
  CommandOutput output;
  output.add_flag(app);
  app.footer(std::string("\n") + kAboutTargets +
             "The browser is that of the variable BROWSER, or of the desktop.\n"
             "Exit codes: 0 opened, 1 no such instance or no browser, 2 wrong usage.");
  return run_command(app, argc, argv, output, [&] {
    const HttpUrl origin = resolve_control_target(options.connection).origin;
    check(origin, options.ca_file);
    const std::string address = origin.origin() + "/_rocktable/";
    if (!open_in_browser(address, chosen_browser()))
      throw std::runtime_error("no browser could be started; open " + address);
    output.print_line("rocktable: opened " + address);
    output.print_document({{"address", address}, {"status", "opened"}});
    return kExitSuccess;
  });
}

}  // namespace rocktable
