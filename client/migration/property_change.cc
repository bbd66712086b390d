#include "client/migration/property_change.h"

#include <algorithm>

#include "client/migration/value_conversion.h"

namespace rocktable::migration {
namespace {

template <class List>
auto find(List& properties, const std::string& name) {
  return std::find_if(properties.begin(), properties.end(), [&](const Property& one) { return one.name == name; });
}

// Adds the default value of `property` as `name`. Returns false if there is none.
bool add_default(Properties& properties, const MissingRule& rule, const std::string& property,
                 const std::string& name) {
  const Value* value = rule.default_of(property);
  if (value == nullptr || find(properties, name) != properties.end()) return false;
  properties.push_back({name, *value});
  return true;
}

struct Apply {
  Properties& properties;

  bool operator()(const AddProperty& change) const {
    if (find(properties, change.name) != properties.end()) return false;
    properties.push_back({change.name, change.value});
    return true;
  }

  bool operator()(const RenameProperty& change) const {
    const auto property = find(properties, change.from);
    if (property == properties.end()) return add_default(properties, change.missing, change.from, change.to);
    if (find(properties, change.to) != properties.end())
      throw PropertyChangeError("it has both the property " + change.from + " and the property " + change.to);
    property->name = change.to;
    return true;
  }

  bool operator()(const RemoveProperty& change) const {
    const auto property = find(properties, change.name);
    if (property == properties.end()) return false;
    properties.erase(property);
    return true;
  }

  bool operator()(const RetypeProperty& change) const {
    const auto property = find(properties, change.name);
    if (property == properties.end()) return add_default(properties, change.missing, change.name, change.name);
    if (type_of(property->value) == change.type) return false;
    auto value = convert(view_of(property->value), change.type);
    if (!value)
      throw PropertyChangeError("its property " + change.name + ", " + to_string(view_of(property->value)) +
                                ", cannot be converted to " + std::string(to_string(change.type)));
    property->value = std::move(*value);
    return true;
  }
};

// An entity that has the new name already was renamed by an earlier attempt.
struct Missing {
  const Properties& properties;

  bool lacks(const std::string& name) const { return find(properties, name) == properties.end(); }

  const std::string* operator()(const RenameProperty& change) const {
    const bool is_missing = lacks(change.from) && lacks(change.to) && change.missing.default_of(change.from) == nullptr;
    return is_missing ? &change.from : nullptr;
  }
  const std::string* operator()(const RetypeProperty& change) const {
    return lacks(change.name) && change.missing.default_of(change.name) == nullptr ? &change.name : nullptr;
  }
  const std::string* operator()(const auto&) const { return nullptr; }
};

struct RuleOf {
  const MissingRule* operator()(const RenameProperty& change) const { return &change.missing; }
  const MissingRule* operator()(const RetypeProperty& change) const { return &change.missing; }
  const MissingRule* operator()(const auto&) const { return nullptr; }
};

// Nothing for the rule that steps on properties have by default.
std::string suffix_of(const MissingRule& rule) {
  return rule.action == OnMissing::Skip ? "" : " (if missing: " + to_string(rule) + ")";
}

struct ToText {
  std::string operator()(const AddProperty& change) const {
    return "add property " + change.name + " = " + to_string(view_of(change.value));
  }
  std::string operator()(const RenameProperty& change) const {
    return "rename property " + change.from + " to " + change.to + suffix_of(change.missing);
  }
  std::string operator()(const RemoveProperty& change) const { return "remove property " + change.name; }
  std::string operator()(const RetypeProperty& change) const {
    return "make property " + change.name + " " + std::string(to_string(change.type)) + suffix_of(change.missing);
  }
};

}  // namespace

bool apply(const PropertyChange& change, Properties& properties) { return std::visit(Apply{properties}, change); }

const std::string* missing_in(const PropertyChange& change, const Properties& properties) {
  return std::visit(Missing{properties}, change);
}

const MissingRule* missing_rule_of(const PropertyChange& change) { return std::visit(RuleOf(), change); }

std::string to_string(const PropertyChange& change) { return std::visit(ToText(), change); }

}  // namespace rocktable::migration
