// What of a message may stand in a log or a trace: everything but its secrets, which become `***`. Pure; takes any bytes.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// A request target or URL without the values of `sig`: a shared access signature is a secret.
std::string without_signature(std::string_view target);

// The value of a header. Of `Authorization` and its like the scheme stays, and the account's name
// (`SharedKey devstoreaccount1:***`, `Bearer ***`); of cookies, tokens and keys nothing. Others are masked_text().
std::string masked_header(std::string_view name, std::string_view value);

// Text that may quote requests, URLs or connection strings: without the values of `sig`, what follows `SharedKey` (Lite)
// and `Bearer`, and the values of `AccountKey`. A value ends at white space, a quote, `<`, `>` or `&`.
std::string masked_text(std::string_view text);

// The same for a multipart body, in which lines may also be headers.
std::string masked_parts(std::string_view body);

}  // namespace rocktable
