#include "storage/postgres/database/pg_values.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <iterator>

namespace rocktable {
namespace {

constexpr std::int32_t kByteaType = 17;  // OIDs
constexpr std::int32_t kIntType = 23;
constexpr std::size_t kLengthBytes = 4;  // of the length of an element
constexpr std::size_t kArrayHeaderBytes = 20;

template <class Number>
void append_big_endian(std::string& out, Number number) {
  const auto bits = static_cast<std::uint64_t>(number);
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(bits >> shift & 0xFF);
}

std::string number_bytes(std::integral auto number) {
  std::string out;
  append_big_endian(out, number);
  return out;
}

// Dimensions, whether there are NULLs, type of the elements, length and lower bound of the dimension, elements.
std::string array_header(std::size_t size, std::int32_t type) {
  std::string out;
  append_big_endian(out, std::int32_t{size == 0 ? 0 : 1});
  append_big_endian(out, std::int32_t{0});
  append_big_endian(out, type);
  if (size == 0) return out;
  append_big_endian(out, static_cast<std::int32_t>(size));
  append_big_endian(out, std::int32_t{1});
  return out;
}

}  // namespace

PgParameters& PgParameters::add(std::string_view bytes) {
  values_.emplace_back(bytes);
  return *this;
}

PgParameters& PgParameters::add(std::int64_t number) {
  values_.emplace_back(number_bytes(number));
  return *this;
}

PgParameters& PgParameters::add(std::int32_t number) {
  values_.emplace_back(number_bytes(number));
  return *this;
}

PgParameters& PgParameters::add(std::optional<std::int64_t> number) {
  values_.push_back(number ? std::optional(number_bytes(*number)) : std::nullopt);
  return *this;
}

PgParameters& PgParameters::add(std::span<const std::string> list) {
  std::string out = array_header(list.size(), kByteaType);
  std::size_t bytes = out.size();
  for (const auto& element : list) bytes += kLengthBytes + element.size();
  out.reserve(bytes);
  for (const auto& element : list) {
    append_big_endian(out, static_cast<std::int32_t>(element.size()));
    out += element;
  }
  values_.emplace_back(std::move(out));
  return *this;
}

PgParameters& PgParameters::add(std::span<const std::int32_t> list) {
  std::string out = array_header(list.size(), kIntType);
  for (const std::int32_t element : list) {
    append_big_endian(out, static_cast<std::int32_t>(sizeof element));
    append_big_endian(out, element);
  }
  values_.emplace_back(std::move(out));
  return *this;
}

std::vector<std::string_view> PgParameters::list_at(std::size_t place) const {
  std::vector<std::string_view> out;
  std::string_view left = bytes_at(place);
  left.remove_prefix(std::min(kArrayHeaderBytes, left.size()));
  while (!left.empty()) {
    const std::size_t length = unsigned_in(left.substr(0, kLengthBytes));
    out.push_back(left.substr(kLengthBytes, length));
    left.remove_prefix(kLengthBytes + length);
  }
  return out;
}

PgParameters PgParameters::take_last(std::size_t count) {
  PgParameters out;
  const auto first = values_.end() - static_cast<std::ptrdiff_t>(count);
  out.values_.assign(std::make_move_iterator(first), std::make_move_iterator(values_.end()));
  values_.erase(first, values_.end());
  return out;
}

std::uint64_t unsigned_in(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

std::size_t PgParameters::bytes() const {
  std::size_t out = 0;
  for (const auto& value : values_) out += value ? value->size() : 0;
  return out;
}

std::vector<const char*> PgParameters::pointers() const {
  std::vector<const char*> out;
  out.reserve(values_.size());
  for (const auto& value : values_) out.push_back(value ? value->data() : nullptr);
  return out;
}

std::vector<int> PgParameters::lengths() const {
  std::vector<int> out;
  out.reserve(values_.size());
  for (const auto& value : values_) out.push_back(value ? static_cast<int>(value->size()) : 0);
  return out;
}

std::string_view PgRows::bytes(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::span<char> PgRows::buffer(int row, int column) {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t PgRows::number(int row, int column) const {
  return static_cast<std::int64_t>(unsigned_in(bytes(row, column)));
}

std::int64_t PgRows::changed() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace rocktable
