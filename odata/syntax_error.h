// The service's sentences for texts in URLs that it cannot read: $filter, $select, and the keys of entities.
// Each names a position in the text, counted in UTF-16 code units as the service counts characters. The code is
// InvalidInput.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "odata/error.h"
#include "odata/value.h"

namespace rocktable {

// Whether this byte is a letter or an underscore. Every character outside ASCII counts as a letter: check_property_name
// decides which names entities may have.
bool begins_identifier(char c);

// Whether a token may begin with this byte: an identifier, a digit, white space, and the punctuation of the language,
// of which $filter and keys use a part.
bool begins_token(char c);

// `offset` is in bytes.
Error syntax_error_at(std::string_view text, std::size_t offset);
Error identifier_expected(std::string_view text, std::size_t offset);
Error invalid_character(std::string_view text, std::size_t offset);
Error unterminated_string(std::string_view text);
// `datetime'2020-`
Error unterminated_literal(std::string_view text);
// A literal that its type cannot hold. `literal` is a part of `text`.
Error unrecognized_literal(std::string_view text, std::string_view literal, EdmType type);

// The first character that begins no token, or the string literal that does not end. Returns nullopt if there is
// neither.
std::optional<Error> find_invalid_token(std::string_view text);

}  // namespace rocktable
