// An http:// or https:// URL, taken apart.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rocktable {

// Text that should have been a URL: a sentence that says what is wrong with it. Never holds the query, which may be
// a secret.
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

  // What a Host header says: brackets around an IPv6 address, the port where it is not the scheme's own.
  std::string authority() const;
  // `http://127.0.0.1:10002`
  std::string origin() const;

  bool operator==(const HttpUrl&) const = default;
};

// A fragment is dropped; user and password are refused. Throws UrlError.
HttpUrl parse_http_url(std::string_view text);

}  // namespace rocktable
