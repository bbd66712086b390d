#include "storage/snapshot_description.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace rocktable {
namespace {

constexpr std::string_view kFirstLine = "rocktable snapshot 1\n";
constexpr std::size_t kMaxName = 64;

// Takes a number and the end of its line off the front.
template <class Number>
bool take_line(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with('\n')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

bool is_snapshot_name(std::string_view name) {
  const auto is_plain = [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; };
  return !name.empty() && name.size() <= kMaxName && is_plain(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_plain(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
         });
}

std::string to_description(const SnapshotInfo& info) {
  return std::string(kFirstLine) + std::to_string(info.taken.ticks) + "\n" + std::to_string(info.tables) +
         "\n" + std::to_string(info.bytes) + "\n";
}

std::optional<SnapshotInfo> parse_description(std::string_view name, std::string_view text) {
  if (!text.starts_with(kFirstLine)) return std::nullopt;
  text.remove_prefix(kFirstLine.size());
  SnapshotInfo out;
  out.name = name;
  if (!take_line(text, out.taken.ticks) || !take_line(text, out.tables) || !take_line(text, out.bytes) ||
      !text.empty())
    return std::nullopt;
  return out;
}

}  // namespace rocktable
