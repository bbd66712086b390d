#include "storage/lazy_entity.h"

namespace rocktable {

// Decoding the whole record is cheaper than many look-ups.
std::optional<ValueView> LazyEntity::find(std::string_view name) const {
  if (name == "PartitionKey") return key().partition_key;
  if (name == "RowKey") return key().row_key;
  if (is_decoded_ || lookups_ == finders_.size()) return view().find(name);
  if (name == "Timestamp") return decode_timestamp(record_);
  auto& finder = finders_[lookups_++];
  if (!finder) finder.emplace(name);
  return finder->name() == name ? finder->find(record_) : find_property(record_, name);
}

}  // namespace rocktable
