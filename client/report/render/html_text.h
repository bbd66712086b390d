// Text and elements in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// Escapes text for the content of an element, and for an attribute in double quotes.
std::string html_text(std::string_view text);

// An element with attributes: `tag` is `p class="quiet"`, `content` is HTML.
std::string html_element(const std::string& tag, const std::string& content);

// The text as code.
std::string code_element(const std::string& text);

}  // namespace rocktable
