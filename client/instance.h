// A running rocktable, as commands address it: where it is, what shows that they may, and its control surface
// (/_rocktable/...).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "client/http_client.h"

namespace rocktable {

struct InstanceOptions {
  std::string url = "http://127.0.0.1:10002";
  // As given; nothing: what ROCKTABLE_CONTROL_TOKEN holds is sent; an empty text: none is.
  std::optional<std::string> token;
  std::string ca_file;  // certificates that are trusted beside the system's; empty: none
};

// --url, --controlToken and --caFile, each of them also from the environment, as `rocktable exec` sets it; the first two may
// say where the value is (secret.h). Writes to `options` while the app parses.
void add_instance_options(CLI::App& app, InstanceOptions& options);

// The instance refused: its sentence.
class InstanceError : public std::runtime_error {
 public:
  InstanceError(int status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

class Instance {
 public:
  // Throws UrlError, HttpError for the file of certificates, and std::runtime_error for a token that cannot be read or sent.
  explicit Instance(const InstanceOptions& options);

  // What the control surface answers to a request for `resource`, behind /_rocktable/, percent-encoded. Throws
  // InstanceError, and HttpError where no answer comes.
  nlohmann::json ask(std::string_view method, const std::string& resource);

 private:
  HttpUrl origin_;
  std::string token_;
  HttpClient client_;
};

}  // namespace rocktable
