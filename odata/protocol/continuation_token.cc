// Tokens are base64 with a length in front, and three characters replaced for URLs.
#include "odata/protocol/continuation_token.h"

#include <array>
#include <charconv>
#include <optional>

#include "base/base64.h"
#include "base/text.h"

namespace rocktable {
namespace {

constexpr std::string_view kFormat = "1!";
constexpr char kTimeSeparator = '\x01';
constexpr std::size_t kTimeDigits = 16;

// Characters of base64 that have a meaning in URLs, and their replacements.
constexpr std::string_view kBase64Characters = "=+/";
constexpr std::string_view kTokenCharacters = "-*_";

void replace_each(std::string& text, std::string_view from, std::string_view to) {
  for (char& c : text)
    if (const std::size_t i = from.find(c); i != std::string_view::npos) c = to[i];
}

// Returns the text of a token, or nullopt if the token does not have the form `1!...!base64`. Does not check
// lengths and spellings.
std::optional<std::string> unpack(std::string_view token) {
  if (!token.starts_with(kFormat)) return std::nullopt;
  const std::size_t mark = token.find('!', kFormat.size());
  if (mark == std::string_view::npos) return std::nullopt;
  std::string base64(token.substr(mark + 1));
  replace_each(base64, kTokenCharacters, kBase64Characters);
  return decode_base64(base64);
}

}  // namespace

std::string encode_continuation_token(std::string_view text) {
  std::string base64 = encode_base64(text);
  replace_each(base64, kBase64Characters, kTokenCharacters);
  return std::string(kFormat) + std::to_string(base64.size()) + '!' + base64;
}

Result<std::string> decode_continuation_token(std::string_view token) {
  std::optional<std::string> text = unpack(token);
  // Each text has exactly one token. Encoding the text again detects wrong lengths, leading zeros and stray
  // base64 bits.
  if (!text || !is_utf8(*text) || encode_continuation_token(*text) != token) return Error(ErrorCode::InvalidInput);
  return *std::move(text);
}

std::string table_token_text(std::string_view lower_name, std::int64_t creation_file_time) {
  std::array<char, kTimeDigits> digits;
  const auto time = static_cast<std::uint64_t>(creation_file_time);
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), time, 16).ptr;
  const auto count = static_cast<std::size_t>(end - digits.data());
  std::string text(lower_name);
  text += kTimeSeparator;
  return text.append(kTimeDigits - count, '0').append(digits.data(), count);
}

std::string_view table_name_of_token(std::string_view text) { return text.substr(0, text.find(kTimeSeparator)); }

}  // namespace rocktable
