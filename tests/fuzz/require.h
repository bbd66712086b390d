// Common to all targets: the check of a rule, the form of every error, and the lines of an input.
#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "odata/error.h"

namespace rocktable {

inline void require(bool holds, const std::string& rule) {
  if (!holds) throw std::logic_error(rule);
}

// Checks that an error blames the client, with a sentence that JSON and XML can hold and whose length is
// bounded by the input.
inline void require_refusal(const Error& error, std::size_t input_bytes) {
  require(error.code != ErrorCode::InternalError, "a refusal blames the server");
  require(!error.message.empty() && is_utf8(error.message), "a refusal without a sentence");
  require(error.message.size() <= 1024 + 4 * input_bytes, "a refusal without end");
}

inline bool holds_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; });
}

// Returns whether the text has no line break or other control character (C0), like text read from XML.
inline bool is_one_line(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= ' '; });
}

// Returns whether `piece` is a view of `text`, not just equal to a part.
inline bool lies_within(std::string_view piece, std::string_view text) {
  const std::less_equal<const char*> before;
  return piece.empty() ||
         (before(text.data(), piece.data()) && before(piece.data() + piece.size(), text.data() + text.size()));
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace rocktable
