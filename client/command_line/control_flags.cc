#include "client/command_line/control_flags.h"

#include <CLI/CLI.hpp>

#include "client/secret.h"

namespace rocktable {
namespace {

std::string check_given_token(const std::string& given) {
  return is_secret_reference(given) ? "" : check_control_token(given);
}

}  // namespace

const char* const kAboutTargets =
    "CONN identifies a running rocktable and authorizes requests:\n"
    "  http://127.0.0.1:10002             Its address\n"
    "  UseDevelopmentStorage=true         This address, with the well-known key\n"
    "  AccountName=...;AccountKey=...;TableEndpoint=...\n"
    "                                     Any connection string; its account signs\n"
    "  @FILE, env:NAME                    Any of these, in a file or a variable\n";

void add_target_options(CLI::App& app, ControlTargetOptions& options) {
  app.add_option("--connectionString,--url", options.connection, "The running rocktable")
      ->type_name("CONN")
      ->envname("ROCKTABLE_URL")
      ->capture_default_str();
  app.add_option("--caFile", options.ca_file, "Additional trusted certificates")
      ->type_name("FILE")
      ->envname("ROCKTABLE_CA_FILE");
}

void add_control_options(CLI::App& app, ControlClientOptions& options) {
  add_target_options(app, options.target);
  app.add_option("--controlToken", options.token, "The server's --controlToken (Env:ROCKTABLE_CONTROL_TOKEN)")
      ->type_name("TOKEN")
      ->check(CLI::Validator(check_given_token, ""));
}

std::string control_target_help() { return std::string("\n") + kAboutTargets + kAboutSecrets; }

}  // namespace rocktable
