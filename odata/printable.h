// Text of others (a server, a file, its name) as a terminal may get it.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// The text in one line, without what a terminal obeys: control characters (C0, DEL, C1), line and paragraph separators, and
// the characters that change the direction of text become `\u001b`, bytes that are no UTF-8 `\x9b`. All else is as it was;
// printable(printable(x)) is printable(x).
std::string printable(std::string_view text);

}  // namespace rocktable
