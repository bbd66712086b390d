// A stored entity whose key and record are decoded as late as possible: a filter that refuses it reads one property.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
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
  // Returns the keys in the stored key. If it has to convert them, `scratch` holds the text.
  using DecodeKey = EntityKeyView(std::string_view key, std::string& scratch);

  LazyEntity() = default;
  explicit LazyEntity(DecodeKey& decode_key) : decode_key_(&decode_key) {}

  // Both keep the memory from row to row, and what the finders know.
  void reset(const EntityKeyView& key, std::string_view record) {
    key_ = key;
    has_key_ = true;
    start(record);
  }
  // Expects the constructor with DecodeKey.
  void reset_stored(std::string_view stored_key, std::string_view record) {
    stored_key_ = stored_key;
    has_key_ = false;
    start(record);
  }

  std::optional<ValueView> find(std::string_view name) const override;

  // Decodes the row, unless that is done. Valid until the next reset().
  EntityView view() const {
    if (!is_decoded_) {
      timestamp_ = decode_entity(record_, properties_);
      is_decoded_ = true;
    }
    return {key().partition_key, key().row_key, timestamp_, properties_};
  }

 private:
  void start(std::string_view record) {
    record_ = record;
    lookups_ = 0;
    is_decoded_ = false;
  }

  const EntityKeyView& key() const {
    if (!has_key_) key_ = decode_key_(stored_key_, scratch_);
    has_key_ = true;
    return key_;
  }

  DecodeKey* decode_key_ = nullptr;
  std::string_view stored_key_, record_;
  mutable bool has_key_ = false;
  mutable EntityKeyView key_;
  mutable std::string scratch_;
  mutable std::size_t lookups_ = 0;
  // A filter asks for the same names in the same order in most rows. Each is for the name that is asked there first.
  mutable std::array<std::optional<PropertyFinder>, 2> finders_;
  mutable bool is_decoded_ = false;
  mutable DateTime timestamp_;
  mutable std::vector<PropertyView> properties_;
};

}  // namespace rocktable
