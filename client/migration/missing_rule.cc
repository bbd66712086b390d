#include "client/migration/missing_rule.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "odata/files/entity_fault.h"

namespace rocktable::migration {

const Value* MissingRule::default_of(std::string_view property) const {
  if (action != OnMissing::Default) return nullptr;
  for (const auto& [name, value] : defaults)
    if (name == property) return &value;
  return nullptr;
}

std::string to_string(const MissingRule& rule) {
  switch (rule.action) {
    case OnMissing::Fail:
      return "fail";
    case OnMissing::Skip:
      return "skip";
    case OnMissing::Default:
      break;
  }
  std::string out;
  for (const auto& [name, value] : rule.defaults)
    out += (out.empty() ? "" : ", ") + name + " = " + to_string(view_of(value));
  return out;
}

std::string key_text(const EntityKey& key) {
  return "(" + quoted_for_message(key.partition_key) + ", " + quoted_for_message(key.row_key) + ")";
}

void NamedEntities::add(const EntityKey& key) {
  ++count;
  if (first.size() < kNamed) first.push_back(key);
}

std::string NamedEntities::keys_text() const {
  std::string out;
  const char* separator = ": ";
  for (const auto& key : first) {
    out += separator + key_text(key);
    separator = ", ";
  }
  if (count > first.size()) out += " and " + std::to_string(count - first.size()) + " more";
  return out;
}

std::string NamedEntities::text() const { return counted(count, "entity", "entities") + keys_text(); }

void MissingEntities::add(const std::string& property, const EntityKey& key) { groups_[property].add(key); }

std::uint64_t MissingEntities::count() const {
  std::uint64_t out = 0;
  for (const auto& [property, group] : groups_) out += group.count;
  return out;
}

std::string MissingEntities::sentence() const {
  std::string out;
  for (const auto& [property, group] : groups_)
    out += (out.empty() ? "" : "; ") + counted(group.count, "entity has", "entities have") + " no property " +
           property + group.keys_text();
  return out;
}

std::string MissingEntities::to_text() const {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [property, group] : groups_) {
    auto& one = out[property] = {{"entities", group.count}, {"keys", nlohmann::json::array()}};
    for (const auto& key : group.first) one["keys"].push_back({key.partition_key, key.row_key});
  }
  return out.dump();
}

MissingEntities MissingEntities::from_text(std::string_view text) {
  MissingEntities out;
  try {
    const auto document = nlohmann::json::parse(text);
    for (const auto& [property, one] : document.items()) {
      NamedEntities& group = out.groups_[property];
      group.count = one.at("entities").get<std::uint64_t>();
      for (const auto& key : one.at("keys"))
        group.first.push_back({key.at(0).get<std::string>(), key.at(1).get<std::string>()});
    }
  } catch (const nlohmann::json::exception&) {
    out.groups_.clear();
  }
  return out;
}

}  // namespace rocktable::migration
