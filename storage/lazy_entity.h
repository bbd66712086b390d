// A stored entity whose record is decoded as late as possible: a filter that refuses it reads one property.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "odata/entity.h"
#include "odata/filter.h"
#include "storage/format/entity_codec.h"
#include "storage/format/property_finder.h"

namespace rocktable {

// Holds views of a row, which must stay valid until the next reset(). Throws CorruptRecord.
class LazyEntity final : public PropertyLookup {
 public:
  // Keeps its memory from row to row, and what the finders know.
  void reset(const EntityKeyView& key, std::string_view record) {
    key_ = key;
    record_ = record;
    lookups_ = 0;
    is_decoded_ = false;
  }

  std::optional<ValueView> find(std::string_view name) const override;

  // Decodes the record, unless that is done. Valid until the next reset().
  EntityView view() const {
    if (!is_decoded_) {
      timestamp_ = decode_entity(record_, properties_);
      is_decoded_ = true;
    }
    return {key_.partition_key, key_.row_key, timestamp_, properties_};
  }

 private:
  EntityKeyView key_;
  std::string_view record_;
  mutable std::size_t lookups_ = 0;
  // A filter asks for the same names in the same order in most rows.
  mutable std::array<PropertyFinder, 2> finders_;
  mutable bool is_decoded_ = false;
  mutable DateTime timestamp_;
  mutable std::vector<PropertyView> properties_;
};

}  // namespace rocktable
