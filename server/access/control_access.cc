#include "server/access/control_access.h"

#include <algorithm>

#include "odata/protocol/shared_key.h"
#include "odata/text.h"
#include "server/access/authentication_checks.h"
#include "server/request/target.h"

namespace rocktable {
namespace {

using boost::asio::ip::address;

// An IPv4 address written as an IPv6 one is that IPv4 address.
address plain(const address& one) {
  if (!one.is_v6() || !one.to_v6().is_v4_mapped()) return one;
  return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, one.to_v6());
}

// An IPv6 address stands in brackets, and nothing else does (RFC 3986, 3.2.2).
std::optional<address> parse_address(std::string_view host) {
  const bool brackets = host.starts_with('[') && host.ends_with(']');
  boost::system::error_code error;
  const auto one =
      boost::asio::ip::make_address(std::string(brackets ? host.substr(1, host.size() - 2) : host), error);
  return error || one.is_v6() != brackets ? std::nullopt : std::optional(plain(one));
}

bool is_own_address(const ControlPolicy& policy, const address& one) {
  return one.is_loopback() ||
         std::any_of(policy.addresses.begin(), policy.addresses.end(), [&](const address& listening) {
           return listening.is_unspecified() || plain(listening) == one;
         });
}

bool is_own_name(const ControlPolicy& policy, std::string_view host) {
  constexpr std::string_view kSubdomain = ".localhost";
  const std::string name = to_lower_ascii(host);
  return name == "localhost" || name.ends_with(kSubdomain) || name == "host.docker.internal" ||
         (!policy.host.empty() && equals_ignoring_case(name, policy.host));
}

bool is_own_host(const ControlPolicy& policy, const Headers& headers) {
  if (headers.count("Host") != 1) return false;
  const auto host = without_port(headers.get("Host"));
  const auto port = headers.get("Host").substr(host.size());
  const bool is_port =
      port.empty() || (port.front() == ':' && std::all_of(port.begin() + 1, port.end(),
                                                          [](char c) { return c >= '0' && c <= '9'; }));
  if (!is_port) return false;
  const auto address = parse_address(host);
  return address ? is_own_address(policy, *address) : is_own_name(policy, host);
}

// A browser says where a page comes from; other clients say nothing.
bool is_from_elsewhere(const Headers& headers) {
  if (headers.count("Origin") > 1 || headers.count("Sec-Fetch-Site") > 1) return true;
  const auto site = headers.get("Sec-Fetch-Site");
  if (headers.has("Sec-Fetch-Site") && site != "same-origin" && site != "none") return true;
  if (!headers.has("Origin")) return false;
  const std::string host(headers.get("Host"));
  const auto origin = headers.get("Origin");
  return !equals_ignoring_case(origin, "http://" + host) && !equals_ignoring_case(origin, "https://" + host);
}

// Empty where there is none.
std::string_view token_of(const Headers& headers) {
  return bearer_token_of(headers.get("Authorization")).value_or("");
}

bool shows_token(const ControlPolicy& policy, const Headers& headers) {
  if (policy.token.empty()) return false;
  return equal_in_constant_time(policy.token, token_of(headers)) ||
         equal_in_constant_time(policy.token, headers.get("x-rocktable-token"));
}

bool has_signature(const Headers& headers) {
  const auto scheme = scheme_of(headers.get("Authorization"));
  return equals_ignoring_case(scheme, "SharedKey") || equals_ignoring_case(scheme, "SharedKeyLite");
}

bool offers_credentials(const Headers& headers) {
  return has_signature(headers) || !token_of(headers).empty() || headers.has("x-rocktable-token");
}

std::string what_to_send(const ControlPolicy& policy) {
  const std::string signature =
      "a Shared Key or Shared Key Lite signature of an account over /ACCOUNT/_rocktable/... and a current "
      "x-ms-date";
  if (policy.token.empty())
    return "this server can be reached from elsewhere, and has no --controlToken: send " + signature;
  return "send the header Authorization: Bearer TOKEN, or x-rocktable-token: TOKEN, with the value of "
         "--controlToken; or " +
         signature + ", with a key that is not the public one";
}

}  // namespace

bool ControlPolicy::asks_for_credentials() const {
  return !token.empty() || std::any_of(addresses.begin(), addresses.end(),
                                       [](const address& one) { return !plain(one).is_loopback(); });
}

bool is_open_to_all(std::string_view control_resource) {
  return control_resource == "health" || control_resource == "ready";
}

std::optional<ControlRefusal> refuse_control(const ControlPolicy& policy, std::string_view resource,
                                             const Headers& headers, const std::function<bool()>& is_signed) {
  if (is_open_to_all(resource)) return std::nullopt;
  if (const auto name = repeated_header(headers); !name.empty())
    return ControlRefusal{403, "the header " + std::string(name) + " is given twice"};
  if (is_from_elsewhere(headers))
    return ControlRefusal{403, "requests from pages of another origin are refused"};
  const bool asks = policy.asks_for_credentials();
  // What is offered decides where it is asked for: then a wrong one is told from a wrong Host.
  const bool own_host = is_own_host(policy, headers) || (asks && offers_credentials(headers));
  if (own_host && !asks) return std::nullopt;
  const bool shown = shows_token(policy, headers) || (has_signature(headers) && is_signed());
  if (shown) return std::nullopt;
  if (own_host) return ControlRefusal{401, what_to_send(policy)};
  return ControlRefusal{
      403,
      "the Host header names neither a loopback address nor localhost nor what --tableHost says; "
      "with a token or a signature any Host will do"};
}

}  // namespace rocktable
