#include "client/commands/token_command.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "base/input_file.h"
#include "base/number.h"
#include "base/uri.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/http_client.h"
#include "client/usage_error.h"
#include "odata/protocol/local_identity.h"

namespace rocktable {
namespace {

using nlohmann::json;

constexpr const char* kAboutToken =
    "\nThe endpoint is that of IDENTITY_ENDPOINT and IDENTITY_HEADER, which rocktable exec sets,\n"
    "or that in the ready file of a server. Both come from --identity.\n"
    "Exit codes: 0 success, 1 failure, 2 wrong usage.";

struct IdentityEndpoint {
  HttpUrl url;
  std::string header;
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Throws std::runtime_error with a sentence.
IdentityEndpoint endpoint_in(const std::string& ready_file) {
  const json document = json::parse(read_file(ready_file), nullptr, false);
  const auto text = [&](const char* member) {
    if (!document.is_object() || !document.contains("identity")) return std::string();
    const json& identity = document["identity"];
    return identity.is_object() && identity.contains(member) && identity[member].is_string()
               ? identity[member].get<std::string>()
               : std::string();
  };
  if (text("endpoint").empty()) throw std::runtime_error(ready_file + " is of a server without --identity");
  return {parse_http_url(text("endpoint")), text("header")};
}

IdentityEndpoint endpoint_of(const std::string& ready_file) {
  if (!ready_file.empty()) return endpoint_in(ready_file);
  const std::string url = variable("IDENTITY_ENDPOINT");
  if (url.empty())
    throw UsageError(
        "there is no endpoint: run this in `rocktable exec --tls auto --identity NAME`, or give --readyFile");
  try {
    return {parse_http_url(url), variable("IDENTITY_HEADER")};
  } catch (const UrlError& error) {
    throw UsageError(std::string("IDENTITY_ENDPOINT: ") + error.what());
  }
}

// Throws std::runtime_error with the sentence of the endpoint.
json ask(const IdentityEndpoint& endpoint, const std::string& resource, const std::string& client_id) {
  std::string target = endpoint.url.path + "?api-version=2019-08-01&resource=" + percent_encode(resource);
  if (!client_id.empty()) target += "&client_id=" + client_id;
  HttpRequest request{.method = "GET", .target = target, .headers = {}, .body = {}};
  request.headers.add("X-IDENTITY-HEADER", endpoint.header);
  const HttpResponse response = HttpClient(endpoint.url).send(request);
  json answer = json::parse(response.body, nullptr, false);
  const auto text = [&](const char* member) {
    return answer.is_object() && answer.contains(member) && answer[member].is_string()
               ? answer[member].get<std::string>()
               : std::string();
  };
  if (response.status != 200 || text("access_token").empty()) {
    const std::string why = text("error_description");
    throw std::runtime_error(endpoint.url.origin() +
                             " gives no token: " + (why.empty() ? "status " + std::to_string(response.status) : why));
  }
  // An instance with one identity has it for every client id.
  if (!client_id.empty() && text("client_id") != client_id)
    throw std::runtime_error("the instance has no such identity; its only one has the client id " + text("client_id"));
  return answer;
}

}  // namespace

int run_token(int argc, const char* const* argv) {
  CLI::App app("Prints a bearer token of a local identity, for curl and other tools.", "rocktable token");
  std::string name, resource = "https://storage.azure.com", ready_file;
  app.add_option("--as", name, "The identity [the first one]")->type_name("NAME");
  app.add_option("--resource", resource, "For whom it is [" + resource + "]")->type_name("URL");
  app.add_option("--readyFile", ready_file, "The ready file of the server")->type_name("FILE");
  CommandOutput output;
  output.add_flag(app);
  app.footer(kAboutToken);
  return run_command(app, argc, argv, output, [&] {
    if (!name.empty() && !is_local_identity_name(name)) throw UsageError("--as needs the name of an identity");
    const json answer = ask(endpoint_of(ready_file), resource, name.empty() ? "" : local_identity(name).app_id);
    output.print_line(answer["access_token"].get<std::string>());
    output.print_document({{"token", answer["access_token"]},
                           {"clientId", answer["client_id"]},
                           {"resource", answer["resource"]},
                           {"expiresOn", parse_int64(answer["expires_on"].get<std::string>()).value_or(0)}});
    return kExitSuccess;
  });
}

}  // namespace rocktable
