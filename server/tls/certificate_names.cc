#include "server/tls/certificate_names.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <string_view>

#include "base/text.h"

namespace rocktable {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t kMaxCertificateName = 253;
constexpr std::size_t kMaxLabel = 63;
constexpr std::string_view kWildcard = "*.";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Host names must not contain underscores, but names of containers do.
bool is_of_label(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_';
}

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabel && text.front() != '-' && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), is_of_label);
}

std::vector<std::string_view> labels_of(std::string_view name) {
  std::vector<std::string_view> out;
  for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    out.push_back(name.substr(0, dot));
    name.remove_prefix(dot + 1);
  }
  out.push_back(name);
  return out;
}

// `0.0.0.0` and `::` mean all addresses: no client connects to them.
std::string address_error(const std::string& name, const ip::address& address) {
  return address.is_unspecified() ? name + " is not an address that a client can connect to" : "";
}

std::string without_brackets(const std::string& host) {
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  return has_brackets ? host.substr(1, host.size() - 2) : host;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  const auto is_same = [&](const std::string& other) { return equals_ignoring_case(other, name); };
  if (std::none_of(names.begin(), names.end(), is_same)) names.push_back(name);
}

}  // namespace

std::string certificate_name_error(const std::string& name) {
  boost::system::error_code not_an_address;
  const ip::address address = ip::make_address(name, not_an_address);
  if (!not_an_address) return address_error(name, address);
  std::string_view rest = name;
  const bool wildcard = rest.starts_with(kWildcard);
  if (wildcard) rest.remove_prefix(kWildcard.size());
  const auto labels = labels_of(rest);
  if (name.size() > kMaxCertificateName || !std::all_of(labels.begin(), labels.end(), is_label))
    return name + " is neither a DNS name nor an IP address";
  if (labels.size() > 1 && std::all_of(labels.back().begin(), labels.back().end(), is_digit))
    return name + " is not an IP address, and a DNS name cannot end with a number";
  if (wildcard && labels.size() < 2) return name + " is too wide: after *. clients require a name with a dot";
  return "";
}

std::vector<std::string> certificate_names(const std::string& table_host, const std::vector<std::string>& more) {
  std::vector<std::string> out = {"localhost", "*.table.localhost", "host.docker.internal", "127.0.0.1", "::1"};
  boost::system::error_code ignored;
  for (const auto& host : {ip::host_name(ignored), without_brackets(table_host)})
    if (certificate_name_error(host).empty()) add_once(out, host);
  for (const auto& name : more) add_once(out, name);
  return out;
}

}  // namespace rocktable
