// Finds the tokens of JSON text, for code that rewrites text or needs positions in it. Parsing is done by
// simdjson and nlohmann_json.
#pragma once

#include <cstddef>
#include <string_view>

namespace rocktable {

// Returns the token at `begin`, which is less than the size of the text: a string, to the end of the text if
// it has no end; a number, valid or not; or a single other character.
std::string_view json_token_at(std::string_view json, std::size_t begin);

// Returns whether a token is a number without fraction and exponent, of any length.
bool is_json_integer(std::string_view token);

}  // namespace rocktable
