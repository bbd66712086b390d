// Implements the subset of RFC 3986 that HTTP needs.
#include "client/http_url.h"

#include <algorithm>
#include <charconv>

#include "odata/text.h"

namespace rocktable {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

// The message contains the URL without its query.
UrlError wrong(std::string_view text, std::string_view why) {
  return UrlError("the URL '" + std::string(text.substr(0, text.find('?'))) + "' " + std::string(why));
}

bool is_unprintable(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; }

std::uint16_t parse_port(std::string_view digits, std::string_view url) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0)
    throw wrong(url, "has a port that is not a number from 1 to 65535");
  return port;
}

// `host`, `host:port`, `[address]`, `[address]:port`
void read_authority(HttpUrl& out, std::string_view authority, std::string_view url) {
  if (authority.find('@') != std::string_view::npos)
    throw UrlError("a URL with a user name is not supported");
  std::string_view behind;
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) throw wrong(url, "has an address without its closing bracket");
    out.host = authority.substr(1, bracket - 1);
    behind = authority.substr(bracket + 1);
  } else {
    const std::size_t colon = authority.find(':');
    out.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) behind = authority.substr(colon);
  }
  if (out.host.empty()) throw wrong(url, "has no host");
  if (behind.empty() || behind == ":") return;
  if (!behind.starts_with(':')) throw wrong(url, "has text after its address");
  out.port = parse_port(behind.substr(1), url);
}

}  // namespace

std::string HttpUrl::authority() const {
  std::string out = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (secure ? kHttpsPort : kHttpPort)) out += ":" + std::to_string(port);
  return out;
}

std::string HttpUrl::origin() const { return (secure ? "https://" : "http://") + authority(); }

HttpUrl parse_http_url(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  const std::string scheme = to_lower_ascii(text.substr(0, std::min(scheme_end, text.size())));
  if (scheme_end == std::string_view::npos || (scheme != "http" && scheme != "https"))
    throw wrong(text, "does not start with http:// or https://");
  if (std::any_of(text.begin(), text.end(), is_unprintable))
    throw wrong(text, "contains spaces or control characters");
  HttpUrl out;
  out.secure = scheme == "https";
  out.port = out.secure ? kHttpsPort : kHttpPort;
  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  read_authority(out, rest.substr(0, authority_end), text);
  rest.remove_prefix(authority_end);
  const std::size_t question = rest.find('?');
  out.path = rest.substr(0, question);
  if (question != std::string_view::npos) out.query = rest.substr(question + 1);
  return out;
}

}  // namespace rocktable
