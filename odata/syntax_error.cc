// The sentences are those of the library with which the service reads URLs. Recorded: syntax_error_at(),
// identifier_expected(), invalid_character(). From reports of users: unterminated_string(), unrecognized_literal().
// The words of unterminated_literal() are inferred.
#include "odata/syntax_error.h"

#include <string>

#include "base/text.h"

namespace rocktable {
namespace {

std::string position_of(std::string_view text, std::size_t offset) {
  return std::to_string(utf16_length(text.substr(0, offset)));
}

Error refusal(std::initializer_list<std::string_view> parts) {
  Error error(ErrorCode::InvalidInput, {});
  for (const std::string_view part : parts) error.message += part;
  return error;
}

}  // namespace

bool begins_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool begins_token(char c) {
  constexpr std::string_view kOthers = "0123456789(),-=/?*.' \t\n\v\f\r";
  return begins_identifier(c) || kOthers.find(c) != kOthers.npos;
}

Error syntax_error_at(std::string_view text, std::size_t offset) {
  return refusal({"Syntax error at position ", position_of(text, offset), " in '", text, "'."});
}

Error identifier_expected(std::string_view text, std::size_t offset) {
  return refusal({"An identifier was expected at position ", position_of(text, offset), "."});
}

Error invalid_character(std::string_view text, std::size_t offset) {
  return refusal({"Syntax error: character '", text.substr(offset, 1), "' is not valid at position ",
                  position_of(text, offset), " in '", text, "'."});
}

Error unterminated_string(std::string_view text) {
  return refusal(
      {"There is an unterminated string literal at position ", position_of(text, text.size()), " in '", text, "'."});
}

Error unterminated_literal(std::string_view text) {
  return refusal(
      {"There is an unterminated literal at position ", position_of(text, text.size()), " in '", text, "'."});
}

Error unrecognized_literal(std::string_view text, std::string_view literal, EdmType type) {
  const auto offset = static_cast<std::size_t>(literal.data() - text.data());
  return refusal({"Unrecognized '", to_string(type), "' literal '", literal, "' at '", position_of(text, offset),
                  "' in '", text, "'."});
}

std::optional<Error> find_invalid_token(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!begins_token(text[i])) return invalid_character(text, i);
    if (text[i] != '\'') continue;
    i = text.find('\'', i + 1);  // a doubled quote ends one literal and begins the next
    if (i == text.npos) return unterminated_string(text);
  }
  return std::nullopt;
}

}  // namespace rocktable
