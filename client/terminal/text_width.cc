#include "client/terminal/text_width.h"

#include <algorithm>

namespace rocktable {
namespace {

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string_view shortened(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if (starts_code_point(text[at]) && seen++ == width) break;
  }
  return text.substr(0, at);
}

void append_folded(std::string& out, std::string_view text, std::size_t used, std::size_t indent, std::size_t columns) {
  std::size_t column = used;
  bool begins = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t width = width_of(word);
    if (!begins && column + 1 + width > columns) {
      out.append("\n").append(indent, ' ');
      column = indent;
      begins = true;
    }
    if (!begins) out += ' ';
    out.append(word);
    column += width + (begins ? 0 : 1);
    begins = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace rocktable
