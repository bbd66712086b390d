#include "server/access/roles/role.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxRoleName = 512;

Role built_in(std::string name, std::string id, std::vector<std::string> actions,
              std::vector<std::string> data_actions = {}, std::vector<std::string> not_actions = {}) {
  Role out{
      std::move(name), std::move(id), {{std::move(actions), std::move(not_actions), std::move(data_actions), {}}}, {}};
  out.granted = granted_by(out.permissions);
  return out;
}

std::string of_tables(std::string_view rest) {
  return "Microsoft.Storage/storageAccounts/tableServices/" + std::string(rest);
}

std::vector<Role> make_built_in_roles() {
  std::vector<Role> out;
  out.push_back(built_in("Storage Table Data Reader", "76199698-9eea-4c19-bc75-cec21354c6b6",
                         {of_tables("tables/read")}, {of_tables("tables/entities/read")}));
  out.push_back(built_in("Storage Table Delegator", "965033a5-c8eb-4f35-b82f-fef460a3606d",
                         {of_tables("generateUserDelegationKey/action")}));
  out.push_back(built_in(
      "Storage Table Data Contributor", "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3",
      {of_tables("tables/read"), of_tables("tables/write"), of_tables("tables/delete")},
      {of_tables("tables/entities/read"), of_tables("tables/entities/write"), of_tables("tables/entities/delete"),
       of_tables("tables/entities/add/action"), of_tables("tables/entities/update/action")}));
  out.push_back(built_in("Reader", "acdd72a7-3385-48ef-bd42-f606fba81ae7", {"*/read"}));
  out.push_back(built_in("Storage Account Contributor", "17d1049b-9a84-46fb-8f53-869881c3d3ab",
                         {"Microsoft.Storage/storageAccounts/*"}));
  out.push_back(built_in("Contributor", "b24988ac-6180-42a0-ab88-20f7382dd24c", {"*"}, {},
                         {"Microsoft.Authorization/*/Delete", "Microsoft.Authorization/*/Write",
                          "Microsoft.Authorization/elevateAccess/Action"}));
  out.push_back(built_in("Owner", "8e3af657-a8ff-443c-a75c-2fe8c4bcb635", {"*"}));
  return out;
}

std::string comparable(std::string_view name) {
  std::string out = to_lower_ascii(name);
  std::erase_if(out, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return out;
}

// --- JSON -------------------------------------------------------------------------------------------------

// Azure's tools differ in the case of names.
std::optional<JsonReader> member_of(const JsonReader& object, std::string_view name) {
  for (const JsonMember& member : object.members())
    if (equals_ignoring_case(member.name, name)) return object.member(member.name);
  return std::nullopt;
}

std::vector<std::string> patterns_of(const JsonReader& object, std::string_view name) {
  std::vector<std::string> out;
  const auto list = member_of(object, name);
  if (!list || list->kind() == JsonKind::Null) return out;
  list->must_be(JsonKind::Array);
  for (const JsonReader& item : list->items()) out.push_back(item.text());
  return out;
}

constexpr std::array<std::string_view, 4> kLists = {"actions", "notActions", "dataActions", "notDataActions"};

bool has_a_list(const JsonReader& object) {
  return std::any_of(kLists.begin(), kLists.end(),
                     [&](std::string_view list) { return member_of(object, list).has_value(); });
}

RolePermissions permissions_of(const JsonReader& object) {
  object.must_be(JsonKind::Object);
  return {patterns_of(object, "actions"), patterns_of(object, "notActions"), patterns_of(object, "dataActions"),
          patterns_of(object, "notDataActions")};
}

std::string text_or_nothing(const JsonReader& object, std::string_view name) {
  const auto value = member_of(object, name);
  return value && value->kind() == JsonKind::Text ? value->text() : std::string();
}

// The id may be a path that ends with it.
std::string guid_in(std::string_view text) {
  const auto last = text.substr(text.find_last_of('/') + 1);
  return is_guid(last) ? to_lower_ascii(last) : std::string();
}

// Calls `doubt` with each pattern of a list.
template <class Doubt>
void for_each_pattern(const Role& role, const Doubt& doubt) {
  for (const auto& block : role.permissions) {
    for (const auto& pattern : block.actions) doubt(pattern, false);
    for (const auto& pattern : block.not_actions) doubt(pattern, false);
    for (const auto& pattern : block.data_actions) doubt(pattern, true);
    for (const auto& pattern : block.not_data_actions) doubt(pattern, true);
  }
}

}  // namespace

