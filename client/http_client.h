// A blocking HTTP client: one connection to one origin, over TCP or TLS, kept alive from request to request.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/http_url.h"
#include "odata/text.h"

namespace rocktable {

// Names and values of a message's header fields, owned. Names compare without regard to case.
class HttpHeaders {
 public:
  void add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }

  // The first value of that name; an empty one where there is none.
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
  HttpHeaders headers;       // Host, Content-Length and User-Agent are added where they are missing
  std::string body;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;
  std::string body;
  bool sent_twice = false;  // the first time the server may have carried it out without an answer
};

// No answer came: a sentence for the user, which names the origin.
class HttpError : public std::runtime_error {
 public:
  enum class Kind {
    Unreachable,  // no such host, or no connection: the request was not sent
    Untrusted,    // TLS could not be set up: the certificate is not trusted, or this is no TLS
    TimedOut,     // the request may have been carried out
    Dropped,      // the connection ended before a whole answer; the request may have been carried out
    Malformed,    // what came is not HTTP, or larger than is taken
  };

  HttpError(Kind kind, const std::string& sentence) : std::runtime_error(sentence), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct HttpOptions {
  // Certificates that are trusted beside the system's: a file in PEM form; empty: none.
  std::string certificate_authority_file = {};
  std::chrono::milliseconds connect_timeout{
      10'000};  // of each address of the host; TLS's handshake as much again
  std::chrono::milliseconds answer_timeout{
      60'000};                            // to send a request, and then to receive its whole answer
  std::size_t max_body_bytes = 64 << 20;  // of an answer
};

// Not thread-safe: one per thread.
class HttpClient {
 public:
  // Connects with the first request. Path and query of the origin do not count. Throws HttpError (Untrusted) where the
  // file of certificates cannot be read.
  explicit HttpClient(const HttpUrl& origin, HttpOptions options = {});
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // Sends the request and waits for the whole answer, whatever its status. Where a connection that was kept turns out
  // to be closed before one byte of the answer, it is sent again, once, on a new one. Throws HttpError.
  HttpResponse send(const HttpRequest& request);

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace rocktable
