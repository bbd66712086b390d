#include "storage/lazy_entity.h"

namespace rocktable {

// A look-up walks over the directory of the record. After a few of them, decoding the whole record is cheaper.
std::optional<ValueView> LazyEntity::find(std::string_view name) const {
  constexpr int kFewLookups = 2;
  if (name == "PartitionKey") return key_.partition_key;
  if (name == "RowKey") return key_.row_key;
  if (is_decoded_ || ++lookups_ > kFewLookups) return view().find(name);
  if (name == "Timestamp") return decode_timestamp(record_);
  return find_property(record_, name);
}

}  // namespace rocktable
