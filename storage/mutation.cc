#include "storage/mutation.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "base/text.h"

namespace rocktable {
namespace {

Result<void> check_condition(const Condition& condition, const std::optional<EntityView>& previous) {
  if (condition.kind == Condition::Kind::None) return {};
  if (!previous) return Error(ErrorCode::ResourceNotFound);
  if (condition.kind == Condition::Kind::ETag && condition.etag != previous->timestamp)
    return Error(ErrorCode::UpdateConditionNotSatisfied);
  return {};
}

bool is_before(const PropertyView& a, const PropertyView& b) { return compare_utf16(a.name, b.name) < 0; }

// Adds to `properties`, the changes, those of the previous entity that they do not replace.
void merge(const EntityView& previous, std::vector<PropertyView>& properties) {
  const std::span<const PropertyView> changes(properties.data(), properties.size());
  std::vector<PropertyView> kept;
  std::ranges::copy_if(previous.properties, std::back_inserter(kept), [&](const PropertyView& before) {
    return std::ranges::none_of(changes, [&](const PropertyView& c) { return c.name == before.name; });
  });
  properties.insert(properties.end(), kept.begin(), kept.end());
}

}  // namespace

Result<const EncodedProperties*> apply(const Mutation& write, std::string_view partition_key,
                                       const std::optional<EntityView>& previous, EncodedProperties& scratch) {
  if (write.kind == WriteKind::Insert) {
    if (previous) return Error(ErrorCode::EntityAlreadyExists);
    return &write.properties;
  }
  if (write.kind == WriteKind::Delete && !previous) return Error(ErrorCode::ResourceNotFound);
  if (const auto ok = check_condition(write.condition, previous); !ok) return ok.error();
  if (write.kind == WriteKind::Delete) return nullptr;
  std::vector<PropertyView> properties = write.properties.decode();
  if (write.kind == WriteKind::Replace || !previous) {
    if (std::ranges::is_sorted(properties, is_before)) return &write.properties;
  } else {
    merge(*previous, properties);
    if (const auto ok = check_entity({std::string(partition_key), write.row_key}, properties); !ok) return ok.error();
  }
  std::ranges::sort(properties, is_before);
  scratch = EncodedProperties(properties);
  return &scratch;
}

bool needs_previous(const Mutation& write) {
  return write.kind != WriteKind::Replace || write.condition.kind != Condition::Kind::None;
}

}  // namespace rocktable
