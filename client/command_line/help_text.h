// Fits help pages to the width of the terminal. No I/O.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// Breaks lines of a help page that exceed `columns` characters, between words. The text of a line `  NAME
// text` continues below its first word or, if `columns` is small, starts below its name. Running text keeps
// its indentation.
std::string wrap_help(std::string_view page, int columns);

}  // namespace rocktable
