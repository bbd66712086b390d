#include "client/control/control_client.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "client/secret.h"
#include "client/signing.h"

namespace rocktable {
namespace {

constexpr int kNotSigned = 401;

// The environment's is what `rocktable exec` set: a value, whatever it begins with.
std::string token_of(const ControlClientOptions& options) {
  const char* const variable = std::getenv("ROCKTABLE_CONTROL_TOKEN");
  std::string token = options.token         ? read_secret(*options.token, "--controlToken")
                      : variable != nullptr ? variable
                                            : "";
  if (const auto fault = check_control_token(token); !fault.empty())
    throw std::runtime_error("--controlToken: " + fault);
  return token;
}

// What the server says to whoever speaks HTTP, as this program's users do it.
std::string in_own_flags(std::string sentence) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kFlags = {{
      {"?replace=true", "--replace"},
      {"With a token or a signature, any Host is accepted.",
       "Name the server by 127.0.0.1, localhost or that value."},
  }};
  for (const auto& [parameter, flag] : kFlags)
    if (const auto at = sentence.find(parameter); at != std::string::npos)
      sentence.replace(at, parameter.size(), flag);
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
  return visible ? "" : "a token has visible ASCII characters alone";
}

ControlClient::ControlClient(const ControlClientOptions& options)
    : target_(control_target(options.target.target)),
      token_(token_of(options)),
      key_(target_.account_key),
      client_(target_.origin, {.certificate_authority_file = options.target.ca_file}) {}

// An account in the cloud, say, is sent nothing of ours.
void ControlClient::make_sure_of_it() {
  if (is_sure_) return;
  HttpRequest request;
  request.target = "/_rocktable/ready";
  const HttpResponse response = client_.send(request);
  if (!is_state(nlohmann::json::parse(response.body, nullptr, false)))
    throw ControlError(response.status, address() + " is no rocktable: it answered with status " +
                                            std::to_string(response.status) +
                                            " to GET /_rocktable/ready; nothing else was sent there");
  is_sure_ = true;
}

// To one that asks who controls it, and took nothing of what was shown.
std::string ControlClient::what_to_show() const {
  std::string refused;
  if (!token_.empty()) refused = "this --controlToken";
  if (target_.account_is_given)
    refused += (refused.empty() ? "" : " and ") + ("the signature of the account " + target_.account_name);
  return address() + (refused.empty() ? " asks who controls it" : " refuses " + refused) +
         ": give --connectionString CONN with an account of it and its key, or --controlToken TOKEN";
}

nlohmann::json ControlClient::ask(std::string_view method, const std::string& resource) {
  make_sure_of_it();
  HttpRequest request;
  request.method = method;
  request.target = "/_rocktable/" + resource;
  // One of the two is enough.
  if (!token_.empty()) request.headers.add("x-rocktable-token", token_);
  request.headers.add("x-ms-date", http_date());
  add_shared_key(request, target_.account_name, key_, "");
  const HttpResponse response = client_.send(request);
  const nlohmann::json answer = nlohmann::json::parse(response.body, nullptr, false);
  if (response.status >= 200 && response.status <= 299 && answer.is_object()) return answer;
  if (response.status == kNotSigned) throw ControlError(kNotSigned, what_to_show());
  const bool has_sentence = answer.is_object() && answer.contains("error") && answer["error"].is_string();
  throw ControlError(response.status,
                     has_sentence ? in_own_flags(answer["error"].get<std::string>())
                                  : address() + " answered with status " + std::to_string(response.status));
}

}  // namespace rocktable
