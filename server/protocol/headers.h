// The header fields of one message: of an HTTP request, of a part of a multipart body.
#pragma once

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

  const std::vector<std::pair<std::string_view, std::string_view>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string_view, std::string_view>> fields_;
};

}  // namespace rocktable
