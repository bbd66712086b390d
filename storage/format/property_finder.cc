#include "storage/format/property_finder.h"

#include <algorithm>
#include <utility>

#include "storage/format/record_reader.h"

namespace rocktable {
namespace {

std::size_t read_length(std::string_view record, std::size_t at, std::size_t bytes) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    out |= static_cast<std::size_t>(static_cast<unsigned char>(record[at + i]) & 0x7F) << (7 * i);
  return out;
}

}  // namespace

std::optional<ValueView> PropertyFinder::read_text(std::string_view record) const {
  std::size_t begin = value_at_, length = 0;  // the texts follow the directory
  for (const auto& [at, bytes] : lengths_) {
    begin += length;
    length = read_length(record, at, bytes);
  }
  if (begin > record.size() || length > record.size() - begin) throw CorruptRecord("a record ends too early");
  const std::string_view text = record.substr(begin, length);
  if (*type_ == EdmType::Binary) return BinaryView{text};
  return text;
}

std::optional<ValueView> PropertyFinder::search(std::string_view record) {
  constexpr int kMostPatience = 64;  // rows
  const auto found = find_property(record, name_);
  if (rows_until_learning_ > 0) {
    --rows_until_learning_;
  } else {
    learn(record);
    rows_until_learning_ = patience_;
    patience_ = std::min(2 * patience_ + 1, kMostPatience);
  }
  return found;
}

// find_property() has read the record as far as this function does, except for what follows a value of fixed size.
void PropertyFinder::learn(std::string_view record) {
  constexpr char kFixed = '\xFF', kFree = '\0', kEndOfVarint = '\x80';
  record::Reader reader(record);
  const auto here = [&] { return record.size() - reader.rest().size(); };
  std::string mask;
  const auto extend = [&](char with) { mask.resize(here(), with); };
  std::size_t needed = 0;
  needed_ = SIZE_MAX;  // if this function throws, nothing is known
  type_.reset();
  lengths_.clear();
  reader.byte();
  extend(kFixed);
  reader.fixed<std::int64_t>();
  extend(kFree);
  for (std::size_t left = reader.varint(); left > 0; --left) {
    const EdmType type = record::read_type(reader);
    const bool is_wanted = reader.bytes(reader.varint()) == name_ && !type_;
    extend(kFixed);
    if (is_wanted) {
      type_ = type;
      value_at_ = here();
      if (!record::is_text(type)) {
        needed = value_at_ + record::scalar_size(type);
        break;
      }
    }
    if (record::is_text(type)) {
      const std::size_t at = here();
      reader.varint();
      if (is_wanted || !type_) lengths_.push_back({at, here() - at});
      extend(kEndOfVarint);
    } else {
      reader.bytes(record::scalar_size(type));
      extend(kFree);
    }
  }
  extend(kFixed);  // the count, if there is no property
  if (type_ && record::is_text(*type_)) value_at_ = here();
  mask.resize(std::max(mask.size(), kBlockBytes), kFree);
  pattern_ = record.substr(0, mask.size());
  pattern_.resize(mask.size());
  mask_ = std::move(mask);
  needed_ = std::max(needed, mask_.size());
}

}  // namespace rocktable
