// Help pages in the width of the terminal. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// Breaks the lines of a help page so that they have at most `columns` characters, as far as its words allow. A line
// `  NAME  text` goes on below its text, or, where `columns` is small, the whole text stands below its name. A line
// that is broken inside running text keeps its indentation.
std::string fold_help(std::string_view page, int columns);

}  // namespace rocktable
