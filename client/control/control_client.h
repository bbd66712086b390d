// Client for the control API (/_rocktable/...) of a running rocktable: address, authorization, requests.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "client/control/control_target.h"
#include "client/http_client.h"
#include "client/usage_error.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {

struct ControlClientOptions {
  ControlTargetOptions target;
  // As given on the command line. nullopt: use ROCKTABLE_CONTROL_TOKEN; empty: send no token.
  std::optional<std::string> token;
};

// Returns why this token cannot be sent in a header; empty if it can.
std::string check_control_token(const std::string& token);

// The instance returned an error; what() is its message.
class ControlError : public std::runtime_error {
 public:
  ControlError(int status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

class ControlClient {
 public:
  // Throws UsageError if the target is malformed, HttpError if the certificate file cannot be read, and
  // std::runtime_error if the target or the token cannot be read or sent.
  explicit ControlClient(const ControlClientOptions& options);

  // `http://127.0.0.1:10002`
  std::string address() const { return target_.origin.origin(); }

  // Sends a request for /_rocktable/`resource`, percent-encoded, with a JSON body or none, and returns the JSON
  // response. Before the first request it checks that the server is a rocktable; until then it sends no token and no
  // signature. Throws ControlError, whose message uses the flags of this program in place of headers and parameters,
  // and HttpError if there is no response.
  nlohmann::json request(std::string_view method, const std::string& resource, std::string body = {});

 private:
  void require_rocktable();
  std::string unauthorized_message() const;

  ControlTarget target_;
  std::string token_;
  AccountKey key_;
  HttpClient client_;
  bool is_rocktable_ = false;
};

}  // namespace rocktable
