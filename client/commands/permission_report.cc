#include "client/commands/permission_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "base/text.h"

namespace rocktable {
namespace {

std::string text_at(const nlohmann::json& object, const char* name) {
  return printable(object.at(name).get<std::string>());
}

std::string list_at(const nlohmann::json& object, const char* name) {
  std::string out;
  for (const auto& one : object.at(name)) out += (out.empty() ? "" : ", ") + printable(one.get<std::string>());
  return out.empty() ? "none" : out;
}

std::string title_of(const nlohmann::json& caller) {
  const std::string kind = text_at(caller, "kind"), who = text_at(caller, "identity");
  std::string out = kind == "token"               ? "Token of "
                    : kind == "userDelegationSas" ? "User delegation SAS of "
                    : kind == "tableSas"          ? "Table SAS"
                                                  : "Account SAS";
  if (kind == "token" || kind == "userDelegationSas") out += who.empty() ? "nobody (it has no oid)" : who;
  return out + " for " + text_at(caller, "account") + ", " +
         counted(caller.at("requests").get<std::uint64_t>(), "request", "requests") + "\n";
}

std::string lines_of_sas(const nlohmann::json& sas) {
  std::string out = "  smallest signature: sp=" + text_at(sas, "sp");
  if (sas.contains("srt")) return out + " srt=" + text_at(sas, "srt") + "\n";
  out += " tn=" + text_at(sas, "tn");
  if (sas.at("spk").is_string()) out += " spk=" + text_at(sas, "spk") + " epk=" + text_at(sas, "epk");
  return out + "\n";
}

std::string lines_of_roles(const nlohmann::json& caller) {
  std::string out = "  built-in roles: " + list_at(caller, "builtInRoles") + "\n  scope: " + text_at(caller, "scope") +
                    "\n  exactly what it used, as a custom role:\n";
  const std::string role = caller.at("customRole").dump(2, ' ', true);  // ASCII alone, without control characters
  for (std::string_view rest = role; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    out.append("    ").append(rest.substr(0, end)).append("\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace

std::string permission_report(const nlohmann::json& document) {
  std::string out;
  for (const auto& caller : document.at("callers")) {
    out += (out.empty() ? "" : "\n") + title_of(caller) + "  tables: " + list_at(caller, "tables") + "\n";
    if (caller.contains("sas")) out += lines_of_sas(caller.at("sas"));
    if (caller.contains("builtInRoles")) out += lines_of_roles(caller);
  }
  if (out.empty()) out = "No request had a bearer token or a shared access signature.\n";
  if (const auto more = document.at("notCounted").get<std::uint64_t>(); more > 0)
    out += "\n" + counted(more, "request", "requests") + " of further callers are not counted.\n";
  return out;
}

}  // namespace rocktable
