// Parses the settings of a connection string, and derives account and table from a URL.
#include "client/connection_string.h"

#include <boost/asio/ip/address.hpp>
#include <map>
#include <optional>

#include "base/base64.h"
#include "base/text.h"
#include "odata/protocol/development_account.h"
#include "odata/protocol/sas.h"

namespace rocktable {
namespace {

constexpr std::string_view kDevelopmentProxy = "http://127.0.0.1";
constexpr std::uint16_t kDevelopmentPort = 10002;
constexpr std::string_view kDefaultSuffix = "core.windows.net";

ConnectionStringError wrong(const std::string& why) { return ConnectionStringError("the connection string " + why); }

// The settings of a connection string by lower-case name. A value may contain `=`.
class Parts {
 public:
  explicit Parts(std::string_view text) {
    while (!text.empty()) {
      const std::string_view part = trim(text.substr(0, text.find(';')));
      text.remove_prefix(std::min(text.find(';'), text.size() - 1) + 1);
      if (!part.empty()) add(part);
    }
  }

  // Returns nullopt if the setting is missing or empty.
  std::optional<std::string> get(std::string_view name) const {
    const auto found = values_.find(to_lower_ascii(name));
    if (found == values_.end() || found->second.empty()) return std::nullopt;
    return found->second;
  }

  std::string get_or(std::string_view name, std::string_view otherwise) const {
    return get(name).value_or(std::string(otherwise));
  }

 private:
  void add(std::string_view part) {
    const std::size_t equals = part.find('=');
    // The message omits the text: it may be a key whose name was lost.
    if (equals == std::string_view::npos || equals == 0) throw wrong("has a part that is not of the form Name=Value");
    const std::string name = to_lower_ascii(trim(part.substr(0, equals)));
    if (!values_.emplace(name, trim(part.substr(equals + 1))).second) throw wrong("has " + name + " twice");
  }

  std::map<std::string, std::string> values_;
};

HttpUrl endpoint_url(const std::string& text) {
  HttpUrl url;
  try {
    url = parse_http_url(text);
  } catch (const UrlError& error) {
    throw wrong(std::string("has an endpoint that cannot be used: ") + error.what());
  }
  while (url.path.ends_with('/')) url.path.pop_back();
  return url;
}

bool is_path_style(const HttpUrl& url) {
  boost::system::error_code no_address;
  boost::asio::ip::make_address(url.host, no_address);
  return !no_address || url.host.find('.') == std::string::npos;
}

// Path-style URLs have the account in the path, others in the first label of the host name:
// `devstoreaccount1` for http://127.0.0.1:10002/devstoreaccount1, `name` for
// https://name.table.core.windows.net.
std::string account_of(const HttpUrl& url) {
  if (is_path_style(url)) return url.path.empty() ? "" : url.path.substr(1, url.path.find('/', 1) - 1);
  const std::string label = url.host.substr(0, url.host.find('.'));
  constexpr std::string_view kSecondary = "-secondary";
  return label.ends_with(kSecondary) ? label.substr(0, label.size() - kSecondary.size()) : label;
}

void use_signature(TableEndpoint& endpoint, std::string_view query, const std::string& whose) {
  if (query.starts_with('?')) query.remove_prefix(1);
  const auto sas = parse_sas(query);
  if (!sas || sas->signature.empty()) throw ConnectionStringError(whose + " has no shared access signature (sig=...)");
  endpoint.shared_access_signature = query;
  endpoint.table = sas->table;
}

void use_key(TableEndpoint& endpoint, const std::string& key) {
  const auto bytes = decode_base64(key);
  if (!bytes || bytes->empty()) throw wrong("has an AccountKey that is not base64");
  endpoint.account_key = key;
}

// A URL for one table has the table name after the account's address.
TableEndpoint parse_signed_url(std::string_view text) {
  TableEndpoint out;
  try {
    out.url = parse_http_url(text);
  } catch (const UrlError& error) {
    throw ConnectionStringError(error.what());
  }
  use_signature(out, out.url.query, "the URL " + out.url.origin() + out.url.path);
  out.url.query.clear();
  while (out.url.path.ends_with('/')) out.url.path.pop_back();
  const std::size_t account_end = is_path_style(out.url) ? out.url.path.find('/', 1) : 0;
  if (account_end != std::string::npos && account_end < out.url.path.size()) {
    if (out.table.empty()) out.table = out.url.path.substr(account_end + 1);
    out.url.path.resize(account_end);
  }
  out.account_name = account_of(out.url);
  return out;
}

TableEndpoint development_endpoint(const Parts& parts) {
  TableEndpoint out;
  out.url = endpoint_url(parts.get_or("DevelopmentStorageProxyUri", kDevelopmentProxy));
  out.url.port = kDevelopmentPort;
  out.url.path = "/" + std::string(kDevelopmentAccount);
  out.url.query.clear();
  out.account_name = kDevelopmentAccount;
  out.account_key = kDevelopmentKey;
  return out;
}

HttpUrl url_of(const Parts& parts) {
  if (const auto endpoint = parts.get("TableEndpoint")) return endpoint_url(*endpoint);
  const auto account = parts.get("AccountName");
  if (!account) throw wrong("has neither TableEndpoint nor AccountName");
  return endpoint_url(parts.get_or("DefaultEndpointsProtocol", "https") + "://" + *account + ".table." +
                      parts.get_or("EndpointSuffix", kDefaultSuffix));
}

TableEndpoint parse_parts(const Parts& parts) {
  if (const auto development = parts.get("UseDevelopmentStorage")) {
    if (!equals_ignoring_case(*development, "true"))
      throw wrong("has UseDevelopmentStorage, but not with the value true");
    return development_endpoint(parts);
  }
  TableEndpoint out;
  out.url = url_of(parts);
  out.account_name = parts.get_or("AccountName", account_of(out.url));
  const auto key = parts.get("AccountKey"), signature = parts.get("SharedAccessSignature");
  if (signature) {
    use_signature(out, *signature, "the SharedAccessSignature of the connection string");
  } else if (key && !parts.get("AccountName")) {
    throw wrong("has an AccountKey, but no AccountName");
  } else if (key) {
    use_key(out, *key);
  } else if (!out.url.query.empty()) {
    use_signature(out, out.url.query, "the TableEndpoint of the connection string");
  } else {
    throw wrong("has neither AccountKey nor SharedAccessSignature");
  }
  out.url.query.clear();
  return out;
}

}  // namespace

TableEndpoint parse_connection_string(std::string_view text) {
  text = trim(text);
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty()) throw wrong("is empty");
  const std::string scheme = to_lower_ascii(text.substr(0, std::string_view("https://").size()));
  if (scheme.starts_with("http://") || scheme == "https://") return parse_signed_url(text);
  return parse_parts(Parts(text));
}

}  // namespace rocktable
