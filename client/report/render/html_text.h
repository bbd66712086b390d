// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// Escapes text for the content of an element, and for an attribute in double quotes.
std::string html_text(std::string_view text);

}  // namespace rocktable
