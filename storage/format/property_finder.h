// Finds one property in one record after another. Records of a table look alike: they have the same names and types
// in the same order. The finder remembers the directory of a record, and how far it is the same in the next one is
// known by one comparison of its bytes, instead of a walk from name to name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/format/entity_codec.h"

namespace rocktable {

// Answers as find_property(), whether records look alike or not.
class PropertyFinder {
 public:
  explicit PropertyFinder(std::string_view name) : name_(name) {}

  const std::string& name() const { return name_; }

  // Throws CorruptRecord.
  std::optional<ValueView> find(std::string_view record) {
    if (looks_alike(record)) return read(record);
    return search(record);
  }

 private:
  // The place of a length of a text within the directory.
  struct Length {
    std::size_t at;     // byte of the record
    std::size_t bytes;  // of its varint
  };

  bool looks_alike(std::string_view record) const;
  std::optional<ValueView> read(std::string_view record) const;
  std::optional<ValueView> search(std::string_view record);
  void learn(std::string_view record);

  const std::string name_;
  // The first bytes of the record: up to the value if the property has a fixed size, else the whole directory. A bit
  // that the mask does not have may differ: values differ, and lengths of texts as long as they take as many bytes.
  std::string pattern_, mask_;
  std::size_t needed_ = SIZE_MAX;  // bytes that a record has at least: the pattern and the value; max: nothing is known
  std::optional<EdmType> type_;    // nullopt: the record has no such property
  std::size_t value_at_ = 0;       // byte of the record; of a text: its length
  std::vector<Length> lengths_;    // of the texts before this one, then of this one; if it is a text
  // Rows whose directories differ would make the finder learn each of them for nothing.
  int rows_until_learning_ = 0;
  int patience_ = 0;  // rows
};

}  // namespace rocktable
