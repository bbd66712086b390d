// Any bytes as a continuation token: refused, or equal to the encoding of its text. Also any bytes as the
// text of a token.
#include "odata/protocol/continuation_token.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {

void fuzz_continuation(std::string_view input) {
  if (const auto text = decode_continuation_token(input)) {
    require(is_utf8(*text) && text->size() < input.size(), "a token holds what is no text, or too much of it");
    require(encode_continuation_token(*text) == input, "a text has two tokens");
    require(lies_within(table_name_of_token(*text), *text), "a table's name lies outside of its token");
  } else {
    require_refusal(text.error(), input.size());
  }

  const std::string token = encode_continuation_token(input);
  require(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!-*_") == token.npos,
          "a token holds what means something in URLs");
  const auto again = decode_continuation_token(token);
  require(again.has_value() == is_utf8(input) && (!again || *again == input), "a text is lost in its token");

  if (input.find('\x01') == input.npos)
    require(table_name_of_token(table_token_text(input, static_cast<std::int64_t>(input.size()))) == input,
            "a table's name is lost in its token");
}

}  // namespace rocktable
