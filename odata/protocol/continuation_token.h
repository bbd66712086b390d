// Continuation tokens: `1!16!cGtjMTJhMTMzOA--`, that is `1!`, the length of the rest, `!`, and the text in
// base64 with `=` as `-` (and `+` as `*`, `/` as `_`, which the service has not been seen to send).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "odata/error.h"

namespace rocktable {

// The text must be UTF-8. An empty text becomes `1!0!`; callers should omit the header instead.
std::string encode_continuation_token(std::string_view text);

// Reads a percent-decoded token.
//
// Errors: InvalidInput for everything that encode_continuation_token cannot write (an empty token included).
Result<std::string> decode_continuation_token(std::string_view token);

// table_token_text returns the text of a table token: the table's name in lower case, 0x01, and 16 hex digits
// of its creation time. table_name_of_token returns the name and ignores the time, which may be missing.
std::string table_token_text(std::string_view lower_name, std::int64_t creation_file_time);
std::string_view table_name_of_token(std::string_view text);

}  // namespace rocktable
