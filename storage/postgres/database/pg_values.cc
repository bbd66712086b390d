#include "storage/postgres/database/pg_values.h"

#include <charconv>
#include <cstddef>

namespace rocktable {
namespace {

constexpr int kByteaType = 17;  // its OID

template <class Number>
void append_big_endian(std::string& out, Number number) {
  const auto bits = static_cast<std::uint64_t>(number);
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(bits >> shift & 0xFF);
}

std::string number_bytes(std::int64_t number) {
  std::string out;
  append_big_endian(out, number);
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

PgParameters& PgParameters::add(std::optional<std::int64_t> number) {
  values_.push_back(number ? std::optional(number_bytes(*number)) : std::nullopt);
  return *this;
}

// Dimensions, whether there are NULLs, type of the elements, length and lower bound of the dimension, elements.
PgParameters& PgParameters::add(std::span<const std::string> list) {
  std::string out;
  std::size_t bytes = 20;
  for (const auto& element : list) bytes += 4 + element.size();
  out.reserve(bytes);
  append_big_endian(out, std::int32_t{list.empty() ? 0 : 1});
  append_big_endian(out, std::int32_t{0});
  append_big_endian(out, std::int32_t{kByteaType});
  if (!list.empty()) {
    append_big_endian(out, static_cast<std::int32_t>(list.size()));
    append_big_endian(out, std::int32_t{1});
  }
  for (const auto& element : list) {
    append_big_endian(out, static_cast<std::int32_t>(element.size()));
    out += element;
  }
  values_.emplace_back(std::move(out));
  return *this;
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
  std::uint64_t out = 0;
  for (const char c : bytes(row, column)) out = out << 8 | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(out);
}

std::int64_t PgRows::changed() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace rocktable
