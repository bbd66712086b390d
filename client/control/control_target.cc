#include "client/control/control_target.h"

#include <cstdlib>

#include "client/account_argument.h"
#include "client/connection_string.h"
#include "client/secret.h"
#include "client/wrong_usage.h"
#include "odata/text.h"

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

void take_account(ControlTarget& out, const TableEndpoint& endpoint) {
  if (endpoint.account_key.empty()) return;
  out.account_name = endpoint.account_name;
  out.account_key = endpoint.account_key;
  out.account_is_given = true;
}

// What is not of this address is none of our business: it need not even be readable.
void take_account_of_environment(ControlTarget& out) {
  for (const auto& text : connection_strings_of_environment()) {
    try {
      const TableEndpoint endpoint = parse_connection_string(text);
      if (!is_same_origin(endpoint.url, out.origin) || endpoint.account_key.empty()) continue;
      return take_account(out, endpoint);
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
  const auto everybody = parse_connection_string("UseDevelopmentStorage=true");
  out.account_name = everybody.account_name;
  out.account_key = everybody.account_key;
  if (!is_url(text) && text.find('=') != std::string::npos) {
    const TableEndpoint endpoint = parse_connection_string(text);
    out.origin = without_path(endpoint.url);
    take_account(out, endpoint);
    return out;
  }
  out.origin = without_path(parse_http_url(text));
  take_account_of_environment(out);
  return out;
}

}  // namespace

ControlTarget control_target(const std::string& given) {
  const std::string text = read_secret(given, "--connectionString");
  try {
    return target_of(text);
  } catch (const ConnectionStringError& error) {
    throw WrongUsage(error.what());
  } catch (const UrlError& error) {
    throw WrongUsage(error.what());
  }
}

}  // namespace rocktable
