// Fits text to the columns of a terminal. No I/O. Texts are UTF-8; a code point is assumed to take one column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rocktable {

// Returns the number of columns that a text takes.
std::size_t width_of(std::string_view text);

// Returns the first `width` columns of a text.
std::string_view shortened(std::string_view text, std::size_t width);

// Appends `text` in lines of at most `columns`, broken between words. A word that is too long gets its own line,
// unbroken. The first line continues at column `used`; the others are indented by `indent` blanks.
void append_folded(std::string& out, std::string_view text, std::size_t used, std::size_t indent, std::size_t columns);

}  // namespace rocktable
