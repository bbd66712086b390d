// Finds one property in one record after another. Records of a table look alike: they have the same names and types
// in the same order. The finder remembers the directory of a record, and how far it is the same in the next one is
// known by one comparison of its bytes, instead of a walk from name to name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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

  static constexpr std::size_t kBlockBytes = 16;
  // Two words that the compiler keeps in one register.
  using Block [[gnu::vector_size(kBlockBytes)]] = std::uint64_t;

  template <class T>
  static T load(const char* bytes) {
    T out;
    std::memcpy(&out, bytes, sizeof out);
    return out;
  }

  bool looks_alike(std::string_view record) const;
  std::optional<ValueView> read(std::string_view record) const;
  std::optional<ValueView> read_text(std::string_view record) const;
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

// --- Inline, because these run for each row of a scan ----------------------------------------------------------------

// Compares without an end at the first difference, because there is hardly ever one. The last block overlaps the one
// before it.
inline bool PropertyFinder::looks_alike(std::string_view record) const {
  if (record.size() < needed_) return false;
  const char* const pattern = pattern_.data();
  const char* const mask = mask_.data();
  const auto difference = [&](std::size_t at) {
    return (load<Block>(record.data() + at) ^ load<Block>(pattern + at)) & load<Block>(mask + at);
  };
  const std::size_t last = pattern_.size() - kBlockBytes;
  Block different = difference(last);
  for (std::size_t at = 0; at < last; at += kBlockBytes) different |= difference(at);
  return (different[0] | different[1]) == 0;
}

// Expects a record that looks alike: it has the bytes of the value.
inline std::optional<ValueView> PropertyFinder::read(std::string_view record) const {
  if (!type_) return std::nullopt;
  const char* const at = record.data() + value_at_;
  switch (*type_) {
    case EdmType::Boolean:
      return *at != 0;
    case EdmType::Int32:
      return load<std::int32_t>(at);
    case EdmType::Int64:
      return load<std::int64_t>(at);
    case EdmType::Double:
      return load<double>(at);
    case EdmType::DateTime:
      return DateTime{load<std::int64_t>(at)};
    case EdmType::Guid:
      return load<Guid>(at);
    case EdmType::String:
    case EdmType::Binary:
      break;
  }
  return read_text(record);
}

}  // namespace rocktable
