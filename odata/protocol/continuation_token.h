// Continuation tokens: `1!16!cGtjMTJhMTMzOA--`, that is `1!`, the length of the rest, `!`, and base64 of the
// text with
// `=` as `-` (and, unseen so far on the service, `+` as `*` and `/` as `_`).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "odata/error.h"

namespace rocktable {

// The text must be UTF-8. An empty one gives `1!0!`; callers rather leave the header out.
std::string encode_continuation_token(std::string_view text);

// Reads a token that is already percent-decoded.
//
// Errors: InvalidInput for everything that encode_continuation_token cannot have written (an empty token
// included).
Result<std::string> decode_continuation_token(std::string_view token);

// The text of a table token: the table's name in lower case, 0x01, 16 hex digits of its creation time.
// Decoding takes the name alone, too, and does not read the time.
std::string table_token_text(std::string_view lower_name, std::int64_t creation_file_time);
std::string_view table_name_of_token(std::string_view text);

}  // namespace rocktable
