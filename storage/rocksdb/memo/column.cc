#include "storage/rocksdb/memo/column.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/text.h"

namespace rocktable {
namespace {

// A block ends early with this many bytes of keys and texts, so that one of long texts is not far beyond the budget
// before it is counted.
constexpr std::size_t kFullBlockBytes = 32 << 10;

constexpr std::uint64_t place_of_text(std::size_t begin, std::size_t size) {
  return static_cast<std::uint64_t>(begin) << 32 | size;
}

}  // namespace

bool ColumnBudget::take(std::size_t bytes) {
  if (used_.fetch_add(bytes) + bytes <= limit_) return true;
  used_ -= bytes;
  return false;
}

std::optional<ValueView> ColumnBlock::value(std::size_t row) const {
  const std::uint64_t value = values_[row];
  const auto text = [&] { return std::string_view(texts_).substr(value >> 32, value & 0xFFFFFFFF); };
  if (types_[row] == kNone) return std::nullopt;
  switch (static_cast<EdmType>(types_[row])) {
    case EdmType::String:
      return text();
    case EdmType::Binary:
      return BinaryView{text()};
    case EdmType::Guid: {
      Guid guid;
      std::memcpy(guid.bytes.data(), text().data(), guid.bytes.size());
      return guid;
    }
    case EdmType::Boolean:
      return value != 0;
    case EdmType::Int32:
      return static_cast<std::int32_t>(value);
    case EdmType::Int64:
      return static_cast<std::int64_t>(value);
    case EdmType::Double:
      return std::bit_cast<double>(value);
    case EdmType::DateTime:
      return DateTime{static_cast<std::int64_t>(value)};
  }
  return std::nullopt;
}

bool ColumnBlock::add(std::string_view key, std::size_t row_bytes, const std::optional<ValueView>& value) {
  if (rows_ == kMaxRows || (rows_ > 0 && keys_.size() + texts_.size() >= kFullBlockBytes)) return false;
  const bool is_whole = rows_ % kRestart == 0;
  if (is_whole) restarts_[rows_ / kRestart] = static_cast<std::uint32_t>(keys_.size());
  const std::size_t shared = is_whole ? 0 : common_prefix(last_key_, key);
  const KeyHeader header{static_cast<std::uint16_t>(shared), static_cast<std::uint16_t>(key.size() - shared)};
  keys_.append(reinterpret_cast<const char*>(&header), sizeof header).append(key.substr(shared));
  last_key_ = key;

  const auto keep_text = [&](std::string_view bytes) {
    const std::uint64_t place = place_of_text(texts_.size(), bytes.size());
    texts_ += bytes;
    return place;
  };
  const auto encode = [&]<class T>(const T& typed) -> std::uint64_t {
    if constexpr (std::is_same_v<T, std::string_view>) {
      return keep_text(typed);
    } else if constexpr (std::is_same_v<T, BinaryView>) {
      return keep_text(typed.bytes);
    } else if constexpr (std::is_same_v<T, Guid>) {
      return keep_text({reinterpret_cast<const char*>(typed.bytes.data()), typed.bytes.size()});
    } else if constexpr (std::is_same_v<T, double>) {
      return std::bit_cast<std::uint64_t>(typed);
    } else if constexpr (std::is_same_v<T, DateTime>) {
      return static_cast<std::uint64_t>(typed.ticks);
    } else {
      return static_cast<std::uint64_t>(typed);
    }
  };
  types_[rows_] = value ? static_cast<std::uint8_t>(type_of(*value)) : kNone;
  values_[rows_] = value ? std::visit(encode, *value) : 0;
  row_bytes_[rows_] =
      static_cast<std::uint32_t>(std::min<std::size_t>(row_bytes, std::numeric_limits<std::uint32_t>::max()));
  ++rows_;
  return true;
}

bool ColumnBlock::finish() {
  keys_.shrink_to_fit();
  texts_.shrink_to_fit();
  last_key_ = std::string();
  const std::size_t bytes = sizeof *this + keys_.capacity() + texts_.capacity();
  if (!budget_.take(bytes)) return false;
  taken_ = bytes;
  return true;
}

void ColumnBlock::step(std::size_t& at, std::string& key) const {
  KeyHeader header;
  std::memcpy(&header, keys_.data() + at, sizeof header);
  key.resize(header.shared);
  key.append(keys_, at + sizeof header, header.added);
  at += sizeof header + header.added;
}

void ColumnBlock::key(std::size_t row, std::string& out) const {
  std::size_t at = restarts_[row / kRestart];
  for (std::size_t i = row / kRestart * kRestart; i <= row; ++i) step(at, out);
}

std::size_t ColumnBlock::lower_bound(std::string_view key) const {
  std::string here;
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    step(at, here);
    if (here >= key) return row;
  }
  return rows_;
}

Column::Place Column::lower_bound(std::string_view key) const {
  // The last block that begins before the key has the row, or the block after it begins with the row.
  std::string first;
  const auto after = std::partition_point(blocks.begin(), blocks.end(), [&](const auto& block) {
    block->key(0, first);
    return first < key;
  });
  const auto index = static_cast<std::size_t>(after - blocks.begin());
  if (index == 0) return {0, 0};
  const std::size_t row = blocks[index - 1]->lower_bound(key);
  if (row < blocks[index - 1]->rows()) return {index - 1, row};
  return {index, 0};
}

ColumnWriter::ColumnWriter(ColumnBudget& budget, const Column* column)
    : budget_(budget), column_(column != nullptr ? std::make_shared<Column>(*column) : std::make_shared<Column>()) {}

bool ColumnWriter::add(std::string_view key, std::size_t row_bytes, const std::optional<ValueView>& value) {
  if (open_ != nullptr && open_->add(key, row_bytes, value)) return true;
  if (open_ != nullptr && !close_block()) return false;
  open_ = std::make_shared<ColumnBlock>(budget_);
  return open_->add(key, row_bytes, value);
}

bool ColumnWriter::close_block() {
  if (!open_->finish()) return false;
  column_->blocks.push_back(std::move(open_));
  return true;
}

std::shared_ptr<const Column> ColumnWriter::finish(std::string_view covered_to, bool is_complete) {
  if (open_ != nullptr && !close_block()) return nullptr;
  column_->covered_to = covered_to;
  column_->is_complete = is_complete;
  return std::move(column_);
}

}  // namespace rocktable
