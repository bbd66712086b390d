// A running rocktable, as commands address it: where it is, what shows that they may, and its control surface
// (/_rocktable/...).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "client/control/control_target.h"
#include "client/http_client.h"
#include "client/wrong_usage.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {

struct ControlClientOptions {
  TargetOptions target;
  // As given; nothing: what ROCKTABLE_CONTROL_TOKEN holds is sent; an empty text: none is.
  std::optional<std::string> token;
};

// Why a header line cannot hold this token; empty where it can.
std::string check_control_token(const std::string& token);

// The instance refused: its sentence.
class ControlError : public std::runtime_error {
 public:
  ControlError(int status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

class ControlClient {
 public:
  // Throws WrongUsage for a target that makes no sense, HttpError for the file of certificates, and std::runtime_error for a
  // target or a token that cannot be read or sent.
  explicit ControlClient(const ControlClientOptions& options);

  // `http://127.0.0.1:10002`
  std::string address() const { return target_.origin.origin(); }

  // What the control surface answers to a request for `resource`, behind /_rocktable/, percent-encoded. Nothing is asked for,
  // and no token or signature shown, before the other end has said that it is a rocktable. Throws ControlError, with
  // this program's own flags in place of headers and parameters, and HttpError where no answer comes.
  nlohmann::json ask(std::string_view method, const std::string& resource);

 private:
  void make_sure_of_it();
  std::string what_to_show() const;

  ControlTarget target_;
  std::string token_;
  AccountKey key_;
  HttpClient client_;
  bool is_sure_ = false;
};

}  // namespace rocktable
