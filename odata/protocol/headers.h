// The header fields of one message: an HTTP request, or a part of a multipart body.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace rocktable {

// Holds views of names and values. The message owns them and must outlive this object. Names compare without
// regard to case.
class Headers {
 public:
  void reserve(std::size_t count) { fields_.reserve(count); }
  void clear() {
    fields_.clear();
    seen_ = 0;
  }
  void add(std::string_view name, std::string_view value) {
    fields_.emplace_back(name, value);
    seen_ |= mark_of(name);
  }

  // Returns the first value of that name, or an empty one if there is none.
  std::string_view get(std::string_view name) const {
    if ((seen_ & mark_of(name)) == 0) return {};
    for (const auto& [field, value] : fields_)
      if (equals_ignoring_case(field, name)) return value;
    return {};
  }

  int count(std::string_view name) const {
    if ((seen_ & mark_of(name)) == 0) return 0;
    int n = 0;
    for (const auto& field : fields_) n += equals_ignoring_case(field.first, name) ? 1 : 0;
    return n;
  }

  bool has(std::string_view name) const { return count(name) > 0; }

  // Returns all values of that name as one list. Source: RFC 9110, section 5.3.
  std::string combined(std::string_view name) const {
    std::string out;
    bool first = true;
    for (const auto& [field, value] : fields_) {
      if (!equals_ignoring_case(field, name)) continue;
      if (!std::exchange(first, false)) out += ", ";
      out += value;
    }
    return out;
  }

  const std::vector<std::pair<std::string_view, std::string_view>>& all() const { return fields_; }

 private:
  // One bit of 64, by the length and the first letter of a name. Most names that are looked for are not there, and
  // neither is their bit.
  static std::uint64_t mark_of(std::string_view name) {
    const auto letter = name.empty() ? 0u : static_cast<unsigned>(static_cast<unsigned char>(name.front())) & 31u;
    return std::uint64_t{1} << ((name.size() * 5 + letter) & 63u);
  }

  std::vector<std::pair<std::string_view, std::string_view>> fields_;
  std::uint64_t seen_ = 0;
};

// Returns the name of a header that a request has twice but may have only once, or an empty view. These
// headers are signed, or they identify the caller, the time or the resource. With two values, one could be
// checked and another reader could use the other one.
inline std::string_view repeated_header(const Headers& headers) {
  // This runs for each request. Lengths and first letters leave at most one name to compare with.
  static constexpr std::string_view kSingle[] = {"Host",         "Date",         "x-ms-date",     "Content-MD5",
                                                 "Content-Type", "x-ms-version", "Authorization", "x-rocktable-token"};
  const auto place_of = [](std::string_view name) {
    switch (name.size()) {
      case 4:
        return to_lower_ascii(name[0]) == 'h' ? 0 : 1;
      case 9:
        return 2;
      case 11:
        return 3;
      case 12:
        return to_lower_ascii(name[0]) == 'c' ? 4 : 5;
      case 13:
        return 6;
      case 17:
        return 7;
      default:
        return -1;
    }
  };
  unsigned seen = 0;
  for (const auto& [field, value] : headers.all()) {
    const int place = place_of(field);
    if (place < 0 || (field != kSingle[place] && !equals_ignoring_case(field, kSingle[place]))) continue;
    if ((seen >> place & 1) != 0) return kSingle[place];
    seen |= 1u << place;
  }
  return {};
}

}  // namespace rocktable
