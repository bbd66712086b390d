#include "server/request/target.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cctype>

#include "base/last_result.h"
#include "base/text.h"
#include "base/uri.h"
#include "odata/protocol/query_string.h"

namespace rocktable {
namespace {

constexpr std::string_view kSecondary = "-secondary";
constexpr std::size_t kRoom = 48;  // for a scheme and an account's name

std::pair<std::string_view, std::string_view> split(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

// `http://host` of an absolute URL, else empty.
std::string_view origin_of(std::string_view url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) return {};
  return url.substr(0, url.find_first_of("/?", url.find("://") + 3));
}

bool is_address(std::string_view host) {
  if (host.starts_with('[')) return true;
  boost::system::error_code error;
  if (host.find(':') == std::string_view::npos) {  // the usual case, without a check for IPv6
    boost::asio::ip::make_address_v4(std::string(host), error);
  } else {
    boost::asio::ip::make_address(std::string(host), error);
  }
  return !error;
}

// Accepts names and addresses, with or without port. Any other text would get into links.
bool is_authority(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ':' || c == '[' || c == ']' || c == '%';
  });
}

bool names_account(std::string_view host) {
  return host.find('.') != std::string_view::npos && !is_address(host) &&
         !equals_ignoring_case(host, "host.docker.internal");
}

struct HostForm {
  bool is_authority;
  bool names_account;
};

std::string_view without_empty_segment(std::string_view resource) {
  return resource.substr(resource.starts_with("//") ? 1 : 0);
}

// Takes `/account` off the front, where the path goes on after it.
std::string_view without_account(std::string_view resource, std::string_view account) {
  if (account.empty() || !resource.substr(1).starts_with(account)) return resource;
  const std::string_view rest = resource.substr(1 + account.size());
  return rest.starts_with('/') ? rest : resource;
}

// Takes off what two libraries put before a resource:
// - the one for Java appends `/Tables` to an endpoint that ends in a slash, which the one for Go needs;
// - the one for Python puts the secondary location before the whole path of the primary (`repeated` is its account).
std::string_view without_extra_once(std::string_view resource, bool in_path, std::string_view repeated) {
  if (in_path) resource = without_empty_segment(resource);
  const std::string_view rest = without_account(resource, repeated);
  return in_path && rest.size() < resource.size() ? without_empty_segment(rest) : rest;
}

// Leaves a path alone that has such segments more than once: a link to the result would lead elsewhere.
std::string_view without_extra_segments(std::string_view resource, bool in_path, std::string_view repeated) {
  const std::string_view once = without_extra_once(resource, in_path, repeated);
  if (once.size() == resource.size()) return resource;
  return without_extra_once(once, in_path, repeated).size() == once.size() ? once : resource;
}

HostForm form_of(std::string_view host) { return {is_authority(host), names_account(without_port(host))}; }

}  // namespace

Result<QueryParameters> QueryParameters::parse(std::string_view raw_query) {
  QueryParameters out;
  bool decoded = true;
  for_each_query_parameter(raw_query, [&](std::string_view raw_name, std::string_view raw_value) {
    auto name = percent_decode(raw_name, true), value = percent_decode(raw_value, true);
    decoded = decoded && name && value;
    if (decoded) out.parameters_.emplace_back(std::move(*name), std::move(*value));
  });
  if (!decoded) return Error(ErrorCode::InvalidInput);
  return out;
}

std::optional<std::string_view> QueryParameters::get(std::string_view name) const {
  for (const auto& [key, value] : parameters_)
    if (equals_ignoring_case(key, name)) return value;
  return std::nullopt;
}

int QueryParameters::count(std::string_view name) const {
  int n = 0;
  for (const auto& parameter : parameters_) n += equals_ignoring_case(parameter.first, name) ? 1 : 0;
  return n;
}

Result<Target> parse_target(std::string_view raw_target, std::string_view host, bool secure, bool product_style) {
  if (const auto origin = origin_of(raw_target); !origin.empty()) {
    host = origin.substr(origin.find("://") + 3);
    raw_target.remove_prefix(origin.size());
    if (raw_target.empty()) raw_target = "/";
  }
  if (host.empty()) return Error(ErrorCode::HostInformationNotPresent);
  const HostForm host_form = with_last_result<form_of>(host);
  if (!host_form.is_authority) return Error(ErrorCode::InvalidHeaderValue);
  if (!raw_target.starts_with('/')) return Error(ErrorCode::InvalidUri);

  Target out;
  out.base_url.reserve(host.size() + kRoom);
  out.base_url.append(secure ? "https://" : "http://").append(host);
  const auto [path, query] = split(raw_target, '?');
  out.query = query;
  std::string account;
  if (product_style && host_form.names_account) {
    account = to_lower_ascii(host.substr(0, host.find('.')));  // letter case does not matter in host names
    out.resource = path;
  } else {
    const auto end = path.find('/', 1);
    account = path.substr(1, end == std::string_view::npos ? end : end - 1);
    out.resource = end == std::string_view::npos ? "/" : path.substr(end);
    out.base_url += '/';
    out.base_url += account;
  }
  out.secondary = account.ends_with(kSecondary);
  if (out.secondary) account.resize(account.size() - kSecondary.size());
  if (account.empty()) return Error(ErrorCode::InvalidUri);
  const std::string_view repeated = out.secondary ? std::string_view(account) : std::string_view();
  const bool in_path = !(product_style && host_form.names_account);
  out.resource = without_extra_segments(out.resource, in_path, repeated);
  out.account = std::move(account);
  return out;
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.rfind(':'));
}

bool has_dot_segment(std::string_view raw_target) {
  std::string_view path = raw_target.substr(0, raw_target.find('?'));
  for (;;) {
    const auto end = std::min(path.find_first_of("/\\"), path.size());
    const auto segment = percent_decode(path.substr(0, end), false);
    if (segment && (*segment == "." || *segment == "..")) return true;
    if (end == path.size()) return false;
    path.remove_prefix(end + 1);
  }
}

std::string path_of_url(std::string_view url) {
  url.remove_prefix(origin_of(url).size());
  return url.starts_with('/') ? std::string(url) : "/" + std::string(url);
}

}  // namespace rocktable
