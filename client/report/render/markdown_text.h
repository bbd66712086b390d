// Text in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// Returns prose that Markdown shows as it is, on one line. What stands between backticks becomes code.
std::string markdown_prose(std::string_view text);
// Returns the text as code, valid also in a cell of a table.
std::string markdown_code(std::string_view text);

}  // namespace rocktable
