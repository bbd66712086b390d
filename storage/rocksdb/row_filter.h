// A filter, applied to stored rows. Most rows are refused by the value of one property, before anything else of them is
// read.
#pragma once

#include <optional>
#include <string_view>

#include "odata/filter.h"
#include "storage/format/entity_codec.h"
#include "storage/format/property_finder.h"
#include "storage/lazy_entity.h"
#include "storage/rocksdb/format/key_codec.h"
#include "storage/rocksdb/memo/column_filter.h"

namespace rocktable {

// Keeps what it learns from row to row. Throws CorruptRecord.
class RowFilter {
 public:
  // `filter` null: all rows match. The filter must outlive this object.
  explicit RowFilter(const Filter* filter) : filter_(filter) {
    if (filter != nullptr) part_ = ColumnFilter::of(*filter);
    if (part_ && part_->property() != "Timestamp") finder_.emplace(part_->property());
  }

  // The part of the filter that asks for one property; nullopt if there is none.
  const std::optional<ColumnFilter>& part() const { return part_; }

  // Returns the value of that property. Expects that there is a part.
  std::optional<ValueView> value_in(std::string_view record) {
    if (!finder_) return decode_timestamp(record);
    return finder_->find(record);
  }

  // Returns false if the row does not match the part.
  bool may_match(std::string_view record) { return !part_ || part_->may_match(value_in(record)); }

  // Applies the whole filter.
  bool matches(std::string_view key, std::string_view record) {
    entity_.reset_stored(key, record);
    return filter_ == nullptr || rocktable::matches(*filter_, entity_);
  }

  // Returns the row of the last matches(), whose bytes must still be valid.
  EntityView entity() const { return entity_.view(); }

 private:
  const Filter* filter_;
  std::optional<ColumnFilter> part_;
  std::optional<PropertyFinder> finder_;  // nullopt: the property is Timestamp
  LazyEntity entity_{decode_entity_key};
};

}  // namespace rocktable
