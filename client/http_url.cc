// Parses with Boost.URL (RFC 3986).
#include "client/http_url.h"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <charconv>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr const char* kUserName = "a URL with a user name is not supported";

// The message omits the query, which may be a secret.
UrlError wrong(std::string_view text, std::string_view why) {
  return UrlError("the URL '" + std::string(text.substr(0, text.find('?'))) + "' " + std::string(why));
}

bool is_unprintable(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; }

}  // namespace

std::string HttpUrl::authority() const {
  std::string out = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (secure ? kHttpsPort : kHttpPort)) out += ":" + std::to_string(port);
  return out;
}

std::string HttpUrl::origin() const { return (secure ? "https://" : "http://") + authority(); }

// Does not parse the query: some tools write signatures with characters that RFC 3986 does not allow there.
HttpUrl parse_http_url(std::string_view text) {
  text = text.substr(0, text.find('#'));
  HttpUrl out;
  const std::string start = to_lower_ascii(text.substr(0, std::string_view("https://").size()));
  out.secure = start == "https://";
  if (!out.secure && !start.starts_with("http://")) throw wrong(text, "does not start with http:// or https://");
  if (std::any_of(text.begin(), text.end(), is_unprintable)) throw wrong(text, "contains spaces or control characters");
  const std::size_t question = std::min(text.find('?'), text.size());
  const auto url = boost::urls::parse_uri(text.substr(0, question));
  if (!url && text.find('@') < question) throw UrlError(kUserName);  // the message must not contain a password
  // Boost 1.81 takes the x of http://HOST:80x for a path.
  if (!url || !(url->encoded_path().empty() || url->encoded_path().starts_with('/')))
    throw wrong(text, "is not a valid URL, such as http://HOST:PORT/PATH");
  if (url->has_userinfo()) throw UrlError(kUserName);
  if (url->encoded_host().empty()) throw wrong(text, "has no host");
  out.host = url->host_address();
  out.port = out.secure ? kHttpsPort : kHttpPort;
  if (const std::string port = url->port(); !port.empty()) {  // port_number() of Boost 1.81 wraps around
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (error != std::errc() || out.port == 0) throw wrong(text, "has a port that is not a number from 1 to 65535");
  }
  out.path = url->encoded_path();
  out.query = text.substr(std::min(question + 1, text.size()));
  return out;
}

}  // namespace rocktable
