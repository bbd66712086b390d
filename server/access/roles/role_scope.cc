#include "server/access/roles/role_scope.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/text.h"
#include "odata/entity.h"
#include "odata/protocol/account_name.h"

namespace rocktable {
namespace {

constexpr const char* kScopeForms =
    "a scope is ACCOUNT, ACCOUNT/TABLE, or a path of Azure such as "
    "/subscriptions/ID/resourceGroups/NAME/providers/Microsoft.Storage/storageAccounts/ACCOUNT";

[[noreturn]] void refuse_scope(const std::string& text, const std::string& why) {
  throw std::invalid_argument(text + " is not a scope: " + why);
}

RoleScope checked(RoleScope scope, const std::string& text) {
  if (!is_account_name(scope.account))
    refuse_scope(text,
                 scope.account + " is not the name of an account, which has 3 to 24 lower-case letters and digits");
  if (!scope.table.empty() && !check_table_name(scope.table))
    refuse_scope(text, scope.table + " is not a table's name");
  scope.table = to_lower_ascii(scope.table);
  return scope;
}

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const auto end = std::min(path.find('/'), path.size());
    out.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

// The segments of a path of Azure, compared without regard to case; `*` stands for any.
bool follow(const std::vector<std::string_view>& segments, std::initializer_list<std::string_view> pattern) {
  return segments.size() == pattern.size() && std::equal(segments.begin(), segments.end(), pattern.begin(),
                                                         [](std::string_view is, std::string_view wanted) {
                                                           return wanted == "*" ? !is.empty()
                                                                                : equals_ignoring_case(is, wanted);
                                                         });
}

RoleScope parse_path(const std::string& text) {
  const auto segments = segments_of(text);
  constexpr std::string_view kProvider = "Microsoft.Storage", kAccounts = "storageAccounts";
  const auto of_account = [&](std::size_t count) { return std::string(segments[count]); };
  if (segments.empty() || follow(segments, {"subscriptions", "*"}) ||
      follow(segments, {"subscriptions", "*", "resourceGroups", "*"}) ||
      follow(segments, {"providers", "Microsoft.Management", "managementGroups", "*"}))
    return {};
  const auto head = {std::string_view("subscriptions"),
                     std::string_view("*"),
                     std::string_view("resourceGroups"),
                     std::string_view("*"),
                     std::string_view("providers"),
                     kProvider,
                     kAccounts,
                     std::string_view("*")};
  constexpr std::size_t kAccount = 7, kTable = 11;
  const auto starts_with_account = [&] {
    return segments.size() > kAccount && follow({segments.begin(), segments.begin() + kAccount + 1}, head);
  };
  if (!starts_with_account()) refuse_scope(text, kScopeForms);
  const std::vector<std::string_view> rest(segments.begin() + kAccount + 1, segments.end());
  if (rest.empty() || follow(rest, {"tableServices", "default"})) return checked({of_account(kAccount), ""}, text);
  if (!follow(rest, {"tableServices", "default", "tables", "*"})) refuse_scope(text, "it is not one of tables");
  return checked({of_account(kAccount), std::string(segments[kTable])}, text);
}

}  // namespace

RoleScope parse_role_scope(std::string_view text) {
  const std::string whole(text);
  if (text.starts_with('/')) return parse_path(whole);
  const auto slash = text.find('/');
  if (text.empty() || slash + 1 == text.size()) refuse_scope(whole, kScopeForms);
  return checked({std::string(text.substr(0, slash)), slash == text.npos ? "" : std::string(text.substr(slash + 1))},
                 whole);
}

std::string to_string(const RoleScope& scope) { return scope.account + (scope.table.empty() ? "" : "/" + scope.table); }

std::string azure_path_of(const RoleScope& scope) {
  std::string out = "/subscriptions/SUBSCRIPTION/resourceGroups/GROUP";
  if (!scope.account.empty()) out += "/providers/Microsoft.Storage/storageAccounts/" + scope.account;
  if (!scope.table.empty()) out += "/tableServices/default/tables/" + scope.table;
  return out;
}

}  // namespace rocktable
