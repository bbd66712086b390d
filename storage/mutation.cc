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

bool is_before(const Property& a, const Property& b) { return compare_utf16(a.name, b.name) < 0; }

// Sets `out` to the properties of `previous`, replaced or extended by `changes`.
void merge(const EntityView& previous, const Properties& changes, Properties& out) {
  out = changes;
  for (const auto& [name, value] : previous.properties) {
    const bool changed =
        std::any_of(changes.begin(), changes.end(), [&](const Property& c) { return c.name == name; });
    if (!changed) out.push_back({std::string(name), to_value(value)});
  }
}

}  // namespace

Result<const Properties*> apply(const Mutation& write, std::string_view partition_key,
                                const std::optional<EntityView>& previous, Properties& scratch) {
  if (write.kind == WriteKind::Insert) {
    if (previous) return Error(ErrorCode::EntityAlreadyExists);
    return &write.properties;
  }
  if (write.kind == WriteKind::Delete && !previous) return Error(ErrorCode::ResourceNotFound);
  if (const auto ok = check_condition(write.condition, previous); !ok) return ok.error();
  if (write.kind == WriteKind::Delete) return nullptr;
  if (write.kind == WriteKind::Replace || !previous) {
    if (std::is_sorted(write.properties.begin(), write.properties.end(), is_before)) return &write.properties;
    scratch = write.properties;
  } else {
    merge(*previous, write.properties, scratch);
    if (const auto ok = check_entity({std::string(partition_key), write.row_key}, scratch); !ok)
      return ok.error();
  }
  std::sort(scratch.begin(), scratch.end(), is_before);
  return &scratch;
}

bool needs_previous(const Mutation& write) {
  return write.kind != WriteKind::Replace || write.condition.kind != Condition::Kind::None;
}

}  // namespace rocktable
