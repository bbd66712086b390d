#include "client/instance.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "client/secret.h"

namespace rocktable {
namespace {

// Empty: a header line holds it as it is.
std::string check_token(const std::string& token) {
  const bool visible = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  return visible ? "" : "a token has visible ASCII characters alone";
}

std::string check_given_token(const std::string& given) {
  return is_secret_elsewhere(given) ? "" : check_token(given);
}

// The environment's is what `rocktable exec` set: a value, whatever it begins with.
std::string token_of(const InstanceOptions& options) {
  const char* const variable = std::getenv("ROCKTABLE_CONTROL_TOKEN");
  std::string token = options.token         ? read_secret(*options.token, "--controlToken")
                      : variable != nullptr ? variable
                                            : "";
  if (const auto fault = check_token(token); !fault.empty())
    throw std::runtime_error("--controlToken: " + fault);
  return token;
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
  app.add_option("--controlToken", options.token,
                 "What it was started with as --controlToken (Env:ROCKTABLE_CONTROL_TOKEN)")
      ->type_name("TOKEN")
      ->check(CLI::Validator(check_given_token, ""));
  app.add_option("--caFile", options.ca_file, "Certificates to trust beside the system's")
      ->type_name("FILE")
      ->envname("ROCKTABLE_CA_FILE");
  app.footer(std::string("\n") + kAboutSecrets);
}

Instance::Instance(const InstanceOptions& options)
    : origin_(parse_http_url(read_secret(options.url, "--url"))),
      token_(token_of(options)),
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
