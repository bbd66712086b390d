// The header fields of one message: of an HTTP request, of a part of a multipart body.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "odata/text.h"

namespace rocktable {

// Views of names and values that belong to the message; it must outlive this. Names compare without regard to
// case.
class Headers {
 public:
  void reserve(std::size_t count) { fields_.reserve(count); }
  void clear() { fields_.clear(); }
  void add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }

  // The first value of that name; an empty one where there is none.
  std::string_view get(std::string_view name) const {
    for (const auto& [field, value] : fields_)
      if (equals_ignoring_case(field, name)) return value;
    return {};
  }

  int count(std::string_view name) const {
    int n = 0;
    for (const auto& field : fields_) n += equals_ignoring_case(field.first, name) ? 1 : 0;
    return n;
  }

  bool has(std::string_view name) const { return count(name) > 0; }

  // All values of that name as one list. Source: RFC 9110, section 5.3.
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
  std::vector<std::pair<std::string_view, std::string_view>> fields_;
};

// The name of a header that a request has twice and may have once: it is signed, or says who calls, when, or for what. Of
// two values one would be checked, and another reader may go by the other one. Empty where there is none.
inline std::string_view repeated_header(const Headers& headers) {
  static constexpr std::string_view kSingle[] = {"Host",        "Authorization",    "x-ms-date",
                                                 "Date",        "x-ms-version",     "Content-Type",
                                                 "Content-MD5", "x-rocktable-token"};
  // One pass, for each request takes it: most names differ from all of these in their length.
  constexpr std::uint32_t kLengths = [] {
    std::uint32_t out = 0;
    for (const std::string_view name : kSingle) out |= 1u << name.size();
    return out;
  }();
  unsigned seen = 0;
  for (const auto& [field, value] : headers.all()) {
    if (field.size() >= 32 || (kLengths >> field.size() & 1) == 0) continue;
    for (unsigned i = 0; i < std::size(kSingle); ++i) {
      if (!equals_ignoring_case(field, kSingle[i])) continue;
      if ((seen >> i & 1) != 0) return kSingle[i];
      seen |= 1u << i;
    }
  }
  return {};
}

}  // namespace rocktable
