#include "client/instance.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rocktable {
namespace {

// What stands in a header line as it is.
std::string check_token(const std::string& token) {
  const bool visible = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  return visible ? "" : "a token has visible ASCII characters alone";
}

std::string sentence_of(const HttpUrl& origin, const HttpResponse& response, const nlohmann::json& answer) {
  const std::string who = origin.origin();
  if (answer.is_object() && answer.contains("error") && answer["error"].is_string())
    return answer["error"].get<std::string>();
  return who + " answered with status " + std::to_string(response.status) + " and is no rocktable, it seems";
}

}  // namespace

void add_instance_options(CLI::App& app, InstanceOptions& options) {
  app.add_option("--url", options.url, "The rocktable that is meant")
      ->type_name("URL")
      ->envname("ROCKTABLE_URL")
      ->capture_default_str();
  app.add_option("--controlToken", options.token, "What it was started with as --controlToken")
      ->type_name("TOKEN")
      ->envname("ROCKTABLE_CONTROL_TOKEN")
      ->check(CLI::Validator(check_token, ""));
  app.add_option("--caFile", options.ca_file, "Certificates to trust beside the system's")
      ->type_name("FILE")
      ->envname("ROCKTABLE_CA_FILE");
}

Instance::Instance(const InstanceOptions& options)
    : origin_(parse_http_url(options.url)),
      token_(options.token),
      client_(origin_, {.certificate_authority_file = options.ca_file}) {}

nlohmann::json Instance::ask(std::string_view method, const std::string& resource) {
  HttpRequest request;
  request.method = method;
  request.target = "/_rocktable/" + resource;
  if (!token_.empty()) request.headers.add("Authorization", "Bearer " + token_);
  const HttpResponse response = client_.send(request);
  const nlohmann::json answer = nlohmann::json::parse(response.body, nullptr, false);
  if (response.status < 200 || response.status > 299 || !answer.is_object())
    throw InstanceError(response.status, sentence_of(origin_, response, answer));
  return answer;
}

}  // namespace rocktable
