#include "storage/rocksdb/format/snapshot_description.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "storage/rocksdb/format/crc32c.h"

namespace rocktable {
namespace {

constexpr std::string_view kFirstFormat = "rocktable snapshot 1\n";
constexpr std::string_view kSecondFormat = "rocktable snapshot 2\n";
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kHexDigits = 8;

std::string to_hex(std::uint32_t number) {
  std::array<char, kHexDigits> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
  std::string out(digits.begin(), end);
  out.insert(0, kHexDigits - out.size(), '0');
  return out;
}

std::string checksum_of(std::string_view text) { return to_hex(crc32c(text)); }

// Removes and returns the text before `end`, and removes `end`. Returns nullopt if there is no `end`.
std::optional<std::string_view> take_until(std::string_view& text, char end) {
  const auto at = text.find(end);
  if (at == text.npos) return std::nullopt;
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(at + 1);
  return out;
}

// Parses the whole of `text` as a number. Returns false if it is not one.
template <class Number>
bool read_number(std::optional<std::string_view> text, Number& number, int base = 10) {
  if (!text) return false;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number, base);
  return error == std::errc() && end == text->data() + text->size();
}

std::optional<SnapshotFile> take_file(std::string_view& text) {
  SnapshotFile out;
  const auto checksum = take_until(text, ' ');
  if (!read_number(take_until(text, ' '), out.bytes)) return std::nullopt;
  const auto name = take_until(text, '\n');
  if (!checksum || !name || name->empty() || name->find('/') != name->npos) return std::nullopt;
  out.name = *name;
  if (*checksum == "-") return out;
  out.checksum.emplace();
  if (checksum->size() != kHexDigits || !read_number(checksum, *out.checksum, 16)) return std::nullopt;
  return out;
}

// Removes the last line. Returns whether it is the checksum of the text before it.
bool take_checksum(std::string_view& text) {
  if (text.size() < kHexDigits + 1 || !text.ends_with('\n')) return false;
  const std::string_view before = text.substr(0, text.size() - kHexDigits - 1);
  const std::string_view checksum = text.substr(before.size(), kHexDigits);
  text = before;
  return checksum == checksum_of(before);
}

}  // namespace

bool is_snapshot_name(std::string_view name) {
  const auto is_plain = [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; };
  return !name.empty() && name.size() <= kMaxName && is_plain(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_plain(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
         });
}

std::string to_text(const SnapshotDescription& description) {
  const SnapshotInfo& info = description.info;
  std::string out = std::string(kSecondFormat) + std::to_string(info.taken.ticks) + "\n" + std::to_string(info.tables) +
                    "\n" + std::to_string(info.bytes) + "\n";
  for (const auto& [name, bytes, checksum] : description.files) {
    out += checksum ? to_hex(*checksum) : "-";
    out += " " + std::to_string(bytes) + " " + name + "\n";
  }
  out += checksum_of(out) + "\n";
  return out;
}

std::optional<SnapshotDescription> parse_description(std::string_view name, std::string_view text) {
  SnapshotDescription out;
  SnapshotInfo& info = out.info;
  info.name = name;
  const bool lists_files = text.starts_with(kSecondFormat);
  if (!lists_files && !text.starts_with(kFirstFormat)) return std::nullopt;
  if (lists_files && !take_checksum(text)) return std::nullopt;
  take_until(text, '\n');
  if (!read_number(take_until(text, '\n'), info.taken.ticks) || !read_number(take_until(text, '\n'), info.tables) ||
      !read_number(take_until(text, '\n'), info.bytes))
    return std::nullopt;
  while (lists_files && !text.empty()) {
    auto file = take_file(text);
    if (!file) return std::nullopt;
    out.files.push_back(std::move(*file));
  }
  if (!text.empty() || (lists_files && out.files.empty())) return std::nullopt;
  return out;
}

}  // namespace rocktable
