#include "client/migration/property_change.h"

#include <algorithm>

#include "client/migration/value_conversion.h"

namespace rocktable::migration {
namespace {

auto find(Properties& properties, const std::string& name) {
  return std::find_if(properties.begin(), properties.end(), [&](const Property& one) { return one.name == name; });
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
    if (property == properties.end()) return false;
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
    if (property == properties.end() || type_of(property->value) == change.type) return false;
    auto value = convert(view_of(property->value), change.type);
    if (!value)
      throw PropertyChangeError("its property " + change.name + ", " + to_string(view_of(property->value)) +
                                ", cannot be converted to " + std::string(to_string(change.type)));
    property->value = std::move(*value);
    return true;
  }
};

struct ToText {
  std::string operator()(const AddProperty& change) const {
    return "add property " + change.name + " = " + to_string(view_of(change.value));
  }
  std::string operator()(const RenameProperty& change) const {
    return "rename property " + change.from + " to " + change.to;
  }
  std::string operator()(const RemoveProperty& change) const { return "remove property " + change.name; }
  std::string operator()(const RetypeProperty& change) const {
    return "make property " + change.name + " " + std::string(to_string(change.type));
  }
};

}  // namespace

bool apply(const PropertyChange& change, Properties& properties) { return std::visit(Apply{properties}, change); }

std::string to_string(const PropertyChange& change) { return std::visit(ToText(), change); }

}  // namespace rocktable::migration