ActionSet granted_by(const std::vector<RolePermissions>& permissions) {
  ActionSet out;
  const auto matched = [](const std::vector<std::string>& patterns, bool data) {
    ActionSet all;
    for (const auto& pattern : patterns) all |= matching_actions(pattern, data);
    return all;
  };
  for (const auto& block : permissions) {
    ActionSet granted = matched(block.actions, false);
    granted |= matched(block.data_actions, true);
    granted -= matched(block.not_actions, false);
    granted -= matched(block.not_data_actions, true);
    out |= granted;
  }
  return out;
}

std::span<const Role> built_in_roles() {
  static const std::vector<Role> kRoles = make_built_in_roles();
  return kRoles;
}

bool means_role(std::string_view text, const Role& role) {
  if (!role.id.empty() && guid_in(text) == role.id) return true;
  return comparable(text) == comparable(role.name);
}

bool is_guid(std::string_view text) {
  constexpr std::string_view kPattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return text.size() == kPattern.size() &&
         std::equal(text.begin(), text.end(), kPattern.begin(),
                    [](char c, char pattern) { return pattern == 'x' ? hex_value(c) >= 0 : c == pattern; });
}

bool looks_like_role(const JsonReader& object) {
  if (object.kind() != JsonKind::Object) return false;
  if (has_a_list(object) || member_of(object, "permissions")) return true;
  const auto properties = member_of(object, "properties");
  return properties && (has_a_list(*properties) || member_of(*properties, "permissions").has_value());
}

Role read_role(const JsonReader& object) {
  object.must_be(JsonKind::Object);
  const auto properties = member_of(object, "properties");
  const JsonReader& body = properties ? *properties : object;
  Role out;
  const std::string role_name = text_or_nothing(body, "roleName"), name = text_or_nothing(object, "name");
  out.name = role_name.empty() ? name : role_name;
  if (out.name.empty() || out.name.size() > kMaxRoleName)
    object.refuse("a role needs a name (roleName or Name) of at most 512 bytes");
  out.id = guid_in(text_or_nothing(object, "id"));
  if (out.id.empty() && !role_name.empty()) out.id = guid_in(name);
  if (const auto permissions = member_of(body, "permissions")) {
    permissions->must_be(JsonKind::Array);
    for (const JsonReader& block : permissions->items()) out.permissions.push_back(permissions_of(block));
  } else {
    if (!has_a_list(body)) object.refuse("a role needs permissions, or actions and dataActions");
    out.permissions.push_back(permissions_of(body));
  }
  out.granted = granted_by(out.permissions);
  return out;
}

std::vector<std::string> doubts_about(const Role& role) {
  constexpr std::string_view kOfTables = "microsoft.storage/storageaccounts/tableservices/";
  std::vector<std::string> out;
  for_each_pattern(role, [&](const std::string& pattern, bool data) {
    if (!to_lower_ascii(pattern).starts_with(kOfTables) || !matching_actions(pattern, data).empty()) return;
    const std::string whose = "the role " + role.name + " has " + pattern;
    if (!matching_actions(pattern, !data).empty()) {
      out.push_back(whose +
                    (data ? " in dataActions; it belongs in actions" : " in actions; it belongs in dataActions"));
    } else {
      out.push_back(whose + ", which is no action of the table service");
    }
  });
  return out;
}

}  // namespace rocktable
