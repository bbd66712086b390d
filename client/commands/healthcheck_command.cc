#include "client/commands/healthcheck_command.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/command_line/control_flags.h"
#include "client/control/control_target.h"
#include "client/http_client.h"

namespace rocktable {
namespace {

constexpr int kMaxSeconds = 3600;
constexpr const char* kReady = R"("status":"ready")";

// Sends no credentials. Throws std::exception if the response does not say that the instance is ready.
void check(const HttpUrl& url, const HttpOptions& options) {
  HttpClient client(url, options);
  const HttpResponse response = client.send({"GET", "/_rocktable/ready", {}, {}});
  if (response.status == 200 && response.body.find(kReady) != std::string::npos) return;
  if (response.status == 503) {
    const auto answer = nlohmann::json::parse(response.body, nullptr, false);
    const bool says_why = answer.is_object() && answer.contains("error") && answer["error"].is_string();
    throw std::runtime_error(url.origin() +
                             " is not ready: " + (says_why ? answer["error"].get<std::string>() : "it is stopping"));
  }
  throw std::runtime_error(url.origin() + " is not a rocktable: it returned status " + std::to_string(response.status) +
                           " for GET /_rocktable/ready");
}

}  // namespace

int run_healthcheck(int argc, const char* const* argv) {
  CLI::App app("Checks whether a running instance serves requests.", "rocktable healthcheck");
  ControlTargetOptions options;
  int seconds = 3;
  add_target_options(app, options);
  app.add_option("--timeout", seconds, "Per step: connection, TLS, response [3]")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, kMaxSeconds).description(""));
  CommandOutput output;
  output.add_flag(app);
  app.footer(std::string("\n") + kAboutTargets +
             "No credentials are sent.\nExit codes: 0 ready, 1 not ready, 2 wrong usage.");
  return run_command(app, argc, argv, output, [&] {
    const HttpUrl origin = resolve_control_target(options.connection).origin;
    const std::chrono::seconds timeout(seconds);
    check(origin,
          {.certificate_authority_file = options.ca_file, .connect_timeout = timeout, .answer_timeout = timeout});
    output.print_line("rocktable: " + origin.origin() + " is ready");
    output.print_document({{"endpoint", origin.origin()}, {"status", "ready"}});
    return kExitSuccess;
  });
}

}  // namespace rocktable
