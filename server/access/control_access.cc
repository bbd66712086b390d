#include "server/access/control_access.h"

#include <algorithm>

#include "base/text.h"
#include "odata/protocol/shared_key.h"
#include "server/access/authentication_checks.h"
#include "server/request/target.h"

namespace rocktable {
namespace {

using boost::asio::ip::address;

// Converts an IPv4-mapped IPv6 address to IPv4.
address unmapped(const address& one) {
  if (!one.is_v6() || !one.to_v6().is_v4_mapped()) return one;
  return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, one.to_v6());
}

// An IPv6 address must be in brackets, other hosts must not (RFC 3986, 3.2.2).
std::optional<address> parse_address(std::string_view host) {
  const bool brackets = host.starts_with('[') && host.ends_with(']');
  boost::system::error_code error;
  const auto one = boost::asio::ip::make_address(std::string(brackets ? host.substr(1, host.size() - 2) : host), error);
  return error || one.is_v6() != brackets ? std::nullopt : std::optional(unmapped(one));
}

bool is_own_address(const ControlPolicy& policy, const address& one) {
  return one.is_loopback() ||
         std::any_of(policy.addresses.begin(), policy.addresses.end(), [&](const address& listening) {
           return listening.is_unspecified() || unmapped(listening) == one;
         });
}

bool is_own_name(const ControlPolicy& policy, std::string_view host) {
  constexpr std::string_view kSubdomain = ".localhost";
  const std::string name = to_lower_ascii(host);
  return name == "localhost" || name.ends_with(kSubdomain) || name == "host.docker.internal" ||
         (!policy.host.empty() && equals_ignoring_case(name, policy.host));
}

// CSRF: a browser sends Origin or Sec-Fetch-Site with requests from a page of another origin. Other clients
// send neither.
bool is_cross_origin(const Headers& headers) {
  if (headers.count("Origin") > 1 || headers.count("Sec-Fetch-Site") > 1) return true;
  const auto site = headers.get("Sec-Fetch-Site");
  if (headers.has("Sec-Fetch-Site") && site != "same-origin" && site != "none") return true;
  if (!headers.has("Origin")) return false;
  const std::string host(headers.get("Host"));
  const auto origin = headers.get("Origin");
  return !equals_ignoring_case(origin, "http://" + host) && !equals_ignoring_case(origin, "https://" + host);
}

// The bearer token; empty if there is none.
std::string_view token_of(const Headers& headers) { return bearer_token_of(headers.get("Authorization")).value_or(""); }

bool has_valid_token(const ControlPolicy& policy, const Headers& headers) {
  if (policy.token.empty()) return false;
  return equal_in_constant_time(policy.token, token_of(headers)) ||
         equal_in_constant_time(policy.token, headers.get("x-rocktable-token"));
}

bool has_signature(const Headers& headers) {
  return equals_ignoring_case(scheme_of(headers.get("Authorization")), "SharedKey");
}

bool has_credentials(const Headers& headers) {
  return has_signature(headers) || !token_of(headers).empty() || headers.has("x-rocktable-token");
}

std::string what_to_send(const ControlPolicy& policy) {
  const std::string signature =
      "a Shared Key signature (not Lite) of an account over the method and /ACCOUNT/_rocktable/..., and a "
      "current x-ms-date";
  if (policy.token.empty())
    return "This server is reachable from other machines and has no --controlToken. Send " + signature + ".";
  return "Send the header Authorization: Bearer TOKEN, or x-rocktable-token: TOKEN, with the value of "
         "--controlToken, or " +
         signature + ", signed with a key other than the well-known one.";
}

// Whether a person follows a link or types an address.
bool is_navigation(const Headers& headers) {
  return !headers.has("Origin") && headers.count("Sec-Fetch-Site") == 1 &&
         headers.get("Sec-Fetch-Mode") == "navigate" && headers.get("Sec-Fetch-Dest") == "document";
}

}  // namespace

bool ControlPolicy::requires_credentials() const { return !token.empty() || is_open_to_others(); }

bool ControlPolicy::is_open_to_others() const {
  return std::any_of(addresses.begin(), addresses.end(),
                     [](const address& one) { return !unmapped(one).is_loopback(); });
}

bool is_own_host(const ControlPolicy& policy, const Headers& headers) {
  if (headers.count("Host") != 1) return false;
  const auto host = without_port(headers.get("Host"));
  const auto port = headers.get("Host").substr(host.size());
  const bool is_port =
      port.empty() ||
      (port.front() == ':' && std::all_of(port.begin() + 1, port.end(), [](char c) { return c >= '0' && c <= '9'; }));
  if (!is_port) return false;
  const auto address = parse_address(host);
  return address ? is_own_address(policy, *address) : is_own_name(policy, host);
}

bool is_public_resource(std::string_view control_resource) {
  return control_resource == "health" || control_resource == "ready";
}

std::optional<ControlRefusal> refuse_control(const ControlPolicy& policy, std::string_view resource,
                                             const Headers& headers, const std::function<bool()>& is_signed) {
  if (is_public_resource(resource)) return std::nullopt;
  if (const auto name = repeated_header(headers); !name.empty())
    return ControlRefusal{403, "The header " + std::string(name) + " is repeated."};
  if (is_cross_origin(headers)) return ControlRefusal{403, "Cross-origin requests are refused."};
  const bool asks = policy.requires_credentials();
  // With credentials any Host passes, so that wrong credentials get 401, not the 403 of a wrong Host.
  const bool own_host = is_own_host(policy, headers) || (asks && has_credentials(headers));
  if (own_host && !asks) return std::nullopt;
  const bool shown = has_valid_token(policy, headers) || (has_signature(headers) && is_signed());
  if (shown) return std::nullopt;
  if (own_host) return ControlRefusal{401, what_to_send(policy)};
  return ControlRefusal{403,
                        "The Host header is neither a loopback address, nor localhost, nor the value of --tableHost. "
                        "With a token or a signature, any Host is accepted."};
}

std::optional<ControlRefusal> refuse_page(const ControlPolicy& policy, const Headers& headers) {
  if (is_cross_origin(headers) && !is_navigation(headers))
    return ControlRefusal{403, "Cross-origin requests are refused."};
  if (policy.requires_credentials() && policy.token.empty())
    return ControlRefusal{403,
                          "This server is reachable from other machines and has no --controlToken. Start it with "
                          "--controlToken TOKEN, or without --tableHost."};
  if (policy.token.empty() && !is_own_host(policy, headers))
    return ControlRefusal{
        403, "The Host header is neither a loopback address, nor localhost, nor the value of --tableHost."};
  return std::nullopt;
}

}  // namespace rocktable
