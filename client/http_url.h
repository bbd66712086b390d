// Parses http:// and https:// URLs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rocktable {

// what() is a sentence for the user. It never contains the query, which may be a secret.
class UrlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HttpUrl {
  bool secure = false;
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 80;
  std::string path;   // percent-encoded as written; empty or starting with a slash
  std::string query;  // without `?`, percent-encoded as written

  // The value for a Host header: IPv6 addresses in brackets, the port unless it is the scheme's default.
  std::string authority() const;
  // `http://127.0.0.1:10002`
  std::string origin() const;

  bool operator==(const HttpUrl&) const = default;
};

// Drops the fragment; rejects user information. Throws UrlError.
HttpUrl parse_http_url(std::string_view text);

}  // namespace rocktable
