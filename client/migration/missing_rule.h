// What a step does with entities that lack a property that it needs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "odata/entity.h"

namespace rocktable::migration {

enum class OnMissing {
  Fail,     // the step fails before it changes anything
  Skip,     // the entity stays as it is
  Default,  // the property counts as having the default value
};

struct MissingRule {
  OnMissing action = OnMissing::Fail;
  Properties defaults;  // with Default: a value for each property that may be missing

  // nullptr: the property must not be missing.
  const Value* default_of(std::string_view property) const;
};

// `fail`, `skip` or `Name = 'x', Age = 7`.
std::string to_string(const MissingRule& rule);

// `("p", "r")`, for messages.
std::string key_text(const EntityKey& key);

// Entities that a sentence names: their number, and the first keys. Its memory is bounded.
struct NamedEntities {
  static constexpr std::size_t kNamed = 5;

  std::uint64_t count = 0;
  std::vector<EntityKey> first;

  void add(const EntityKey& key);
  // `: ("p", "1"), ("p", "2") and 7 more`
  std::string keys_text() const;
  // `9 entities: ("p", "1"), ("p", "2") and 7 more`
  std::string text() const;

  bool operator==(const NamedEntities&) const = default;
};

// Entities that lack a property, for messages.
class MissingEntities {
 public:
  void add(const std::string& property, const EntityKey& key);
  bool empty() const { return groups_.empty(); }
  std::uint64_t count() const;
  const std::map<std::string, NamedEntities>& groups() const { return groups_; }

  // `2 entities have no property Name: ("p", "1"), ("p", "2")`
  std::string sentence() const;

  // JSON, for the history. from_text() ignores what it cannot read.
  std::string to_text() const;
  static MissingEntities from_text(std::string_view text);

 private:
  std::map<std::string, NamedEntities> groups_;
};

}  // namespace rocktable::migration
