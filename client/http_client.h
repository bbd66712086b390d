// A blocking HTTP client: one connection to one origin, over TCP or TLS, kept alive between requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "client/http_url.h"

namespace rocktable {

// Header fields of a message, owned. Names are case-insensitive.
class HttpHeaders {
 public:
  void add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }

  // Returns the first value of that name; empty if there is none.
  std::string_view get(std::string_view name) const {
    for (const auto& [field, value] : fields_)
      if (equals_ignoring_case(field, name)) return value;
    return {};
  }

  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, percent-encoded
  HttpHeaders headers;       // Host, Content-Length and User-Agent are added if missing
  std::string body;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;
  std::string body;
  bool sent_twice = false;  // the request was sent again; the server may have executed it the first time
};

// No response was received. what() is a sentence for the user with the origin.
class HttpError : public std::runtime_error {
 public:
  enum class Kind {
    Unreachable,  // unknown host, or no connection: the request was not sent
    Untrusted,    // TLS failed: the certificate is not trusted, or the server does not speak TLS
    TimedOut,     // the server may have executed the request
    Dropped,      // connection lost during the response; the server may have executed the request
    Malformed,    // the response is not HTTP, or exceeds max_body_bytes
  };

  HttpError(Kind kind, const std::string& sentence) : std::runtime_error(sentence), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct HttpOptions {
  // Trusted certificates in addition to the system's: a PEM file; empty: none.
  std::string certificate_authority_file = {};
  // For each address of the host, and again for the TLS handshake.
  std::chrono::milliseconds connect_timeout{10'000};
  // For sending a request, and again for receiving the whole response.
  std::chrono::milliseconds answer_timeout{60'000};
  std::size_t max_body_bytes = 64 << 20;  // of a response
};

// Not thread-safe: one per thread.
class HttpClient {
 public:
  // Connects at the first request. Ignores path and query of `origin`. Throws HttpError (Untrusted) if the
  // certificate file cannot be read.
  explicit HttpClient(const HttpUrl& origin, HttpOptions options = {});
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // Sends the request and returns the complete response, whatever its status. If a kept-alive connection was
  // closed before the first byte of the response, sends the request once more on a new connection. Throws
  // HttpError.
  HttpResponse send(const HttpRequest& request);

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace rocktable
