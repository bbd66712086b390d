#include "client/control/control_client.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "client/secret.h"
#include "client/signing.h"

namespace rocktable {
namespace {

constexpr int kUnauthorized = 401, kForbidden = 403;

// `rocktable exec` sets the variable to the token itself, which may start with `@` or `env:`.
std::string token_of(const ControlClientOptions& options) {
  const char* const variable = std::getenv("ROCKTABLE_CONTROL_TOKEN");
  std::string token = options.token         ? read_secret(*options.token, "--controlToken")
                      : variable != nullptr ? variable
                                            : "";
  if (const auto fault = check_control_token(token); !fault.empty())
    throw std::runtime_error("--controlToken: " + fault);
  return token;
}

// Replaces advice of the HTTP API in a server's message by the flags of this program.
std::string with_own_flags(int status, std::string sentence) {
  if (status == kForbidden && sentence.find("Host header") != std::string::npos)
    return "the server refuses this host name; use 127.0.0.1, localhost, or the server's --tableHost";
  constexpr std::string_view kParameter = "?replace=true";
  if (const auto at = sentence.find(kParameter); at != std::string::npos)
    sentence.replace(at, kParameter.size(), "--replace");
  return sentence;
}

bool is_state(const nlohmann::json& answer) {
  if (!answer.is_object() || !answer.contains("status") || !answer["status"].is_string()) return false;
  const auto& status = answer["status"].get_ref<const std::string&>();
  return status == "ready" || status == "stopping" || status == "unavailable";
}

}  // namespace

std::string check_control_token(const std::string& token) {
  const bool visible = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  return visible ? "" : "a token may contain only visible ASCII characters";
}

ControlClient::ControlClient(const ControlClientOptions& options)
    : target_(resolve_control_target(options.target.connection)),
      token_(token_of(options)),
      key_(target_.account_key),
      client_(target_.origin, {.certificate_authority_file = options.target.ca_file}) {}

// Guards against sending credentials to another server, such as an account in the cloud.
void ControlClient::require_rocktable() {
  if (is_rocktable_) return;
  HttpRequest message;
  message.target = "/_rocktable/ready";
  const HttpResponse response = client_.send(message);
  if (!is_state(nlohmann::json::parse(response.body, nullptr, false)))
    throw ControlError(response.status, address() + " is not a rocktable: it returned status " +
                                            std::to_string(response.status) +
                                            " for GET /_rocktable/ready; nothing else was sent");
  is_rocktable_ = true;
}

// The message for status 401: which credentials were rejected, and which ones to pass.
std::string ControlClient::unauthorized_message() const {
  std::string rejected;
  if (!token_.empty()) rejected = "this --controlToken";
  if (target_.account_is_given)
    rejected += (rejected.empty() ? "" : " and ") + ("the signature of the account " + target_.account_name);
  return address() + (rejected.empty() ? " requires authorization" : " rejects " + rejected) +
         ": pass --connectionString CONN with one of its accounts and its key, or --controlToken TOKEN";
}

nlohmann::json ControlClient::request(std::string_view method, const std::string& resource, std::string body) {
  require_rocktable();
  HttpRequest message;
  message.method = method;
  message.target = "/_rocktable/" + resource;
  message.body = std::move(body);
  // The server accepts either a token or a signature.
  if (!token_.empty()) message.headers.add("x-rocktable-token", token_);
  message.headers.add("x-ms-date", http_date());
  add_shared_key(message, target_.account_name, key_, "");
  const HttpResponse response = client_.send(message);
  const nlohmann::json answer = nlohmann::json::parse(response.body, nullptr, false);
  if (response.status >= 200 && response.status <= 299 && answer.is_object()) return answer;
  if (response.status == kUnauthorized) throw ControlError(kUnauthorized, unauthorized_message());
  const bool has_sentence = answer.is_object() && answer.contains("error") && answer["error"].is_string();
  throw ControlError(response.status, has_sentence ? with_own_flags(response.status, answer["error"].get<std::string>())
                                                   : address() + " returned status " + std::to_string(response.status));
}

}  // namespace rocktable
