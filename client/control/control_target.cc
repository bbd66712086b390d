#include "client/control/control_target.h"

#include <cstdlib>

#include "base/text.h"
#include "client/account_argument.h"
#include "client/connection_string.h"
#include "client/secret.h"
#include "client/usage_error.h"

namespace rocktable {
namespace {

HttpUrl without_path(HttpUrl url) {
  url.path.clear();
  url.query.clear();
  return url;
}

bool is_same_origin(const HttpUrl& a, const HttpUrl& b) {
  return a.secure == b.secure && a.port == b.port && equals_ignoring_case(a.host, b.host);
}

void use_account(ControlTarget& out, const TableEndpoint& endpoint) {
  if (endpoint.account_key.empty()) return;
  out.account_name = endpoint.account_name;
  out.account_key = endpoint.account_key;
  out.account_is_given = true;
}

// Ignores accounts at other addresses, and connection strings that are malformed.
void use_account_of_environment(ControlTarget& out) {
  for (const auto& text : connection_strings_of_environment()) {
    try {
      const TableEndpoint endpoint = parse_connection_string(text);
      if (!is_same_origin(endpoint.url, out.origin) || endpoint.account_key.empty()) continue;
      return use_account(out, endpoint);
    } catch (const ConnectionStringError&) {
      continue;
    }
  }
}

bool is_url(std::string_view text) {
  const std::string start = to_lower_ascii(text.substr(0, std::string_view("https://").size()));
  return start.starts_with("http://") || start == "https://";
}

ControlTarget target_of(const std::string& text) {
  ControlTarget out;
  const auto well_known = parse_connection_string("UseDevelopmentStorage=true");
  out.account_name = well_known.account_name;
  out.account_key = well_known.account_key;
  if (!is_url(text) && text.find('=') != std::string::npos) {
    const TableEndpoint endpoint = parse_connection_string(text);
    out.origin = without_path(endpoint.url);
    use_account(out, endpoint);
    return out;
  }
  out.origin = without_path(parse_http_url(text));
  use_account_of_environment(out);
  return out;
}

}  // namespace

ControlTarget resolve_control_target(const std::string& given) {
  const std::string text = read_secret(given, "--connectionString");
  try {
    return target_of(text);
  } catch (const ConnectionStringError& error) {
    throw UsageError(error.what());
  } catch (const UrlError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace rocktable
