// Makes text from outside (a server, a file, a file name) safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// Returns the text in one line, without anything that a terminal interprets. Control characters (C0, DEL,
// C1), line and paragraph separators, and characters that change the direction of text become `\u001b`; bytes
// that are not UTF-8 become `\x9b`. All other text stays unchanged. Idempotent: printable(printable(x)) is
// printable(x).
std::string printable(std::string_view text);

}  // namespace rocktable
