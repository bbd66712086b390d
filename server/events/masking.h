// Replaces the secrets of a message by `***` for logs and traces. Pure, in linear time. Accepts any bytes.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// Masks a request target or URL: the values of `sig`, because a shared access signature is a secret, and what
// masked_text() masks besides. A value of `sig` ends where the parameter ends.
std::string without_signature(std::string_view target);

// Masks the value of a header. Keeps scheme and account name of `Authorization` and similar headers
// (`SharedKey devstoreaccount1:***`, `Bearer ***`). Masks cookies, tokens and keys completely. Applies
// masked_text() to others.
std::string masked_header(std::string_view name, std::string_view value);

// Masks text that may quote requests, URLs or connection strings: the values of `sig` and `AccountKey`, and
// the credentials after `SharedKey` (Lite) and `Bearer`, in JSON and percent-encoded too. A value ends at white
// space, a quote, `<`, `>` or `&`.
std::string masked_text(std::string_view text);

// Masks a body. The lines of a multipart body may also be headers. Also masks the value of a user delegation key.
std::string masked_body(std::string_view body, std::string_view content_type);

}  // namespace rocktable
