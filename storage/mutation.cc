#include "storage/mutation.h"

#include <algorithm>

#include "odata/text.h"

namespace rocktable {
namespace {

Result<void> check_condition(const Condition& condition, const std::optional<EntityView>& previous) {
  if (condition.kind == Condition::Kind::None) return {};
  if (!previous) return Error(ErrorCode::ResourceNotFound);
  if (condition.kind == Condition::Kind::ETag && condition.etag != previous->timestamp)
    return Error(ErrorCode::UpdateConditionNotSatisfied);
  return {};
}

Properties sorted_by_name(Properties properties) {
  std::sort(properties.begin(), properties.end(),
            [](const Property& a, const Property& b) { return compare_utf16(a.name, b.name) < 0; });
  return properties;
}

// Returns the properties of `previous`, replaced or extended by `changes`.
Properties merged(const EntityView& previous, const Properties& changes) {
  Properties out = changes;
  for (const auto& [name, value] : previous.properties) {
    const bool changed =
        std::any_of(changes.begin(), changes.end(), [&](const Property& c) { return c.name == name; });
    if (!changed) out.push_back({std::string(name), to_value(value)});
  }
  return out;
}

}  // namespace

Result<std::optional<Properties>> apply(const Mutation& write, std::string_view partition_key,
                                        const std::optional<EntityView>& previous) {
  if (write.kind == WriteKind::Insert) {
    if (previous) return Error(ErrorCode::EntityAlreadyExists);
    return std::optional(write.properties);
  }
  if (write.kind == WriteKind::Delete && !previous) return Error(ErrorCode::ResourceNotFound);
  if (const auto ok = check_condition(write.condition, previous); !ok) return ok.error();
  if (write.kind == WriteKind::Delete) return std::optional<Properties>();
  if (write.kind == WriteKind::Replace || !previous) return std::optional(sorted_by_name(write.properties));

  Properties all = merged(*previous, write.properties);
  if (const auto ok = check_entity({std::string(partition_key), write.row_key}, all); !ok) return ok.error();
  return std::optional(sorted_by_name(std::move(all)));
}

bool needs_previous(const Mutation& write) {
  return write.kind != WriteKind::Replace || write.condition.kind != Condition::Kind::None;
}

}  // namespace rocktable
