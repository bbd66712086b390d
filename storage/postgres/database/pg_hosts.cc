#include "storage/postgres/database/pg_hosts.h"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <string_view>

#include "base/text.h"

namespace rocktable {
namespace {

using Parameters = std::map<std::string, std::string>;

Parameters parameters_of(const std::string& url, std::string& mistake) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfoParse(url.c_str(), &message),
                                                                             &PQconninfoFree);
  if (message != nullptr) {
    mistake = message;
    PQfreemem(message);
  }
  Parameters out;
  for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr; ++one)
    if (one->val != nullptr) out.emplace(one->keyword, one->val);
  return out;
}

// The entries of a list with commas. Nothing: the URL has no such parameter.
std::vector<std::string> entries_of(const Parameters& parameters, const std::string& name) {
  std::vector<std::string> out;
  const auto found = parameters.find(name);
  if (found == parameters.end()) return out;
  std::string_view rest = found->second;
  while (true) {
    const auto comma = std::min(rest.find(','), rest.size());
    out.emplace_back(rest.substr(0, comma));
    if (comma == rest.size()) return out;
    rest.remove_prefix(comma + 1);
  }
}

// For one host. A request has time for all.
std::chrono::milliseconds connect_timeout_of(const Parameters& given, std::chrono::milliseconds timeout,
                                             std::size_t hosts) {
  int own = 0;
  if (const auto found = given.find("connect_timeout"); found != given.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), own);
  if (own > 0) return std::chrono::seconds(own);
  const auto part = std::chrono::ceil<std::chrono::seconds>(timeout / static_cast<int>(hosts));
  return std::clamp(part, std::chrono::seconds(2), std::chrono::seconds(10));
}

}  // namespace

PgHosts::PgHosts(const std::string& url, std::chrono::milliseconds timeout) {
  const Parameters given = parameters_of(url, mistake_);
  Parameters all{{"application_name", "rocktable"},
                 {"target_session_attrs", "read-write"},
                 {"keepalives_idle", "5"},
                 {"tcp_user_timeout", std::to_string(timeout.count())},
                 {"gssencmode", "disable"}};
  for (const auto& [name, value] : given) all.insert_or_assign(name, value);
  const auto names = entries_of(given, "host"), addresses = entries_of(given, "hostaddr"),
             ports = entries_of(given, "port");
  const std::size_t count = std::max({names.size(), addresses.size(), std::size_t{1}});
  for (std::size_t i = 0; i < count; ++i) {
    const auto set = [&](const char* name, const std::vector<std::string>& entries) {
      if (entries.empty()) return;
      all.insert_or_assign(name, entries.size() == 1 ? entries[0] : i < entries.size() ? entries[i] : "");
    };
    set("host", names);
    set("hostaddr", addresses);
    set("port", ports);
    hosts_.emplace_back(all.begin(), all.end());
  }
  connect_timeout_ = connect_timeout_of(given, timeout, hosts_.size());
}

}  // namespace rocktable
